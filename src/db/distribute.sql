-- Lays an installation over the nodes of a Citus cluster (scripts/distribute): the applications in shards by program, the programs and their
-- questions as copies on every node. Which tables, is in table-placements.ts; all others stay on the coordinator. Run there, in one transaction:
-- whole or not at all. Run again it moves only what still lies elsewhere.

do $$
declare
  by_program constant name[] := string_to_array(current_setting('tributary.distributed'), ',');
  everywhere constant name[] := string_to_array(current_setting('tributary.reference'), ',');
  placed name[];
  tables name[];
  held regclass[];
  node record;
begin
  if not exists (select from pg_extension where extname = 'citus') then
    raise exception 'this database has no Citus: create extension citus on every node, then add the workers with citus_add_node'
      using errcode = 'invalid_parameter_value';
  end if;
  select coalesce(array_agg(relname), '{}') into placed
  from pg_dist_partition join pg_class on pg_class.oid = logicalrelid;
  select array_agg(name) into tables from unnest(by_program || everywhere) name where name <> all(placed);
  perform set_config('tributary.unplaced', coalesce(array_to_string(tables, ','), ''), true);
  if tables is null then
    return;
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
  -- What is set for the database later needs its owner on every node, and nothing of this can be undone halfway.
  for node in
    select nodename, nodeport, success, result
    from run_command_on_all_nodes($cmd$
      select pg_has_role(current_user, datdba, 'member') from pg_database where datname = current_database()$cmd$)
    join pg_dist_node using (nodeid)
  loop
    if not node.success or node.result <> 't' then
      raise exception '%', format('%s does not own the database on %s:%s%s', current_user, node.nodename, node.nodeport,
          case when not node.success then ': ' || node.result end)
        using errcode = 'invalid_parameter_value';
    end if;
  end loop;
  -- Until the programs were on every node, the workers had their retention from here.
  if to_regclass('program_retention') is not null then
    drop function keep_retention() cascade;
    drop table program_retention;
  end if;
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);

  -- Submissions and saving begin with these two, so from here on only readers and changes of status continue, each in an order of its own:
  -- waiting for them table by table, one could wait for another in a circle. Those that foreign keys link to them lose these.
  select array_agg(distinct name::regclass) into held
  from pg_constraint, unnest(tables::regclass[] || array[conrelid, confrelid]) name
  where contype = 'f' and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]));
  lock table submission_request, applicant in access exclusive mode;
  for attempt in 1 .. 6000 loop
    begin
      execute format('lock table %s in access exclusive mode nowait', array_to_string(held, ', '));
      exit;
    exception when lock_not_available then
      if attempt = 6000 then
        raise exception 'the applications were in use for a whole minute; stop service and worker first' using errcode = 'object_in_use';
      end if;
      perform pg_sleep(0.01);
    end;
  end loop;
end $$;

-- A foreign key that names one of the tables on every node would draw its own into the metadata of Citus, with all that are linked to that: those of
-- keys and people among them, which would lose their rights on columns. A trigger of the same name takes its place, also where a migration has
-- added one since. The rows it names are never removed, but drafts (forget_derived).
do $$
declare
  everywhere constant name[] := string_to_array(current_setting('tributary.reference'), ',');
  key record;
begin
  if to_regproc('require_row') is null then
    create function require_row() returns trigger
    language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $body$
    declare
      is_there boolean;
    begin
      execute format('select exists (select from %I where %I = $1.%I)', tg_argv[1], tg_argv[2], tg_argv[0]) into is_there using new;
      if not is_there then
        raise exception '% names no row of %', tg_name, tg_argv[1] using errcode = 'foreign_key_violation';
      end if;
      return new;
    end $body$;
    revoke execute on function require_row() from public;
  end if;
  for key in
    select conname as name, conrelid::regclass as of_table, confrelid::regclass as named, own.attname as own_column, theirs.attname as their_column
    from pg_constraint
    join pg_attribute own on own.attrelid = conrelid and own.attnum = conkey[1]
    join pg_attribute theirs on theirs.attrelid = confrelid and theirs.attnum = confkey[1]
    where contype = 'f' and confrelid = any(everywhere::regclass[])
    and conrelid <> all((string_to_array(current_setting('tributary.distributed'), ',') || everywhere)::regclass[])
    and conrelid not in (select logicalrelid from pg_dist_partition)
  loop
    execute format('alter table %s drop constraint %I', key.of_table, key.name);
    execute format('create trigger %I before insert or update of %I on %s for each row execute function require_row(%L, %L, %L)',
      key.name, key.own_column, key.of_table, key.own_column, key.named, key.their_column);
  end loop;
