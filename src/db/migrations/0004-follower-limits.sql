-- expand, oldest release 1.0.0

-- Who may change what was copied from a CiviForm: the follower's login and the owner of the tables. Never a setting, which any login can
-- set. And the follower changes nothing else.
create function may_follow(of_table oid) returns boolean
language plpgsql stable as $$
begin
  return coalesce(pg_catalog.pg_has_role(current_user, pg_catalog.to_regrole('tributary_follower')::oid, 'member'), false)
    or pg_catalog.pg_has_role(current_user, (select relowner from pg_catalog.pg_class where oid = of_table), 'member');
end $$;

create or replace function application_snapshot_is_immutable() returns trigger
language plpgsql as $$
begin
  -- CiviForm may merge applicants and rewrite answers after submission.
  if old.followed and new.followed
     and (new.program_id, new.application_id, new.submit_time, new.submit_seq, coalesce(old.superseded_seq, new.superseded_seq))
     is not distinct from (old.program_id, old.application_id, old.submit_time, old.submit_seq, new.superseded_seq)
     and may_follow(tg_relid) then
    return new;
  end if;
  if (new.program_id, new.application_id, new.applicant_id, new.program_version_id, new.create_time, new.submit_time, new.submit_seq,
      new.snapshot, new.followed)
     is distinct from
     (old.program_id, old.application_id, old.applicant_id, old.program_version_id, old.create_time, old.submit_time, old.submit_seq,
      old.snapshot, old.followed)
     or (old.superseded_seq is not null and new.superseded_seq is distinct from old.superseded_seq) then
    raise exception 'an application is never changed once submitted' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace function published_program_version_is_immutable() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if old.state = 'DRAFT' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  -- CiviForm may make a version active again, or edit one that was applied to already. One that its database lost is deleted when its id
  -- is given to another program, unless there is an application of it.
  if exists (select from program p where p.program_id = old.program_id and p.origin_name is not null) and may_follow(tg_relid) then
    if tg_op = 'DELETE' then
      return old;
    end if;
    if (new.program_version_id, new.program_id) = (old.program_version_id, old.program_id) then
      return new;
    end if;
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
end $$;

create or replace function published_questions_are_immutable() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- An insert is checked by the version's row as it stands; a cascade from a deleted draft finds no row.
  if exists (
    select from program_version v
    join program p using (program_id)
    where v.program_version_id = case tg_op when 'INSERT' then new.program_version_id else old.program_version_id end
    and v.state <> 'DRAFT'
    and (p.origin_name is null or not may_follow(tg_relid))
  ) then
    raise exception 'the questions of a published program version are never changed' using errcode = 'restrict_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;

-- The worker removes what a program no longer keeps, the follower what CiviForm has deleted; operators have the owner's rights.
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

-- A temporary table takes precedence over any other of its name where no search path says otherwise, and a worker may create one.
alter function refuse_early_forgetting() set search_path = pg_catalog, public, pg_temp;
alter function check_change_number() set search_path = pg_catalog, public, pg_temp;
alter function check_audit_seal() set search_path = pg_catalog, public, pg_temp;
alter function remove_pruned_events() set search_path = pg_catalog, public, pg_temp;
alter function refuse_two_origins() set search_path = pg_catalog, public, pg_temp;
alter function refuse_following_own_programs() set search_path = pg_catalog, public, pg_temp;
alter function refuse_own_keys_to_follower() set search_path = pg_catalog, public, pg_temp;

-- Refuses the follower a row that it did not copy. What a row is known by is the trigger's argument: its own mark, its program or version;
-- or, where a row has none of these, whether anything is followed here. Names carry their schema, which costs less per row than a search path.
create function refuse_follower() returns trigger
language plpgsql as $$
declare
  subject constant record := case tg_op when 'DELETE' then old else new end;
  copied boolean := false;
begin
  if not coalesce(pg_catalog.pg_has_role(current_user, pg_catalog.to_regrole('tributary_follower')::oid, 'member'), false)
     or pg_catalog.pg_has_role(current_user, (select relowner from pg_catalog.pg_class where oid = tg_relid), 'member') then
    return subject;
  end if;
  -- A distributed installation follows nothing, and its shards lie where there are no programs.
  if pg_catalog.to_regclass('public.program_retention') is null then
    case tg_argv[0]
      when 'program itself' then
        copied := subject.origin_name is not null;
      when 'application' then
        copied := subject.followed
          and exists (select from public.program p where p.program_id = subject.program_id and p.origin_name is not null);
      when 'program' then
        copied := exists (select from public.program p where p.program_id = subject.program_id and p.origin_name is not null);
      when 'version' then
        copied := exists (
          select from public.program_version v
          join public.program p using (program_id)
          where v.program_version_id = subject.program_version_id
          and p.origin_name is not null
        );
      when 'applicant' then
        copied := subject.front_end is null and exists (select from public.civiform_source);
      when 'installation' then
        copied := exists (select from public.civiform_source);
    end case;
  end if;
  if not copied then
    raise exception 'the follower changes only what it copied' using errcode = 'insufficient_privilege';
  end if;
  return subject;
end $$;

-- In the order in which a submission takes these tables, so that it and the migration never wait for each other in a circle.
create trigger follower_changes_what_it_copied before insert or update on applicant
  for each row execute function refuse_follower('applicant');
create trigger follower_changes_what_it_copied before insert or update on submission_counter
  for each row execute function refuse_follower('program');
create trigger follower_changes_what_it_copied before insert or update on application
  for each row execute function refuse_follower('application');
create trigger follower_changes_what_it_copied before insert on application_annotation
  for each row execute function refuse_follower('program');
create trigger follower_changes_what_it_copied before insert or update on program
  for each row execute function refuse_follower('program itself');
create trigger follower_changes_what_it_copied before insert or update or delete on program_version
  for each row execute function refuse_follower('program');
create trigger follower_changes_what_it_copied before insert or delete on program_version_question
  for each row execute function refuse_follower('version');
create trigger follower_changes_what_it_copied before delete on program_key_map
  for each row execute function refuse_follower('version');
create trigger follower_changes_what_it_copied before delete on docs_example
  for each row execute function refuse_follower('version');
create trigger follower_changes_what_it_copied before insert or update on derived_status
  for each row execute function refuse_follower('version');
create trigger follower_changes_what_it_copied before insert on question
  for each row execute function refuse_follower('installation');
create trigger follower_changes_what_it_copied before insert on question_version
  for each row execute function refuse_follower('installation');
