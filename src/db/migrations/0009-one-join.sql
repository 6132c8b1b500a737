-- contract, oldest release 1.0.0
--
-- Statements join programs and applications, on a Citus cluster too, where programs and their questions are on every node. So nothing calls
-- these functions any more, and what had to be another function there is one that serves both.

drop function store_application(bigint, bigint, bigint, bigint, timestamptz, timestamptz, bigint, text, text);
drop function start_counter(bigint, timestamptz);
drop function submissions_of(bigint);
drop function walk_start(bigint);
drop function last_publication(bigint);
drop function stored_application(bigint, bigint);
drop function stored_revisions(bigint, bigint, bigint, bigint);
drop function readable_state(bigint);

-- Takes what an applicant has saved in a program, and says whether there was anything, and for how long intake is paused. Still a function,
-- so that a submission makes one round trip for it: the same as one statement takes Citus a hundred times as long, and looks after it has
-- deleted. Comparing each table with `of_program`, rather than with the other table, makes it three times as fast there.
create or replace function take_saved(of_program bigint, of_applicant bigint,
  out create_time timestamptz, out answers text, out was_saved boolean, out paused_seconds double precision)
language plpgsql as $$
begin
  select
    exists (select from application_in_progress a where a.program_id = of_program and a.applicant_id = of_applicant),
    case
      when c.closed then 'infinity'
      when c.intake_paused_until > present_time() then extract(epoch from c.intake_paused_until - present_time())
    end
  into was_saved, paused_seconds
  from submission_counter c
  where c.program_id = of_program;
  delete from application_in_progress a
  where a.program_id = of_program and a.applicant_id = of_applicant
  returning a.create_time, a.answers into create_time, answers;
end $$;

-- Without a number there is nothing to look for.
alter function change_at(bigint, bigint) strict;

-- These hold the numbers of the programs first, as a submission does.
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

-- Also where an earlier release distributed the installation, with others in their place.
create or replace function refuse_early_removal() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (old.followed and may_follow(tg_relid))
     or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     or exists (
    select from program
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
  if coalesce(pg_has_role(current_user, to_regrole('tributary_worker')::oid, 'member'), false)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     and not exists (
    select from program
    where program_id = old.program_id
    and old.updated_at < clock_timestamp() - make_interval(days => retention_days)
  ) then
    raise exception 'these answers have not expired' using errcode = 'insufficient_privilege';
  end if;
  return old;
end $$;
