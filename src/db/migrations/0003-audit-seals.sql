-- expand, oldest release 1.0.0
-- The audit log is sealed in segments in place of eight hash chains: writing an event hashes nothing and waits for no other.

drop trigger audit_event_is_linked on audit_event;
drop function link_audit_event();
drop table audit_pruned;
drop function remove_pruned();
drop table audit_link;
drop table audit_chain;
drop table audit_check;

-- An event takes its id after its transaction has one. So once every transaction has ended that was open when an id was seen, no event
-- with a smaller id can still appear, and everything up to there can be sealed.
alter table audit_event alter column audit_event_id drop identity;
create sequence audit_event_number owned by audit_event.audit_event_id;
select setval('audit_event_number', coalesce((select max(audit_event_id) from audit_event), 1),
  exists (select from audit_event));

-- Runs with the owner's rights, for the sequence alone; who is asked about is the login that connected.
create or replace function stamp_audit_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  group_name constant text := case
    when new.actor like 'key:%' and new.action <> 'application_annotated' then 'tributary_service'
    when new.actor like 'key:%' or new.actor like 'admin:%' or new.actor like 'admin-token:%' or new.actor = 'anonymous' then 'tributary_console'
    when new.actor in ('retention', 'webhooks') then 'tributary_worker'
    when new.actor = 'civiform' then 'tributary_follower'
  end;
begin
  perform pg_current_xact_id();
  new.audit_event_id := nextval('public.audit_event_number');
  new.happened_at := clock_timestamp();
  new.database_user := session_user;
  if coalesce(pg_has_role(session_user, to_regrole(group_name)::oid, 'member'), false)
     or pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    return new;
  end if;
  raise exception 'this role does not act for %', new.actor using errcode = 'insufficient_privilege';
end $$;
revoke execute on function stamp_audit_event() from public;

-- A seal covers the events after those of the seal before it, up to and including its last one. Changing, removing or inserting an event
-- breaks the seal of its segment; a seal kept elsewhere also shows that the end was cut off or everything was written again.
create table audit_seal (
  segment bigint primary key check (segment > 0),
  first_event_id bigint not null,
  last_event_id bigint not null check (last_event_id >= first_event_id),
  events bigint not null check (events > 0),
  -- When the newest of its events happened.
  newest_at timestamptz not null,
  -- SHA-256 of the hash before it (32 zero bytes before the first) and each event in order.
  hash bytea not null check (octet_length(hash) = 32),
  sealed_at timestamptz not null default clock_timestamp(),
  -- The file its events were moved into.
  file text check (file <> '')
);
create index audit_seal_by_unpruned on audit_seal (segment) where file is null;

create function check_audit_seal() returns trigger
language plpgsql as $$
declare
  previous audit_seal;
begin
  if tg_op = 'INSERT' then
    select * into previous from audit_seal order by segment desc limit 1;
    if new.segment = coalesce(previous.segment, 0) + 1 and new.first_event_id > coalesce(previous.last_event_id, 0)
       and new.file is null then
      return new;
    end if;
  elsif old.file is null and new.file is not null
     and pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'member')
     and (new.segment, new.first_event_id, new.last_event_id, new.events, new.newest_at, new.hash, new.sealed_at)
       = (old.segment, old.first_event_id, old.last_event_id, old.events, old.newest_at, old.hash, old.sealed_at) then
    return new;
  end if;
  raise exception 'audit_seal rows are added in order, and only pruned' using errcode = 'restrict_violation';
end $$;
create trigger audit_seal_is_in_order before insert or update on audit_seal
  for each row execute function check_audit_seal();
create trigger audit_seal_is_kept before delete or truncate on audit_seal
  for each statement execute function refuse_change();

-- The oldest segments can move into files. Naming the file removes their events; their seals stay.
create function remove_pruned_events() returns trigger
language plpgsql as $$
begin
  if (select max(segment) from audit_seal where file is not null) > (select min(segment) from audit_seal where file is null) then
    raise exception 'segments are pruned from the oldest on' using errcode = 'restrict_violation';
  end if;
  delete from audit_event
  where audit_event_id between (select min(first_event_id) from pruned) and (select max(last_event_id) from pruned);
  return null;
end $$;
create trigger audit_seal_prunes after update on audit_seal
  referencing new table as pruned
  for each statement execute function remove_pruned_events();
