-- Lays the applications of an installation, and what is kept of each, in partitions by the hash of their program: vacuum, dump,
-- erasure and loads of one program then touch one of them. An operator's choice (scripts/migrate --partitions), for an
-- installation that is empty or stands still: the rows are written again.
--
-- Keys, checks, indexes, triggers, storage and identities are taken from the catalogue as they are, and made again under their names; each
-- holds for all partitions together, as every key and unique index has the program in it.

do $$
declare
  pieces constant integer := current_setting('tributary.partitions')::integer;
  tables constant name[] := array[
    'application', 'application_annotation', 'erased_application', 'submission_request'];
  locks_max constant integer := current_setting('max_locks_per_transaction')::integer;
  -- The table of locks has that many places for each of them.
  sessions constant integer := (
    select sum(setting::integer)
    from pg_settings
    where name in ('max_connections', 'max_prepared_transactions', 'max_wal_senders', 'max_worker_processes', 'autovacuum_max_workers'));
  of_table name;
  piece integer;
  options text[];
  identity record;
  again text[] := '{}';
  keys text[] := '{}';
  statement text;
begin
  if pieces not between 2 and 256 then
    raise exception 'from 2 to 256 partitions can be made, not %', pieces using errcode = 'invalid_parameter_value';
  end if;
  if exists (select from pg_class where oid = 'application'::regclass and relkind = 'p') then
    raise exception 'the applications are in partitions already' using errcode = 'duplicate_table';
  end if;
  -- Each partition of a table, each of their indexes and what these hang on is locked to the end, some seventy a piece; without room for them
  -- the server says so only when most of the work is done.
  if locks_max * sessions < 75 * pieces + 260 then
    raise exception '% partitions need max_locks_per_transaction to be at least %, and it is %; set it and restart PostgreSQL',
      pieces, (75 * pieces + 259) / sessions + 1, locks_max using errcode = 'configuration_limit_exceeded';
  end if;
  execute format('lock table %s in access exclusive mode', array_to_string(tables, ', '));

  -- What is to be made again: keys before the foreign keys that need them, triggers last.
  select array_agg(made order by step, name) into again
  from (
    select 1 as step, conname as name, format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as made
    from pg_constraint
    where conrelid = any(tables::regclass[]) and contype in ('p', 'u')
    union all
    select 2, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    from pg_index i
    where indrelid = any(tables::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = i.indrelid)
    union all
    select 3, conname, format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint
    where contype = 'f' and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]))
    union all
    select 4, tgname, pg_get_triggerdef(oid)
    from pg_trigger
    where tgrelid = any(tables::regclass[]) and not tgisinternal
  ) parts;
  select array_agg(format('alter table %s drop constraint %I', conrelid::regclass, conname)) into keys
  from pg_constraint
  where contype = 'f' and (conrelid = any(tables::regclass[]) or confrelid = any(tables::regclass[]));
  foreach statement in array keys loop
    execute statement;
  end loop;

  foreach of_table in array tables loop
    select reloptions into options from pg_class where oid = of_table::regclass;
    select
      attname as column_name,
      case attidentity when 'a' then 'always' else 'by default' end as kind,
      pg_get_serial_sequence(of_table, attname)::regclass::text as sequence,
      0::bigint as next
    into identity
    from pg_attribute
    where attrelid = of_table::regclass and attidentity <> '';
    if found then
      execute format('select case when is_called then last_value + 1 else last_value end from %s', identity.sequence) into identity.next;
    end if;

    execute format('alter table %I rename to %I', of_table, of_table || '_whole');
    execute format(
      'create table %I (like %I including comments including compression including constraints including defaults including storage) partition by hash (program_id)',
      of_table, of_table || '_whole');
    for piece in 0 .. pieces - 1 loop
      execute format('create table %I partition of %I for values with (modulus %s, remainder %s)', format('%s_%s', of_table, piece), of_table, pieces, piece);
      if options is not null then
        execute format('alter table %I set (%s)', format('%s_%s', of_table, piece), array_to_string(options, ', '));
      end if;
    end loop;
    execute format('insert into %I select * from %I', of_table, of_table || '_whole');
    execute format('drop table %I', of_table || '_whole');
    if identity is not null then
      execute format('alter table %I alter column %I add generated %s as identity (sequence name %s start with %s)',
        of_table, identity.column_name, identity.kind, identity.sequence, identity.next);
    end if;
    identity := null;
  end loop;

  foreach statement in array again loop
    execute statement;
  end loop;
end $$;
