-- The settings of a distributed installation, and the functions that are other ones there. Applied again after each migration, which may have made
-- the ordinary ones again, and with the rights (scripts/migrate --roles), for a worker that was added.

-- In the database and not in sessions. On every node: triggers of a shard read and write what lies alongside it, and so do functions
-- within a statement that was sent there whole. On the coordinator: how long a transaction waits for locks is sent along with it.
do $$
declare
  statement text;
begin
  foreach statement in array array['citus.enable_unsafe_triggers = on', 'citus.allow_nested_distributed_execution = on'] loop
    statement := format('alter database %I set %s', current_database(), statement);
    execute statement;
    perform run_command_on_workers(statement);
  end loop;
  execute format('alter database %I set citus.propagate_set_commands = %L', current_database(), 'local');
  -- By which the service knows a node that it is to read from.
  statement := format('alter database %I set tributary.cluster = %L', current_database(),
    (select system_identifier from pg_control_system()) || '/' || current_database());
  execute statement;
  perform run_command_on_workers(statement);
end $$;

-- What statements on the workers call.
select create_distributed_function(signature)
from unnest(array[
  'just_after(timestamptz)', 'change_at(bigint, bigint)', 'require_change(bigint, bigint, timestamptz, bigint)', 'draw_changes(bigint, bigint)', 'may_follow(oid)']::regprocedure[]) as signature;

-- These run on the coordinator, in a connection to the worker that is the caller's own, and not the owner's: it has to be the one that the rest
-- of the transaction takes. So a role that may draw has to have the right to change the counter (roles.sql).
alter function hold_changes(bigint) security invoker;
alter function draw_changes(bigint, bigint) security invoker;

create or replace function refuse_early_removal() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') or exists (
    select from program_retention
    where program_id = old.program_id
    and old.submit_time < clock_timestamp() - make_interval(days => retention_days)
  ) then
    return old;
  end if;
  raise exception 'this application has not expired' using errcode = 'insufficient_privilege';
end $$;

create or replace function refuse_early_forgetting() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Two conditions and not one: of one, the rights on every table in it are asked, and others than the worker have none on this one.
  if coalesce(pg_has_role(current_user, to_regrole('tributary_worker')::oid, 'member'), false)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    if not exists (
      select from program_retention
      where program_id = old.program_id
      and old.updated_at < clock_timestamp() - make_interval(days => retention_days)
    ) then
      raise exception 'these answers have not expired' using errcode = 'insufficient_privilege';
    end if;
  end if;
  return old;
end $$;

-- Erase as the owner, and first hold the numbers, as the service does elsewhere: what a transaction changes on a worker goes over connections of one role.
create or replace function erase_application(of_program bigint, of_application bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform hold_changes(of_program);
  delete from application where program_id = of_program and application_id = of_application;
  return found;
end $$;

create or replace function erase_applicant(of_applicant bigint) returns table (program_id bigint, application_id bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  held bigint;
begin
  for held in select distinct a.program_id from application a where a.applicant_id = of_applicant order by a.program_id loop
    perform hold_changes(held);
  end loop;
  return query
    delete from application a
    where a.applicant_id = of_applicant
    returning a.program_id, a.application_id;
  delete from submission_request where applicant_id = of_applicant;
  delete from applicant where applicant_id = of_applicant;
end $$;

create or replace function leave_tombstone() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gone record;
begin
  for gone in select * from removed order by program_id, submit_seq loop
    update submission_counter set erased = erased + 1 where program_id = gone.program_id;
    insert into erased_application (program_id, application_id, submit_seq, submit_time, change_seq)
    values (gone.program_id, gone.application_id, gone.submit_seq, gone.submit_time, draw_changes(gone.program_id, 1));
    if gone.superseded_seq is not null
       and not exists (select from application where program_id = gone.program_id and submit_seq = gone.superseded_seq)
       and not exists (select from erased_application where program_id = gone.program_id and submit_seq = gone.superseded_seq) then
      insert into erased_change (program_id, change_seq, application_id, happened_at)
      values (gone.program_id, gone.superseded_seq, gone.application_id, gone.submit_time)
      on conflict do nothing;
    end if;
  end loop;
  return null;
end $$;

create or replace function walk_start(of_program bigint)
returns table (
  horizon bigint, last_submit_time timestamptz, change_time timestamptz, change_application bigint, last_published_at timestamptz)
language plpgsql as $$
begin
  -- What is read on the worker is seen there as of one moment; the publication is read after it.
  select c.submit_seq, least(c.last_submit_time, c.loading_from - interval '1 microsecond'), last.happened_at, last.application_id
  into walk_start.horizon, walk_start.last_submit_time, walk_start.change_time, walk_start.change_application
  from submission_counter c
  cross join change_at(c.program_id, c.submit_seq) last
  where c.program_id = of_program;
  if found then
    walk_start.last_published_at := last_publication(of_program);
    return next;
  end if;
end $$;
