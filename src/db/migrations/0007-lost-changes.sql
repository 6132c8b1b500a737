-- expand, oldest release 1.0.0

-- Continues all ids well after those that may have been given out and lost, and begins a place in the history. Under a lock on it.
create function continue_history(here text) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  ids regclass;
begin
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
end $$;
revoke execute on function continue_history(text) from public;

create or replace function note_history() returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  here constant text := history_place();
begin
  if (select place from database_history order by number desc limit 1) is not distinct from here then
    return false;
  end if;
  lock table database_history in share row exclusive mode;
  if (select place from database_history order by number desc limit 1) is not distinct from here then
    return false;
  end if;
  perform continue_history(here);
  return true;
end $$;

-- A restored snapshot of a disk is the same server and timeline as before, so its place does not give it away. A token that was sealed here over
-- a change that this database lacks does: the caller has opened it, and says when it was sealed. The ids then continue as after a failover,
-- once: what was sealed before they last did, or within a minute after, as by another server whose clock was ahead, says nothing new.
-- A server that replays another's log may merely lag.
create function note_lost_change(of_program bigint, change bigint, of_time timestamptz, of_application bigint, sealed_at timestamptz)
returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  here constant text := history_place();
begin
  if here is null or note_history() then
    return false;
  end if;
  if sealed_at <= (select max(noticed_at) from database_history) + interval '1 minute' then
    return false;
  end if;
  begin
    perform require_change(of_program, change, of_time, of_application);
    return false;
  exception when sqlstate 'TB001' or sqlstate 'TB002' then
    null;
  end;
  lock table database_history in share row exclusive mode;
  if sealed_at <= (select max(noticed_at) from database_history) + interval '1 minute' then
    return false;
  end if;
  perform continue_history(here);
  return true;
end $$;
revoke execute on function note_lost_change(bigint, bigint, timestamptz, bigint, timestamptz) from public;