end $$;

do $$
declare
  by_program constant name[] := string_to_array(current_setting('tributary.distributed'), ',');
  everywhere constant name[] := string_to_array(current_setting('tributary.reference'), ',');
  tables constant name[] := string_to_array(current_setting('tributary.unplaced'), ',');
  of_table name;
  id record;
  next bigint;
  triggers text[];
  keys text[];
  statement text;
begin
  if tables = '{}' then
    return;
  end if;
  -- Triggers come back when the rows have moved, since some look at the values of a row as it comes in; but not those that hold a follower
  -- to its CiviForm: none is followed here, and its role has no rights on the workers. Foreign keys hold among what was moved. No row
  -- that another table names is ever removed, but an applicant, under a lock, with all that it has.
  select array_agg(pg_get_triggerdef(oid) order by tgname) into triggers
  from pg_trigger
  where tgrelid = any(tables::regclass[]) and not tgisinternal
  and tgfoid not in ('refuse_follower()'::regprocedure, 'refuse_two_origins()'::regprocedure);
  for statement in
    select format('drop trigger %I on %s', tgname, tgrelid::regclass)
    from pg_trigger where tgrelid = any(tables::regclass[]) and not tgisinternal
  loop
    execute statement;
  end loop;
  select coalesce(array_agg(format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) order by conname), '{}')
  into keys
  from pg_constraint
  where contype = 'f'
  and conrelid = any((by_program || everywhere)::regclass[])
  and confrelid = any((by_program || everywhere)::regclass[])
  and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]));
  for statement in
    select format('alter table %s drop constraint %I', conrelid::regclass, conname)
    from pg_constraint where contype = 'f' and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]))
  loop
    execute statement;
  end loop;

  -- Ids come from sequences of the coordinator, which no identity column has on Citus. Of applications they are drawn before, so that
  -- a load can hold their sequence.
  for id in
    select attrelid::regclass as of_table, attname as name, pg_get_serial_sequence(attrelid::regclass::text, attname) as ids
    from pg_attribute
    where attrelid = any(tables::regclass[]) and attidentity = 'd'
  loop
    execute format('select case when is_called then last_value + 1 else last_value end from %s', id.ids) into next;
    execute format('alter table %s alter column %I drop identity', id.of_table, id.name);
    execute format('create sequence %s start with %s', id.ids, next);
    if id.of_table <> 'application'::regclass then
      execute format('alter table %s alter column %I set default nextval(%L)', id.of_table, id.name, id.ids);
    end if;
  end loop;

  -- With which the index of words is computed, on the workers as the rows arrive.
  perform create_distributed_function(signature)
  from unnest(array['search_form(text)', 'answer_member(text, text)', 'unspaced_words(text, text, text)']::regprocedure[]) as signature;

  foreach of_table in array tables loop
    if of_table = any(everywhere) then
      perform create_reference_table(of_table::regclass);
    elsif of_table = by_program[1] then
      perform create_distributed_table(
        of_table::regclass, 'program_id', colocate_with => 'none', shard_count => current_setting('tributary.shards')::integer);
    else
      perform create_distributed_table(of_table::regclass, 'program_id', colocate_with => by_program[1]::text);
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

-- What is audited is committed on its worker and on the coordinator, or on neither: a change to a table that Citus keeps on the coordinator
-- makes the commit one in two phases. The table stays empty. An export changes nothing on a worker, so its line does without.
do $$
begin
  if to_regclass('commit_mark') is not null then
    return;
  end if;
  create table commit_mark (mark integer);
  perform citus_add_local_table_to_metadata('commit_mark');
  create function commit_in_two_phases() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $body$
  begin
    delete from commit_mark;
    return null;
  end $body$;
  create trigger audit_event_commits_in_two_phases after insert on audit_event
    for each row when (new.action <> 'applications_exported') execute function commit_in_two_phases();
end $$;

-- What was derived from a draft goes with it, by no foreign key here. On the coordinator, which alone has these tables.
do $$
begin
  if to_regproc('forget_derived') is not null then
    return;
  end if;
  perform set_config('citus.enable_unsafe_triggers', 'on', true);
  create function forget_derived() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $body$
  begin
    if (select groupid from pg_dist_local_group) = 0 then
      delete from derived_status where program_version_id = old.program_version_id;
      delete from program_key_map where program_version_id = old.program_version_id;
      delete from docs_example where program_version_id = old.program_version_id;
    end if;
    return null;
  end $body$;
  revoke execute on function forget_derived() from public;
  create trigger program_version_takes_derived_along after delete on program_version
    for each row execute function forget_derived();
end $$;
