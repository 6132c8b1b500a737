-- Spreads the applications of an installation over the workers of a Citus cluster, by program (scripts/distribute). Run on the
-- coordinator, in one transaction: whole or not at all. Which tables, is in table-placements.ts; all others stay on the coordinator, with
-- all that holds between them.

do $$
declare
  tables constant name[] := string_to_array(current_setting('tributary.distributed'), ',');
  shards constant integer := current_setting('tributary.shards')::integer;
  of_table name;
  next bigint;
  triggers text[];
  keys text[];
  statement text;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise exception 'this database has no Citus: create extension citus on every node, then add the workers with citus_add_node'
      using errcode = 'invalid_parameter_value';
  end if;
  if exists (select from pg_dist_partition where logicalrelid = 'application'::regclass) then
    raise exception 'the applications are distributed already' using errcode = 'duplicate_table';
  end if;
  if not exists (select from pg_dist_node where groupid = 0) or (select groupid from pg_dist_local_group) <> 0 then
    raise exception 'this is not the coordinator of a cluster: say where it is with citus_set_coordinator_host, and run this there'
      using errcode = 'invalid_parameter_value';
  end if;
  if not exists (select from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive and shouldhaveshards) then
    raise exception 'the cluster has no worker to take applications: add one with citus_add_node'
      using errcode = 'invalid_parameter_value';
  end if;
  if exists (select from civiform_source) then
    raise exception 'an installation that follows a CiviForm is not distributed' using errcode = 'invalid_parameter_value';
  end if;
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);

  -- Submissions and saving begin with these two, so from here on only readers and changes of status continue, each in an order of its own:
  -- waiting for them table by table, one could wait for another in a circle.
  lock table submission_request, applicant in access exclusive mode;
  for attempt in 1 .. 6000 loop
    begin
      execute format('lock table %s in access exclusive mode nowait', array_to_string(tables, ', '));
      exit;
    exception when lock_not_available then
      if attempt = 6000 then
        raise exception 'the applications were in use for a whole minute; stop service and worker first' using errcode = 'object_in_use';
      end if;
      perform pg_sleep(0.01);
    end;
  end loop;

  -- Triggers come back when the rows have moved, since some look at the values of a row as it comes in. Foreign keys hold among what lies
  -- together; what is on the coordinator cannot be named in one, and none of it that an application names is ever removed, but an
  -- applicant, under a lock, with all that it has.
  select array_agg(pg_get_triggerdef(oid) order by tgname) into triggers
  from pg_trigger where tgrelid = any(tables::regclass[]) and not tgisinternal;
  for statement in
    select format('drop trigger %I on %s', tgname, tgrelid::regclass)
    from pg_trigger where tgrelid = any(tables::regclass[]) and not tgisinternal
  loop
    execute statement;
  end loop;
  select coalesce(array_agg(format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) order by conname), '{}')
  into keys
  from pg_constraint where contype = 'f' and conrelid = any(tables::regclass[]) and confrelid = any(tables::regclass[]);
  for statement in
    select format('alter table %s drop constraint %I', conrelid::regclass, conname)
    from pg_constraint where contype = 'f' and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]))
  loop
    execute statement;
  end loop;

  -- A sequence of the coordinator alone, so that a load can hold it.
  execute format('select case when is_called then last_value + 1 else last_value end from %s', pg_get_serial_sequence('application', 'application_id')) into next;
  alter table application alter column application_id drop identity;
  execute format('create sequence application_application_id_seq start with %s', next);

  foreach of_table in array tables loop
    if of_table = tables[1] then
      perform create_distributed_table(of_table::regclass, 'program_id', colocate_with => 'none', shard_count => shards);
    else
      perform create_distributed_table(of_table::regclass, 'program_id', colocate_with => tables[1]::text);
    end if;
  end loop;
  -- Where they came from they would stay, out of sight and out of the reach of an erasure.
  foreach of_table in array tables loop
    perform truncate_local_data_after_distributing_table(of_table::regclass);
  end loop;
  foreach statement in array keys || triggers loop
    execute statement;
  end loop;
end $$;

-- After how many days the applications of a program may be removed, on every node: a trigger of their shards asks for it.
create table program_retention (
  program_id bigint primary key,
  retention_days integer not null
);
insert into program_retention select program_id, retention_days from program where retention_days is not null;
select create_reference_table('program_retention');
create function keep_retention() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from program_retention where program_id = new.program_id;
  if new.retention_days is not null then
    insert into program_retention (program_id, retention_days) values (new.program_id, new.retention_days);
  end if;
  return null;
end $$;
create trigger program_retention_is_kept after update on program
  for each row when (new.retention_days is distinct from old.retention_days) execute function keep_retention();
create trigger program_retention_is_made after insert on program
  for each row when (new.retention_days is not null) execute function keep_retention();

-- What is audited is committed on its worker and on the coordinator, or on neither: a change to a table that Citus keeps on the coordinator
-- makes the commit one in two phases. The table stays empty. An export changes nothing on a worker, so its line does without.
create table commit_mark (mark integer);
select citus_add_local_table_to_metadata('commit_mark');
create function commit_in_two_phases() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from commit_mark;
  return null;
end $$;
create trigger audit_event_commits_in_two_phases after insert on audit_event
  for each row when (new.action <> 'applications_exported') execute function commit_in_two_phases();
