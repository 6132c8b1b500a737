-- Every process hears of a change of an API key, however it was made, and forgets what it remembers of keys.

-- The payload is the id of the key, or nothing when it may be any.
create function announce_api_key() returns trigger
language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    perform pg_notify('api_key_changed', '');
    return null;
  end if;
  if tg_op <> 'INSERT' then
    perform pg_notify('api_key_changed', old.api_key_id);
  end if;
  if tg_op <> 'DELETE' then
    perform pg_notify('api_key_changed', new.api_key_id);
  end if;
  return null;
end $$;

create trigger api_key_comes_and_goes after insert or delete on api_key
  for each row execute function announce_api_key();
-- The last use is noted every minute and changes nothing for anybody.
create trigger api_key_changes after update on api_key
  for each row when (to_jsonb(old) - '{last_used_at,last_used_address}'::text[]
    is distinct from to_jsonb(new) - '{last_used_at,last_used_address}'::text[])
  execute function announce_api_key();
create trigger api_key_is_emptied after truncate on api_key
  for each statement execute function announce_api_key();

create trigger api_key_program_changes after insert or update or delete on api_key_program
  for each row execute function announce_api_key();
create trigger api_key_program_is_emptied after truncate on api_key_program
  for each statement execute function announce_api_key();
