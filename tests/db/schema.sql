-- The schema that all migrations make together, for reviewing what a migration changes. Made by
--   UPDATE_SCHEMA=1 bun test tests/db/schema.test.ts
-- and not to be edited: the migrations in src/db/migrations say what is meant, and why.

-- Functions stand before the tables that they name.
set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.application_snapshot_is_immutable()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Only the follower sets this, for its own transaction: CiviForm may merge applicants, and rewrite answers, later.
  if old.followed and new.followed and current_setting('tributary.follow', true) = 'on'
     and (new.program_id, new.application_id, new.submit_time, new.submit_seq, coalesce(old.superseded_seq, new.superseded_seq))
     is not distinct from (old.program_id, old.application_id, old.submit_time, old.submit_seq, new.superseded_seq) then
    return new;
  end if;
  if (new.program_id, new.application_id, new.applicant_id, new.program_version_id, new.create_time, new.submit_time, new.submit_seq)
     is distinct from
     (old.program_id, old.application_id, old.applicant_id, old.program_version_id, old.create_time, old.submit_time, old.submit_seq)
     or (old.superseded_seq is not null and new.superseded_seq is distinct from old.superseded_seq)
     or new.followed <> old.followed
     -- Only the re-rendering of times for another zone of the instance sets this, for its own transaction.
     or (new.snapshot <> old.snapshot and current_setting('tributary.rerender', true) is distinct from 'on') then
    raise exception 'an application is never changed once submitted' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.change_at(of_program bigint, change bigint, OUT happened_at timestamp with time zone, OUT application_id bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  -- As the last one up to the number, so that a plan kept for all programs takes the index on the number: asked for the number itself
  -- it took the index of walks, and read all entries of a program far larger than most.
  select newest.submit_time, newest.application_id into happened_at, application_id
  from (
    select a.submit_seq, a.submit_time, a.application_id
    from application a
    where a.program_id = of_program and a.submit_seq <= change
    order by a.submit_seq desc
    limit 1
  ) newest
  where newest.submit_seq = change;
  if found then
    return;
  end if;
  select known.happened_at, known.application_id into happened_at, application_id
  from (
    select n.changed_at as happened_at, n.application_id
    from application_annotation n
    where n.program_id = of_program and n.change_seq = change
    union all
    select e.erased_at, e.application_id from erased_application e where e.program_id = of_program and e.change_seq = change
    union all
    select e.submit_time, e.application_id from erased_application e where e.program_id = of_program and e.submit_seq = change
    union all
    select e.happened_at, e.application_id from erased_change e where e.program_id = of_program and e.change_seq = change
    union all
    select null, a.application_id from application a where a.program_id = of_program and a.superseded_seq = change
  ) known
  limit 1;
end $function$;

CREATE OR REPLACE FUNCTION public.check_audit_anchor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.chain <> old.chain or new.link <= old.link
     or not exists (select from audit_segment where chain = new.chain and link >= new.link)
     or not exists (select from audit_link where chain = new.chain and link = new.link and hash = new.hash) then
    raise exception 'an anchor moves forward to a link that is in a file' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.check_audit_segment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from audit_link where chain = new.chain and link = new.link and hash = new.hash)
     or exists (select from audit_segment where chain = new.chain and link >= new.link) then
    raise exception 'this is not the next part of the chain' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.check_change_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Held by this transaction since it was drawn, or it would not be the last.
  if not exists (select from submission_counter where program_id = new.program_id and submit_seq = new.change_seq) then
    raise exception 'a change is numbered by draw_changes' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.check_walk(of_program bigint, horizon bigint, last_seq bigint, last_time timestamp with time zone, reached bigint, newest_seq bigint, newest_time timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if reached is null or reached < horizon then
    raise exception 'program % has come to submission %, and not to %', of_program, reached, horizon
      using errcode = 'TB001';
  end if;
  if last_seq is not null and (newest_seq, newest_time) is distinct from (last_seq, last_time) then
    raise exception 'submission % of program % is not there, or is another one than it was', last_seq, of_program
      using errcode = 'TB002';
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.count_export()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into api_key_day (api_key_id, day, pages, applications)
  values (substr(new.actor, 5), (new.happened_at at time zone 'UTC')::date, 1, coalesce((new.detail ->> 'applications')::bigint, 0))
  on conflict (api_key_id, day) do update
  set pages = api_key_day.pages + 1, applications = api_key_day.applications + excluded.applications;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.draw_changes(of_program bigint, changes bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  drawn bigint;
begin
  if changes is null or changes < 1 then
    raise exception 'a change has a number of its own' using errcode = 'invalid_parameter_value';
  end if;
  update submission_counter set submit_seq = submit_seq + changes where program_id = of_program returning submit_seq into strict drawn;
  return drawn;
end $function$;

CREATE OR REPLACE FUNCTION public.history_place()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
begin
  if pg_is_in_recovery() then
    return null;
  end if;
  return (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
end $function$;

CREATE OR REPLACE FUNCTION public.hold_changes(of_program bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform note_history();
  perform from submission_counter where program_id = of_program for no key update;
end $function$;

CREATE OR REPLACE FUNCTION public.just_after(instant timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return instant + interval '1 microsecond';
end $function$;

CREATE OR REPLACE FUNCTION public.last_publication(of_program bigint)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
AS $function$
begin
  return (select max(published_at) from program_version where program_id = of_program);
end $function$;

CREATE OR REPLACE FUNCTION public.last_submission(of_program bigint, horizon bigint, OUT submit_seq bigint, OUT submit_time timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  erased record;
begin
  select a.submit_seq, a.submit_time into last_submission.submit_seq, last_submission.submit_time
  from application a
  where a.program_id = of_program and a.submit_seq <= horizon
  order by a.submit_seq desc
  limit 1;
  -- Nothing that was erased can come after this one.
  if last_submission.submit_seq = horizon then
    return;
  end if;
  select e.submit_seq, e.submit_time into erased
  from erased_application e
  where e.program_id = of_program and e.submit_seq <= horizon
  order by e.submit_seq desc
  limit 1;
  if coalesce(erased.submit_seq > last_submission.submit_seq, last_submission.submit_seq is null) then
    last_submission.submit_seq := erased.submit_seq;
    last_submission.submit_time := erased.submit_time;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.leave_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into erased_change (program_id, change_seq, application_id, happened_at)
  values (old.program_id, old.change_seq, old.application_id, old.changed_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.leave_tombstone()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  of_program bigint;
  applications bigint;
  drawn bigint;
begin
  for of_program, applications in select r.program_id, count(*) from removed r group by r.program_id order by r.program_id loop
    drawn := draw_changes(of_program, applications);
    update submission_counter set erased = erased + applications where program_id = of_program;
    insert into erased_application (program_id, application_id, submit_seq, submit_time, change_seq)
    select r.program_id, r.application_id, r.submit_seq, r.submit_time,
      drawn - applications + row_number() over (order by r.submit_seq)
    from removed r
    where r.program_id = of_program;
    insert into erased_change (program_id, change_seq, application_id)
    select r.program_id, r.superseded_seq, r.application_id
    from removed r
    where r.program_id = of_program
    and r.superseded_seq is not null
    and not exists (select from application a where a.program_id = r.program_id and a.submit_seq = r.superseded_seq)
    and not exists (select from erased_application e where e.program_id = r.program_id and e.submit_seq = r.superseded_seq)
    on conflict do nothing;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.link_audit_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  own_chain smallint;
  own_link bigint;
  own_hash bytea;
begin
  update audit_chain
  set links = links + 1,
    hash = sha256(hash || convert_to(jsonb_build_array(
      new.audit_event_id, extract(epoch from new.happened_at), new.actor, new.action, new.subject, new.address, new.detail,
      new.database_user)::text, 'UTF8'))
  where chain = pg_backend_pid() % 8
  returning chain, links, hash into strict own_chain, own_link, own_hash;
  insert into audit_link (chain, link, audit_event_id, hash)
  values (own_chain, own_link, new.audit_event_id, own_hash);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.next_application_id()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
begin
  perform note_history();
  return nextval('application_application_id_seq');
end $function$;

CREATE OR REPLACE FUNCTION public.note_history()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  here constant text := history_place();
  ids regclass;
begin
  if (select place from database_history order by number desc limit 1) is not distinct from here then
    return false;
  end if;
  lock table database_history in share row exclusive mode;
  if (select place from database_history order by number desc limit 1) is not distinct from here then
    return false;
  end if;
  for ids in select oid::regclass from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace order by oid loop
    begin
      -- Changes nothing, and waits until no transaction is under way that was given an id.
      execute format('alter sequence %s no cycle', ids);
    exception when feature_not_supported then
      -- One of a distributed table.
    end;
    execute format('select setval(%L, last_value + 10000000) from %s', ids, ids);
  end loop;
  insert into database_history (number, place) select coalesce(max(number), 0) + 1, here from database_history;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.partition_bounds(piece anyelement, whole regclass)
 RETURNS integer[]
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return regexp_match(
    pg_get_partition_constraintdef(pg_typeof(piece)::text::regclass),
    format('^satisfies_hash_partition\(''%s''::oid, (\d+), (\d+), program_id\)$', whole::oid));
end $function$;

CREATE OR REPLACE FUNCTION public.present_time()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return clock_timestamp();
end $function$;

CREATE OR REPLACE FUNCTION public.program_name_is_immutable()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'id, slug and origin of a program are never changed' using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.published_program_version_is_immutable()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state = 'DRAFT' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  -- CiviForm may make a version active again, or edit one that was applied to already; only the follower sets this.
  if tg_op = 'UPDATE' and current_setting('tributary.follow', true) = 'on'
     and (new.program_version_id, new.program_id) = (old.program_version_id, old.program_id)
     and exists (select from program p where p.program_id = old.program_id and p.civiform_name is not null) then
    return new;
  end if;
  -- One that its database lost goes when the id is another program's; not while there is an application of it.
  if tg_op = 'DELETE' and current_setting('tributary.follow', true) = 'on'
     and exists (select from program p where p.program_id = old.program_id and p.civiform_name is not null) then
    return old;
  end if;
  if tg_op = 'DELETE' or new.state = 'DRAFT' or (old.state = 'OBSOLETE' and new.state <> 'OBSOLETE')
     or (new.program_version_id, new.program_id, new.screens, new.display_name, new.statuses, new.based_on,
         new.created_at, new.created_by, new.published_at, new.published_by)
     is distinct from
     (old.program_version_id, old.program_id, old.screens, old.display_name, old.statuses, old.based_on,
      old.created_at, old.created_by, old.published_at, old.published_by) then
    raise exception 'a published program version is never changed' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.published_questions_are_immutable()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- An insert is checked by the version's row as it stands; a cascade from a deleted draft finds no row.
  if exists (
    select from program_version v
    where v.program_version_id = case tg_op when 'INSERT' then new.program_version_id else old.program_version_id end
    and v.state <> 'DRAFT'
    and (
      current_setting('tributary.follow', true) is distinct from 'on'
      or exists (select from program p where p.program_id = v.program_id and p.civiform_name is null)
    )
  ) then
    raise exception 'the questions of a published program version are never changed' using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $function$;

CREATE OR REPLACE FUNCTION public.readable_state(of_program bigint, OUT applications bigint, OUT newest_submit_time timestamp with time zone, OUT change bigint, OUT change_time timestamp with time zone, OUT change_application bigint)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  select
    c.submissions - c.erased,
    (
      select a.submit_time
      from application a
      where a.program_id = of_program
      order by a.submit_time desc, a.submit_seq desc
      limit 1
    ),
    c.submit_seq, last.happened_at, last.application_id
  into applications, newest_submit_time, change, change_time, change_application
  from submission_counter c
  cross join change_at(c.program_id, c.submit_seq) last
  where c.program_id = of_program;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% rows are never changed or removed', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_early_forgetting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_early_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     -- What CiviForm has deleted goes here too, by the hand of the follower.
     or (old.followed and current_setting('tributary.follow', true) = 'on'
       and coalesce(pg_has_role(current_user, to_regrole('tributary_follower')::oid, 'member'), false))
     or exists (
    select from program
    where program_id = old.program_id
    and old.submit_time < clock_timestamp() - make_interval(days => retention_days)
  ) then
    return old;
  end if;
  raise exception 'this application has not expired' using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_following_own_programs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from program where civiform_name is null) then
    raise exception 'an installation with programs of its own follows no CiviForm' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_forgotten_submission()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce(pg_has_role(current_user, to_regrole('tributary_worker')::oid, 'member'), false)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     and exists (select from application where program_id = old.program_id and application_id = old.application_id) then
    raise exception 'the application of this submission is there' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_own_keys_to_follower()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  key_id constant text := case tg_op when 'DELETE' then old.api_key_id else new.api_key_id end;
begin
  if coalesce(pg_has_role(current_user, to_regrole('tributary_follower')::oid, 'member'), false)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     and not exists (select from api_key where api_key_id = key_id and civiform) then
    raise exception 'this is no key of a CiviForm' using errcode = 'insufficient_privilege';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_two_origins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.civiform_name is null and exists (select from civiform_source) then
    raise exception 'this installation follows a CiviForm, and has no programs of its own' using errcode = 'restrict_violation';
  end if;
  if new.civiform_name is not null and not exists (select from civiform_source) then
    raise exception 'this installation follows no CiviForm' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_unanchored_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') or exists (
    select from removed
    where audit_event_id not in (
      select passed.audit_event_id
      from audit_anchor a
      -- The limit, which no step of an anchor comes near, is for the plan: by the key, and never through all links.
      cross join lateral (
        select l.audit_event_id from audit_link l where l.chain = a.chain and l.link <= a.link order by l.link limit 10000
      ) passed
    )
  ) then
    raise exception '% rows are never changed or removed', tg_table_name using errcode = 'restrict_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_unanchored_unlinking()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member') or exists (
    select from removed r
    join audit_anchor a on a.chain = r.chain
    where r.link > a.link
  ) then
    raise exception '% rows are never changed or removed', tg_table_name using errcode = 'restrict_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.require_change(of_program bigint, change bigint, of_time timestamp with time zone, of_application bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  reached bigint;
  known record;
begin
  select c.submit_seq into reached from submission_counter c where c.program_id = of_program;
  if reached is null or reached < change then
    raise exception 'program % has come to change %, and not to %', of_program, reached, change using errcode = 'TB001';
  end if;
  if of_application is null then
    return true;
  end if;
  select * into known from change_at(of_program, change);
  if (coalesce(known.happened_at, 'epoch'), known.application_id) is distinct from (of_time, of_application) then
    raise exception 'change % of program % is not there, or is another one than it was', change, of_program using errcode = 'TB002';
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.require_place(holds boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  if holds is not true then
    raise exception 'the applications of this program are in another table' using errcode = 'TB003';
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.require_questions(of_program bigint, as_of timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  newest timestamptz := (select max(published_at) from program_version where program_id = of_program);
begin
  if exists (select from program_version where program_id = of_program and published_at = as_of) then
    return true;
  end if;
  raise exception 'program % has no publication of %, its newest is of %', of_program, as_of, newest
    using errcode = case when newest > as_of then 'TB004' else 'TB001' end;
end $function$;

CREATE OR REPLACE FUNCTION public.require_walk(of_program bigint, horizon bigint, last_seq bigint, last_time timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  reached bigint;
  newest record;
begin
  select c.submit_seq into reached from submission_counter c where c.program_id = of_program;
  select * into newest from last_submission(of_program, horizon);
  return check_walk(of_program, horizon, last_seq, last_time, reached, newest.submit_seq, newest.submit_time);
end $function$;

CREATE OR REPLACE FUNCTION public.stamp_audit_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  group_name constant text := case
    when new.actor like 'key:%' and new.action <> 'application_annotated' then 'tributary_service'
    when new.actor like 'key:%' or new.actor like 'admin:%' or new.actor like 'admin-token:%' or new.actor = 'nobody' then 'tributary_console'
    when new.actor = 'retention' then 'tributary_worker'
    when new.actor = 'civiform' then 'tributary_follower'
  end;
begin
  new.happened_at := clock_timestamp();
  new.database_user := session_user;
  if coalesce(pg_has_role(session_user, to_regrole(group_name)::oid, 'member'), false)
     or pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    return new;
  end if;
  raise exception 'this role does not act for %', new.actor using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION public.start_counter(of_program bigint, since timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into submission_counter (program_id, last_submit_time) values (of_program, since);
end $function$;

CREATE OR REPLACE FUNCTION public.store_application(of_program bigint, id bigint, of_applicant bigint, version bigint, created timestamp with time zone, submitted timestamp with time zone, number bigint, stored_snapshot text, stored_annotations text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  older bigint;
begin
  update application
  set superseded_seq = number
  where program_id = of_program and applicant_id = of_applicant and superseded_seq is null;
  get diagnostics older = row_count;
  if older > 1 then
    return false;
  end if;
  insert into application (
    program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, snapshot, annotations)
  values (of_program, id, of_applicant, version, created, submitted, number, stored_snapshot, stored_annotations);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.stored_application(of_program bigint, id bigint)
 RETURNS TABLE(application_id bigint, submit_time timestamp with time zone, submit_seq bigint, program_version_id bigint, snapshot text, annotations text, is_current boolean)
 LANGUAGE plpgsql
 STABLE ROWS 1
AS $function$
#variable_conflict use_column
begin
  return query
  select a.application_id, a.submit_time, a.submit_seq, a.program_version_id, a.snapshot, a.annotations, a.superseded_seq is null
  from application a
  where a.program_id = of_program and a.application_id = id;
end $function$;

CREATE OR REPLACE FUNCTION public.stored_revisions(of_program bigint, id bigint, after_id bigint, rows_max bigint)
 RETURNS TABLE(application_id bigint, submit_time timestamp with time zone, submit_seq bigint, program_version_id bigint, snapshot text, annotations text, is_current boolean, superseded_by bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  return query
  select theirs.application_id, theirs.submit_time, theirs.submit_seq, theirs.program_version_id, theirs.snapshot, theirs.annotations,
    theirs.superseded_seq is null,
    coalesce(
      (
        select newer.application_id
        from application newer
        where newer.program_id = of_program
        and newer.submit_seq = theirs.superseded_seq
        and newer.applicant_id = theirs.applicant_id
      ),
      (
        select newer.application_id
        from erased_application newer
        where newer.program_id = of_program
        and newer.submit_seq = theirs.superseded_seq
      )
    )
  from application one
  join application theirs on theirs.program_id = one.program_id and theirs.applicant_id = one.applicant_id
  where one.program_id = of_program
  and one.application_id = id
  and (after_id is null or (theirs.submit_time, theirs.submit_seq) >
    (select a.submit_time, a.submit_seq from application a where a.program_id = of_program and a.application_id = after_id))
  order by theirs.submit_time, theirs.submit_seq
  limit rows_max;
end $function$;

CREATE OR REPLACE FUNCTION public.submission_counter_goes_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.submit_seq < old.submit_seq or new.last_submit_time < old.last_submit_time then
    raise exception 'a submission counter never goes back' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.submissions_of(of_program bigint, OUT submissions bigint, OUT last_submit_time timestamp with time zone)
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
#variable_conflict use_column
begin
  select c.submissions, case when c.submissions > 0 then c.last_submit_time end into submissions, last_submit_time
  from submission_counter c
  where c.program_id = of_program;
end $function$;

CREATE OR REPLACE FUNCTION public.take_saved(of_program bigint, of_applicant bigint, OUT create_time timestamp with time zone, OUT answers text, OUT was_saved boolean, OUT paused_seconds double precision)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
begin
  select
    exists (select from application_in_progress a where a.program_id = c.program_id and a.applicant_id = of_applicant),
    case when c.intake_paused_until > present_time() then extract(epoch from c.intake_paused_until - present_time()) end
  into was_saved, paused_seconds
  from submission_counter c
  where c.program_id = of_program;
  delete from application_in_progress a
  where a.program_id = of_program and a.applicant_id = of_applicant
  returning a.create_time, a.answers into create_time, answers;
end $function$;

CREATE OR REPLACE FUNCTION public.walk_start(of_program bigint)
 RETURNS TABLE(horizon bigint, last_submit_time timestamp with time zone, submit_time timestamp with time zone, submit_seq bigint, change_time timestamp with time zone, change_application bigint, last_published_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select
    c.submit_seq,
    least(c.last_submit_time, c.loading_from - interval '1 microsecond'),
    newest.submit_time,
    newest.submit_seq,
    last.happened_at,
    last.application_id,
    (select max(v.published_at) from program_version v where v.program_id = of_program)
  from submission_counter c
  cross join last_submission(c.program_id, c.submit_seq) newest
  cross join change_at(c.program_id, c.submit_seq) last
  where c.program_id = of_program
$function$;

create table admin_token (
  admin_token_id text not null,
  person_id bigint not null,
  name text not null,
  token_hash bytea not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  retired_at timestamp with time zone,
  retired_by text,
  last_used_at timestamp with time zone,
  last_used_address inet,
  constraint admin_token_pkey PRIMARY KEY (admin_token_id),
  constraint admin_token_token_hash_key UNIQUE (token_hash),
  constraint admin_token_admin_token_id_check CHECK ((admin_token_id ~ '^tribat_[0-9A-Za-z]{20}$'::text)),
  constraint admin_token_check CHECK (((expires_at > created_at) AND (expires_at <= (created_at + '366 days'::interval)))),
  constraint admin_token_check1 CHECK (((retired_at IS NULL) = (retired_by IS NULL))),
  constraint admin_token_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint admin_token_scopes_check CHECK ((cardinality(scopes) > 0)),
  constraint admin_token_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

create table api_key (
  api_key_id text not null,
  name text not null,
  secret_hash bytea not null,
  earlier_secret_hash bytea,
  earlier_secret_until timestamp with time zone,
  may_export boolean not null,
  may_submit boolean not null,
  may_annotate boolean default false not null,
  front_end text,
  expires_at timestamp with time zone not null,
  expiry_set_at timestamp with time zone default now() not null,
  allowed_subnets cidr[] not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  retired_at timestamp with time zone,
  retired_by text,
  exposed_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_address inet,
  hidden_questions text[] default '{}'::text[] not null,
  civiform boolean default false not null,
  constraint api_key_pkey PRIMARY KEY (api_key_id),
  constraint api_key_allowed_subnets_check CHECK ((cardinality(allowed_subnets) > 0)),
  constraint api_key_check CHECK ((may_export OR may_submit)),
  constraint api_key_check1 CHECK (((NOT may_annotate) OR may_export)),
  constraint api_key_check2 CHECK (((NOT may_submit) OR (hidden_questions = '{}'::text[]))),
  constraint api_key_check3 CHECK ((may_submit = (front_end IS NOT NULL))),
  constraint api_key_check4 CHECK ((civiform OR ((expires_at > created_at) AND (expires_at <= (expiry_set_at + '366 days'::interval))))),
  constraint api_key_check5 CHECK (((NOT civiform) OR (NOT (may_submit OR may_annotate OR (hidden_questions <> '{}'::text[]))))),
  constraint api_key_check6 CHECK (((retired_at IS NULL) = (retired_by IS NULL))),
  constraint api_key_check7 CHECK (((earlier_secret_hash IS NULL) = (earlier_secret_until IS NULL))),
  constraint api_key_earlier_secret_hash_check CHECK ((octet_length(earlier_secret_hash) = 32)),
  constraint api_key_front_end_check CHECK (((front_end <> ''::text) AND (length(front_end) <= 100))),
  constraint api_key_hidden_questions_check CHECK ((cardinality(hidden_questions) <= 100)),
  constraint api_key_name_check CHECK ((name <> ''::text)),
  constraint api_key_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);

create table api_key_day (
  api_key_id text not null,
  day date not null,
  pages bigint not null,
  applications bigint not null,
  constraint api_key_day_pkey PRIMARY KEY (api_key_id, day)
);

create table api_key_program (
  api_key_id text not null,
  program_id bigint not null,
  constraint api_key_program_pkey PRIMARY KEY (api_key_id, program_id)
);

create table applicant (
  applicant_id bigint generated by default as identity not null,
  language text not null,
  front_end text,
  created_at timestamp with time zone default now() not null,
  updated_at timestamp with time zone default now() not null,
  constraint applicant_pkey PRIMARY KEY (applicant_id),
  constraint applicant_front_end_check CHECK (((front_end <> ''::text) AND (length(front_end) <= 100))),
  constraint applicant_language_check CHECK (((language <> ''::text) AND (length(language) <= 100)))
);

create table application (
  program_id bigint not null,
  application_id bigint generated by default as identity not null,
  applicant_id bigint not null,
  program_version_id bigint not null,
  create_time timestamp with time zone not null,
  submit_time timestamp with time zone not null,
  submit_seq bigint not null,
  superseded_seq bigint,
  status text,
  status_last_modified_time timestamp with time zone,
  application_note text,
  snapshot text not null,
  annotations text not null,
  followed boolean default false not null,
  constraint application_pkey PRIMARY KEY (program_id, application_id),
  constraint application_program_id_submit_seq_key UNIQUE (program_id, submit_seq),
  constraint application_check CHECK ((superseded_seq > submit_seq)),
  constraint application_check1 CHECK ((followed OR (create_time <= submit_time))),
  constraint application_check2 CHECK (((submit_time >= '1900-01-01 00:00:00+00'::timestamp with time zone) OR (followed AND (submit_time = '1899-12-31 23:59:59.999999+00'::timestamp with time zone)))),
  constraint application_check3 CHECK ((followed OR (status IS NULL) OR (status_last_modified_time IS NOT NULL))),
  constraint application_submit_seq_check CHECK ((submit_seq > 0))
) with (toast_tuple_target=8160);
alter table application alter column snapshot set storage external;

create table application_annotation (
  program_id bigint not null,
  application_id bigint not null,
  annotation_id bigint generated always as identity not null,
  changed_at timestamp with time zone not null,
  changed_by text not null,
  status text,
  application_note text,
  sets_status boolean default false not null,
  sets_note boolean default false not null,
  change_seq bigint,
  constraint application_annotation_pkey PRIMARY KEY (program_id, application_id, annotation_id),
  constraint application_annotation_check CHECK (((change_seq IS NOT NULL) = (sets_status OR sets_note)))
);

create table application_in_progress (
  program_id bigint not null,
  applicant_id bigint not null,
  create_time timestamp with time zone not null,
  answers text not null,
  updated_at timestamp with time zone not null,
  constraint application_in_progress_pkey PRIMARY KEY (program_id, applicant_id)
);

create table audit_anchor (
  chain smallint not null,
  link bigint default 0 not null,
  hash bytea default decode(repeat('00'::text, 32), 'hex'::text) not null,
  constraint audit_anchor_pkey PRIMARY KEY (chain),
  constraint audit_anchor_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_anchor_link_check CHECK ((link >= 0))
);

create table audit_chain (
  chain smallint not null,
  links bigint default 0 not null,
  hash bytea default decode(repeat('00'::text, 32), 'hex'::text) not null,
  constraint audit_chain_pkey PRIMARY KEY (chain),
  constraint audit_chain_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_chain_links_check CHECK ((links >= 0))
) with (fillfactor=20);

create table audit_check (
  chain smallint not null,
  link bigint default 0 not null,
  hash bytea default decode(repeat('00'::text, 32), 'hex'::text) not null,
  round_ended_at timestamp with time zone,
  fault text,
  constraint audit_check_pkey PRIMARY KEY (chain),
  constraint audit_check_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_check_link_check CHECK ((link >= 0))
);

create table audit_event (
  audit_event_id bigint generated always as identity not null,
  happened_at timestamp with time zone default clock_timestamp() not null,
  actor text not null,
  action text not null,
  subject text not null,
  address inet,
  detail jsonb default '{}'::jsonb not null,
  database_user text default SESSION_USER not null,
  constraint audit_event_pkey PRIMARY KEY (audit_event_id)
);

create table audit_link (
  chain smallint not null,
  link bigint not null,
  audit_event_id bigint not null,
  hash bytea not null,
  constraint audit_link_pkey PRIMARY KEY (chain, link),
  constraint audit_link_chain_check CHECK (((chain >= 0) AND (chain <= 7))),
  constraint audit_link_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_link_link_check CHECK ((link > 0))
);

create table audit_segment (
  chain smallint not null,
  link bigint not null,
  hash bytea not null,
  file text not null,
  recorded_at timestamp with time zone default clock_timestamp() not null,
  constraint audit_segment_pkey PRIMARY KEY (chain, link),
  constraint audit_segment_file_check CHECK ((file <> ''::text)),
  constraint audit_segment_hash_check CHECK ((octet_length(hash) = 32))
);

create table bulk_load (
  load_id bigint generated always as identity not null,
  digest bytea not null,
  source text not null,
  front_end text,
  applications bigint not null,
  stored bigint default 0 not null,
  begun_at timestamp with time zone default clock_timestamp() not null,
  begun_by text not null,
  ended_at timestamp with time zone,
  constraint bulk_load_pkey PRIMARY KEY (load_id),
  constraint bulk_load_applications_check CHECK ((applications > 0)),
  constraint bulk_load_check CHECK (((stored >= 0) AND (stored <= applications))),
  constraint bulk_load_check1 CHECK (((stored < applications) OR (ended_at IS NOT NULL))),
  constraint bulk_load_digest_check CHECK ((octet_length(digest) = 32)),
  constraint bulk_load_front_end_check CHECK ((front_end <> ''::text))
);

create table bulk_load_program (
  load_id bigint not null,
  program_id bigint not null,
  applications bigint not null,
  stored bigint default 0 not null,
  under_way boolean default true not null,
  constraint bulk_load_program_pkey PRIMARY KEY (load_id, program_id),
  constraint bulk_load_program_applications_check CHECK ((applications > 0)),
  constraint bulk_load_program_check CHECK (((stored >= 0) AND (stored <= applications)))
);

create table civiform_application (
  program_id bigint not null,
  application_id bigint not null,
  row_version bigint not null,
  applicant_id bigint,
  stage text not null,
  submitted_at timestamp with time zone,
  superseded boolean not null,
  constraint civiform_application_pkey PRIMARY KEY (application_id),
  constraint civiform_application_program_id_application_id_key UNIQUE (program_id, application_id),
  constraint civiform_application_stage_check CHECK ((stage = ANY (ARRAY['active'::text, 'obsolete'::text])))
);

create table civiform_change (
  change_id bigint generated always as identity not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  program_id bigint not null,
  application_id bigint not null,
  what text not null,
  constraint civiform_change_pkey PRIMARY KEY (change_id),
  constraint civiform_change_what_check CHECK ((what = ANY (ARRAY['status'::text, 'note'::text, 'answers'::text, 'applicant'::text, 'superseded'::text, 'deleted'::text, 'late'::text, 'returned'::text])))
);

create table civiform_finding (
  kind text not null,
  subject text not null,
  detail text not null,
  first_seen_at timestamp with time zone default clock_timestamp() not null,
  last_seen_at timestamp with time zone default clock_timestamp() not null,
  constraint civiform_finding_pkey PRIMARY KEY (kind, subject),
  constraint civiform_finding_kind_check CHECK ((kind <> ''::text))
);

create table civiform_source (
  only_row boolean default true not null,
  identity text not null,
  rendering text not null,
  evolution bigint,
  timeline bigint,
  written bigint,
  incarnation text,
  application_ids bigint,
  event_ids bigint,
  set_back_seen text,
  set_backs bigint default 0 not null,
  set_back_at timestamp with time zone,
  position_time timestamp with time zone,
  position_id bigint default 0 not null,
  watermark timestamp with time zone,
  first_copied_at timestamp with time zone,
  slack_ms integer not null,
  slack_widened_at timestamp with time zone,
  late_applications bigint default 0 not null,
  scan_after bigint default 0 not null,
  scan_whole boolean default false not null,
  scan_begun_at timestamp with time zone,
  scan_ended_at timestamp with time zone,
  whole_scan_ended_at timestamp with time zone,
  event_after bigint default 0 not null,
  catalogue text,
  organizations text,
  reached_at timestamp with time zone,
  last_error text,
  held_since timestamp with time zone,
  deletions_accepted_until timestamp with time zone,
  constraint civiform_source_pkey PRIMARY KEY (only_row),
  constraint civiform_source_identity_check CHECK ((identity <> ''::text)),
  constraint civiform_source_only_row_check CHECK (only_row),
  constraint civiform_source_slack_ms_check CHECK ((slack_ms >= 0))
);

create table console_session (
  token_hash bytea not null,
  person_id bigint not null,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  confirmed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  address inet,
  constraint console_session_pkey PRIMARY KEY (token_hash),
  constraint console_session_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

create table database_history (
  number integer not null,
  history_id uuid default gen_random_uuid() not null,
  place text not null,
  noticed_at timestamp with time zone default clock_timestamp() not null,
  constraint database_history_pkey PRIMARY KEY (number)
);

create table derived_status (
  program_version_id bigint not null,
  job_name text not null,
  state text not null,
  requested bigint not null,
  fulfilled bigint default 0 not null,
  attempts integer default 0 not null,
  code_version integer,
  last_error text,
  asked_at timestamp with time zone default clock_timestamp() not null,
  updated_at timestamp with time zone default clock_timestamp() not null,
  constraint derived_status_pkey PRIMARY KEY (program_version_id, job_name),
  constraint derived_status_attempts_check CHECK ((attempts >= 0)),
  constraint derived_status_check CHECK (((fulfilled >= 0) AND (fulfilled <= requested))),
  constraint derived_status_check1 CHECK (((state <> 'done'::text) OR (fulfilled = requested))),
  constraint derived_status_check2 CHECK (((state <> 'failed'::text) OR (last_error IS NOT NULL))),
  constraint derived_status_job_name_check CHECK ((job_name = ANY (ARRAY['refresh-key-map'::text, 'refresh-docs-example'::text]))),
  constraint derived_status_requested_check CHECK ((requested >= 0)),
  constraint derived_status_state_check CHECK ((state = ANY (ARRAY['missing'::text, 'queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

create table docs_example (
  program_version_id bigint not null,
  code_version integer not null,
  content json not null,
  produced_at timestamp with time zone default clock_timestamp() not null,
  duration_ms double precision not null,
  constraint docs_example_pkey PRIMARY KEY (program_version_id),
  constraint docs_example_code_version_check CHECK ((code_version > 0)),
  constraint docs_example_duration_ms_check CHECK ((duration_ms >= (0)::double precision))
);

create table erased_application (
  program_id bigint not null,
  application_id bigint not null,
  submit_seq bigint not null,
  submit_time timestamp with time zone not null,
  erased_at timestamp with time zone default clock_timestamp() not null,
  change_seq bigint not null,
  constraint erased_application_pkey PRIMARY KEY (program_id, application_id, submit_seq),
  constraint erased_application_program_id_change_seq_key UNIQUE (program_id, change_seq),
  constraint erased_application_program_id_submit_seq_key UNIQUE (program_id, submit_seq),
  constraint erased_application_check CHECK ((change_seq > submit_seq))
);

create table erased_change (
  program_id bigint not null,
  change_seq bigint not null,
  application_id bigint not null,
  happened_at timestamp with time zone,
  constraint erased_change_pkey PRIMARY KEY (program_id, change_seq)
);

create table instance (
  only_row boolean default true not null,
  time_zone text not null,
  oldest_release text not null,
  constraint instance_pkey PRIMARY KEY (only_row),
  constraint instance_oldest_release_check CHECK ((oldest_release ~ '^\d+\.\d+\.\d+$'::text)),
  constraint instance_only_row_check CHECK (only_row)
);

create table intermediary (
  intermediary_id bigint generated by default as identity not null,
  organization_id bigint not null,
  email text not null,
  email_folded text not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  disabled_at timestamp with time zone,
  disabled_by text,
  constraint intermediary_pkey PRIMARY KEY (intermediary_id),
  constraint intermediary_organization_id_email_folded_key UNIQUE (organization_id, email_folded),
  constraint intermediary_check CHECK (((disabled_at IS NULL) = (disabled_by IS NULL))),
  constraint intermediary_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254)))
);

create table intermediary_organization (
  organization_id bigint generated by default as identity not null,
  name text not null,
  name_folded text not null,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  disabled_at timestamp with time zone,
  disabled_by text,
  constraint intermediary_organization_pkey PRIMARY KEY (organization_id),
  constraint intermediary_organization_name_folded_key UNIQUE (name_folded),
  constraint intermediary_organization_check CHECK (((disabled_at IS NULL) = (disabled_by IS NULL))),
  constraint intermediary_organization_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200)))
);

create table invitation (
  person_id bigint not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  expires_at timestamp with time zone not null,
  constraint invitation_pkey PRIMARY KEY (person_id),
  constraint invitation_token_hash_key UNIQUE (token_hash),
  constraint invitation_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

create table loaded_ids (
  page bigint not null,
  ids bit(512) not null,
  constraint loaded_ids_pkey PRIMARY KEY (page)
);

create table outbox (
  outbox_id bigint generated always as identity not null,
  job_name text not null,
  job_id text not null,
  payload jsonb not null,
  traceparent text,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint outbox_pkey PRIMARY KEY (outbox_id),
  constraint outbox_job_id_key UNIQUE (job_id),
  constraint outbox_job_id_check CHECK ((job_id <> ''::text)),
  constraint outbox_job_name_check CHECK ((job_name <> ''::text)),
  constraint outbox_traceparent_check CHECK ((length(traceparent) <= 100))
);

create table person (
  person_id bigint generated by default as identity not null,
  email text not null,
  email_folded text not null,
  name text not null,
  role text not null,
  password_hash text,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  disabled_at timestamp with time zone,
  disabled_by text,
  last_signed_in_at timestamp with time zone,
  constraint person_pkey PRIMARY KEY (person_id),
  constraint person_email_folded_key UNIQUE (email_folded),
  constraint person_check CHECK (((disabled_at IS NULL) = (disabled_by IS NULL))),
  constraint person_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint person_name_check CHECK (((length(name) >= 1) AND (length(name) <= 200))),
  constraint person_role_check CHECK ((role = ANY (ARRAY['ADMINISTRATOR'::text, 'PROGRAM_ADMINISTRATOR'::text, 'AUDITOR'::text])))
);

create table person_identity (
  issuer text not null,
  subject text not null,
  person_id bigint not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint person_identity_pkey PRIMARY KEY (issuer, subject),
  constraint person_identity_person_id_issuer_key UNIQUE (person_id, issuer),
  constraint person_identity_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2000))),
  constraint person_identity_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);

create table person_program (
  person_id bigint not null,
  program_id bigint not null,
  constraint person_program_pkey PRIMARY KEY (person_id, program_id)
);

create table program (
  program_id bigint generated by default as identity not null,
  slug text not null,
  display_name text not null,
  statuses text[] default '{}'::text[] not null,
  retention_days integer,
  created_at timestamp with time zone default now() not null,
  civiform_name text,
  constraint program_pkey PRIMARY KEY (program_id),
  constraint program_civiform_name_key UNIQUE (civiform_name),
  constraint program_slug_key UNIQUE (slug),
  constraint program_civiform_name_check CHECK ((civiform_name <> ''::text)),
  constraint program_display_name_check CHECK ((display_name <> ''::text)),
  constraint program_retention_days_check CHECK (((retention_days >= 1) AND (retention_days <= 36500))),
  constraint program_slug_check CHECK (((slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'::text) AND (length(slug) <= 100)))
);

create table program_key_map (
  program_version_id bigint not null,
  code_version integer not null,
  content json not null,
  produced_at timestamp with time zone default clock_timestamp() not null,
  duration_ms double precision not null,
  constraint program_key_map_pkey PRIMARY KEY (program_version_id),
  constraint program_key_map_code_version_check CHECK ((code_version > 0)),
  constraint program_key_map_duration_ms_check CHECK ((duration_ms >= (0)::double precision))
);

create table program_version (
  program_version_id bigint generated by default as identity not null,
  program_id bigint not null,
  state text not null,
  screens jsonb not null,
  display_name text not null,
  statuses text[] not null,
  based_on bigint,
  created_at timestamp with time zone default now() not null,
  created_by text not null,
  published_at timestamp with time zone,
  published_by text,
  constraint program_version_pkey PRIMARY KEY (program_version_id),
  constraint program_version_program_id_program_version_id_key UNIQUE (program_id, program_version_id),
  constraint program_version_check CHECK (((state = 'DRAFT'::text) = (published_at IS NULL))),
  constraint program_version_check1 CHECK (((published_at IS NULL) = (published_by IS NULL))),
  constraint program_version_display_name_check CHECK ((display_name <> ''::text)),
  constraint program_version_screens_check CHECK ((jsonb_typeof(screens) = 'array'::text)),
  constraint program_version_state_check CHECK ((state = ANY (ARRAY['DRAFT'::text, 'ACTIVE'::text, 'OBSOLETE'::text])))
);

create table program_version_question (
  program_version_id bigint not null,
  question_id bigint not null,
  question_version_id bigint not null,
  position integer not null,
  constraint program_version_question_pkey PRIMARY KEY (program_version_id, question_id),
  constraint program_version_question_program_version_id_position_key UNIQUE (program_version_id, "position")
);

create table question (
  question_id bigint generated by default as identity not null,
  admin_name text not null,
  question_key text not null,
  question_key_folded text not null,
  kind text not null,
  enumerator_id bigint,
  enumerator_kind text generated always as (
CASE
    WHEN (enumerator_id IS NULL) THEN NULL::text
    ELSE 'ENUMERATOR'::text
END) stored,
  created_at timestamp with time zone default now() not null,
  key_rule text default 'contract'::text not null,
  constraint question_pkey PRIMARY KEY (question_id),
  constraint question_admin_name_key UNIQUE (admin_name),
  constraint question_question_id_kind_key UNIQUE (question_id, kind),
  constraint question_admin_name_check CHECK (((admin_name <> ''::text) AND (length(admin_name) <= 200))),
  constraint question_check CHECK ((enumerator_id <> question_id)),
  constraint question_key_rule_check CHECK ((key_rule = ANY (ARRAY['contract'::text, 'civiform'::text]))),
  constraint question_kind_check CHECK ((kind = ANY (ARRAY['ADDRESS'::text, 'CHECKBOX'::text, 'CURRENCY'::text, 'DATE'::text, 'DROPDOWN'::text, 'EMAIL'::text, 'ENUMERATOR'::text, 'FILE_UPLOAD'::text, 'ID'::text, 'MAP'::text, 'NAME'::text, 'NUMBER'::text, 'PHONE'::text, 'RADIO'::text, 'STATIC'::text, 'TEXT'::text]))),
  constraint question_question_key_check CHECK (((question_key <> ''::text) AND ((key_rule = 'civiform'::text) OR (question_key <> ALL (ARRAY['entity_name'::text, 'question_type'::text]))))),
  constraint question_question_key_folded_check CHECK ((question_key_folded <> ''::text))
);

create table question_version (
  question_version_id bigint generated by default as identity not null,
  question_id bigint not null,
  version_number integer not null,
  settings jsonb not null,
  created_at timestamp with time zone default now() not null,
  based_on bigint,
  constraint question_version_pkey PRIMARY KEY (question_version_id),
  constraint question_version_question_id_question_version_id_key UNIQUE (question_id, question_version_id),
  constraint question_version_question_id_version_number_key UNIQUE (question_id, version_number),
  constraint question_version_settings_check CHECK ((jsonb_typeof(settings) = 'object'::text)),
  constraint question_version_version_number_check CHECK ((version_number >= 1))
);

create table refusal (
  refusal_id bigint generated always as identity not null,
  request_id uuid not null,
  happened_at timestamp with time zone not null,
  reason text not null,
  api_key_id text,
  address inet,
  path text not null,
  constraint refusal_pkey PRIMARY KEY (refusal_id),
  constraint refusal_request_id_key UNIQUE (request_id)
);

create table schema_migration (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migration_pkey PRIMARY KEY (name)
);

create table skipped_ids (
  sequence_name text not null,
  first_id bigint not null,
  last_id bigint not null,
  constraint skipped_ids_pkey PRIMARY KEY (sequence_name, first_id),
  constraint skipped_ids_check CHECK ((last_id >= first_id))
);

create table submission_counter (
  program_id bigint not null,
  submit_seq bigint default 0 not null,
  submissions bigint default 0 not null,
  erased bigint default 0 not null,
  last_submit_time timestamp with time zone default now() not null,
  intake_paused_until timestamp with time zone,
  loading_from timestamp with time zone,
  constraint submission_counter_pkey PRIMARY KEY (program_id),
  constraint submission_counter_check CHECK (((erased >= 0) AND (erased <= submissions))),
  constraint submission_counter_submit_seq_check CHECK ((submit_seq >= 0))
) with (fillfactor=20);

create table submission_request (
  program_id bigint not null,
  api_key_id text not null,
  idempotency_key text not null,
  applicant_id bigint not null,
  request_hash bytea not null,
  application_id bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint submission_request_pkey PRIMARY KEY (program_id, api_key_id, idempotency_key),
  constraint submission_request_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 200)))
);

create table worker_beat (
  worker_id uuid not null,
  beat_at timestamp with time zone default clock_timestamp() not null,
  constraint worker_beat_pkey PRIMARY KEY (worker_id)
);

CREATE INDEX admin_token_by_person ON public.admin_token USING btree (person_id);

CREATE UNIQUE INDEX application_annotation_by_change ON public.application_annotation USING btree (program_id, change_seq) WHERE (change_seq IS NOT NULL);

CREATE INDEX application_by_applicant ON public.application USING btree (applicant_id, program_id);

CREATE INDEX application_by_status ON public.application USING btree (program_id, COALESCE(status, ''::text), submit_time, submit_seq, COALESCE(superseded_seq, '9223372036854775807'::bigint));

CREATE INDEX application_in_progress_by_applicant ON public.application_in_progress USING btree (applicant_id);

CREATE UNIQUE INDEX application_one_current ON public.application USING btree (program_id, applicant_id, (
CASE
    WHEN followed THEN application_id
    ELSE (0)::bigint
END)) WHERE (superseded_seq IS NULL);

CREATE INDEX application_superseded ON public.application USING btree (program_id, superseded_seq) WHERE (superseded_seq IS NOT NULL);

CREATE INDEX application_walk ON public.application USING btree (program_id, submit_time, submit_seq, COALESCE(superseded_seq, '9223372036854775807'::bigint));

CREATE INDEX audit_event_by_action ON public.audit_event USING btree (action, happened_at, audit_event_id);

CREATE INDEX audit_event_by_actor ON public.audit_event USING btree (actor, happened_at, audit_event_id);

CREATE INDEX audit_event_by_subject ON public.audit_event USING btree (subject, happened_at, audit_event_id);

CREATE INDEX audit_event_by_submissions ON public.audit_event USING gist (int8range(((detail ->> 'after_micros'::text))::bigint, ((detail ->> 'last_micros'::text))::bigint, '[]'::text)) WHERE (action = 'applications_exported'::text);

CREATE INDEX audit_event_by_time ON public.audit_event USING btree (happened_at, audit_event_id);

CREATE UNIQUE INDEX bulk_load_by_digest ON public.bulk_load USING btree (digest) WHERE ((ended_at IS NULL) OR (stored > 0));

CREATE UNIQUE INDEX bulk_load_program_under_way ON public.bulk_load_program USING btree (program_id) WHERE under_way;

CREATE INDEX civiform_application_by_applicant ON public.civiform_application USING btree (applicant_id) WHERE (NOT superseded);

CREATE INDEX civiform_application_waiting ON public.civiform_application USING btree (program_id) WHERE ((stage = 'obsolete'::text) AND (NOT superseded));

CREATE INDEX civiform_change_by_application ON public.civiform_change USING btree (application_id);

CREATE INDEX console_session_by_person ON public.console_session USING btree (person_id);

CREATE INDEX derived_status_unfinished ON public.derived_status USING btree (updated_at) WHERE (state <> 'done'::text);

CREATE INDEX program_version_by_based_on ON public.program_version USING btree (based_on) WHERE (based_on IS NOT NULL);

CREATE INDEX program_version_by_publication ON public.program_version USING btree (program_id, published_at);

CREATE UNIQUE INDEX program_version_one_active ON public.program_version USING btree (program_id) WHERE (state = 'ACTIVE'::text);

CREATE UNIQUE INDEX program_version_one_draft ON public.program_version USING btree (program_id) WHERE (state = 'DRAFT'::text);

CREATE INDEX program_version_question_by_question ON public.program_version_question USING btree (question_id, question_version_id);

CREATE INDEX question_by_civiform_key ON public.question USING btree (question_key) WHERE (key_rule = 'civiform'::text);

CREATE INDEX question_by_enumerator ON public.question USING btree (enumerator_id) WHERE (enumerator_id IS NOT NULL);

CREATE UNIQUE INDEX question_enumerator_id_question_key_folded_key ON public.question USING btree (enumerator_id, question_key_folded) NULLS NOT DISTINCT WHERE (key_rule = 'contract'::text);

CREATE INDEX question_version_by_based_on ON public.question_version USING btree (based_on) WHERE (based_on IS NOT NULL);

CREATE INDEX refusal_by_age ON public.refusal USING btree (happened_at);

CREATE INDEX refusal_by_key ON public.refusal USING btree (api_key_id, refusal_id) WHERE (api_key_id IS NOT NULL);

CREATE INDEX submission_request_by_applicant ON public.submission_request USING btree (applicant_id);

alter table admin_token add constraint admin_token_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(person_id);

alter table api_key_program add constraint api_key_program_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(api_key_id);

alter table api_key_program add constraint api_key_program_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table application add constraint application_applicant_id_fkey FOREIGN KEY (applicant_id) REFERENCES applicant(applicant_id);

alter table application add constraint application_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table application add constraint application_program_id_program_version_id_fkey FOREIGN KEY (program_id, program_version_id) REFERENCES program_version(program_id, program_version_id);

alter table application_annotation add constraint application_annotation_program_id_application_id_fkey FOREIGN KEY (program_id, application_id) REFERENCES application(program_id, application_id) ON DELETE CASCADE;

alter table application_in_progress add constraint application_in_progress_applicant_id_fkey FOREIGN KEY (applicant_id) REFERENCES applicant(applicant_id);

alter table application_in_progress add constraint application_in_progress_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table audit_anchor add constraint audit_anchor_chain_fkey FOREIGN KEY (chain) REFERENCES audit_chain(chain);

alter table audit_check add constraint audit_check_chain_fkey FOREIGN KEY (chain) REFERENCES audit_chain(chain);

alter table audit_segment add constraint audit_segment_chain_fkey FOREIGN KEY (chain) REFERENCES audit_chain(chain);

alter table bulk_load_program add constraint bulk_load_program_load_id_fkey FOREIGN KEY (load_id) REFERENCES bulk_load(load_id);

alter table bulk_load_program add constraint bulk_load_program_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table civiform_application add constraint civiform_application_program_id_application_id_fkey FOREIGN KEY (program_id, application_id) REFERENCES application(program_id, application_id) ON DELETE CASCADE;

alter table console_session add constraint console_session_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(person_id);

alter table derived_status add constraint derived_status_program_version_id_fkey FOREIGN KEY (program_version_id) REFERENCES program_version(program_version_id) ON DELETE CASCADE;

alter table docs_example add constraint docs_example_program_version_id_fkey FOREIGN KEY (program_version_id) REFERENCES program_version(program_version_id) ON DELETE CASCADE;

alter table erased_application add constraint erased_application_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table erased_change add constraint erased_change_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table intermediary add constraint intermediary_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES intermediary_organization(organization_id);

alter table invitation add constraint invitation_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(person_id);

alter table person_identity add constraint person_identity_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(person_id);

alter table person_program add constraint person_program_person_id_fkey FOREIGN KEY (person_id) REFERENCES person(person_id);

alter table person_program add constraint person_program_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table program_key_map add constraint program_key_map_program_version_id_fkey FOREIGN KEY (program_version_id) REFERENCES program_version(program_version_id) ON DELETE CASCADE;

alter table program_version add constraint program_version_based_on_fkey FOREIGN KEY (based_on) REFERENCES program_version(program_version_id);

alter table program_version add constraint program_version_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table program_version_question add constraint program_version_question_program_version_id_fkey FOREIGN KEY (program_version_id) REFERENCES program_version(program_version_id) ON DELETE CASCADE;

alter table program_version_question add constraint program_version_question_question_id_fkey FOREIGN KEY (question_id) REFERENCES question(question_id);

alter table program_version_question add constraint program_version_question_question_id_question_version_id_fkey FOREIGN KEY (question_id, question_version_id) REFERENCES question_version(question_id, question_version_id);

alter table question add constraint question_enumerator_id_enumerator_kind_fkey FOREIGN KEY (enumerator_id, enumerator_kind) REFERENCES question(question_id, kind);

alter table question_version add constraint question_version_based_on_fkey FOREIGN KEY (based_on) REFERENCES question_version(question_version_id);

alter table question_version add constraint question_version_question_id_fkey FOREIGN KEY (question_id) REFERENCES question(question_id);

alter table submission_counter add constraint submission_counter_program_id_fkey FOREIGN KEY (program_id) REFERENCES program(program_id);

alter table submission_request add constraint submission_request_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(api_key_id);

CREATE TRIGGER admin_token_is_kept BEFORE DELETE ON admin_token FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER api_key_is_not_the_followers AFTER INSERT OR UPDATE OF name, secret_hash, expires_at, allowed_subnets, retired_at, retired_by ON api_key FOR EACH ROW EXECUTE FUNCTION refuse_own_keys_to_follower();

CREATE TRIGGER api_key_program_is_not_the_followers AFTER INSERT OR DELETE OR UPDATE ON api_key_program FOR EACH ROW EXECUTE FUNCTION refuse_own_keys_to_follower();

CREATE TRIGGER application_is_kept BEFORE DELETE ON application FOR EACH ROW EXECUTE FUNCTION refuse_early_removal();

CREATE TRIGGER application_leaves_tombstone AFTER DELETE ON application REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION leave_tombstone();

CREATE TRIGGER application_snapshot_is_immutable BEFORE UPDATE ON application FOR EACH ROW EXECUTE FUNCTION application_snapshot_is_immutable();

CREATE TRIGGER application_annotation_is_history BEFORE UPDATE ON application_annotation FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER application_annotation_is_kept BEFORE DELETE ON application_annotation FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();

CREATE TRIGGER application_annotation_is_numbered BEFORE INSERT ON application_annotation FOR EACH ROW WHEN (new.change_seq IS NOT NULL) EXECUTE FUNCTION check_change_number();

CREATE TRIGGER application_annotation_leaves_change AFTER DELETE ON application_annotation FOR EACH ROW WHEN (old.change_seq IS NOT NULL) EXECUTE FUNCTION leave_change();

CREATE TRIGGER application_in_progress_is_kept BEFORE DELETE ON application_in_progress FOR EACH ROW EXECUTE FUNCTION refuse_early_forgetting();

CREATE TRIGGER audit_anchor_is_checked BEFORE UPDATE ON audit_anchor FOR EACH ROW EXECUTE FUNCTION check_audit_anchor();

CREATE TRIGGER audit_anchor_is_kept BEFORE DELETE ON audit_anchor FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_anchor_is_never_emptied BEFORE TRUNCATE ON audit_anchor FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_event_is_history BEFORE UPDATE ON audit_event FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_event_is_kept AFTER DELETE ON audit_event REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION refuse_unanchored_removal();

CREATE CONSTRAINT TRIGGER audit_event_is_linked AFTER INSERT ON audit_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION link_audit_event();

CREATE TRIGGER audit_event_is_never_emptied BEFORE TRUNCATE ON audit_event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_event_is_stamped BEFORE INSERT ON audit_event FOR EACH ROW EXECUTE FUNCTION stamp_audit_event();

CREATE TRIGGER export_is_counted AFTER INSERT ON audit_event FOR EACH ROW WHEN (new.action = 'applications_exported'::text AND new.actor ~~ 'key:%'::text) EXECUTE FUNCTION count_export();

CREATE TRIGGER audit_link_is_history BEFORE UPDATE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_link_is_kept AFTER DELETE ON audit_link REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION refuse_unanchored_unlinking();

CREATE TRIGGER audit_link_is_never_emptied BEFORE TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_segment_is_checked BEFORE INSERT ON audit_segment FOR EACH ROW EXECUTE FUNCTION check_audit_segment();

CREATE TRIGGER audit_segment_is_history BEFORE DELETE OR UPDATE ON audit_segment FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_segment_is_never_emptied BEFORE TRUNCATE ON audit_segment FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER civiform_change_is_history BEFORE DELETE OR UPDATE ON civiform_change FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER civiform_source_is_alone BEFORE INSERT ON civiform_source FOR EACH ROW EXECUTE FUNCTION refuse_following_own_programs();

CREATE TRIGGER erased_application_is_history BEFORE DELETE OR UPDATE ON erased_application FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER erased_change_is_history BEFORE DELETE OR UPDATE ON erased_change FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER intermediary_is_kept BEFORE DELETE ON intermediary FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER intermediary_organization_is_kept BEFORE DELETE ON intermediary_organization FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER person_is_kept BEFORE DELETE ON person FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER program_has_one_origin AFTER INSERT ON program FOR EACH ROW EXECUTE FUNCTION refuse_two_origins();

CREATE TRIGGER program_name_is_immutable BEFORE UPDATE ON program FOR EACH ROW WHEN (new.program_id <> old.program_id OR new.slug <> old.slug OR new.civiform_name IS DISTINCT FROM old.civiform_name) EXECUTE FUNCTION program_name_is_immutable();

CREATE TRIGGER published_program_version_is_immutable BEFORE DELETE OR UPDATE ON program_version FOR EACH ROW EXECUTE FUNCTION published_program_version_is_immutable();

CREATE TRIGGER published_questions_are_immutable BEFORE INSERT OR DELETE OR UPDATE ON program_version_question FOR EACH ROW EXECUTE FUNCTION published_questions_are_immutable();

CREATE TRIGGER question_is_immutable BEFORE UPDATE ON question FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER question_version_is_immutable BEFORE UPDATE ON question_version FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER submission_counter_goes_forward BEFORE UPDATE ON submission_counter FOR EACH ROW EXECUTE FUNCTION submission_counter_goes_forward();

CREATE TRIGGER submission_request_is_kept AFTER DELETE ON submission_request FOR EACH ROW EXECUTE FUNCTION refuse_forgotten_submission();
