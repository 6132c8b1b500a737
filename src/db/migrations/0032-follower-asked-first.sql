-- expand, oldest release 1.0.0
--
-- The same rules. Almost every login is not the follower's, and now passes before the row, which can have 4 KB, is copied and before anything is
-- queried: up to a tenth of what a change of status costs.
create or replace function refuse_follower() returns trigger
language plpgsql as $$
declare
  subject record;
  copied boolean := false;
begin
  if not coalesce(pg_catalog.pg_has_role(current_user, pg_catalog.to_regrole('tributary_follower')::oid, 'member'), false) then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  subject := case tg_op when 'DELETE' then old else new end;
  if pg_catalog.pg_has_role(current_user, (select relowner from pg_catalog.pg_class where oid = tg_relid), 'member') then
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
