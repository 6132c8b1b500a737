-- expand, oldest release 1.0.0

-- The newest noted history, on a server that is of it: the one that writes it, or that replays its log. Null on any other, such as one that
-- was promoted, and on the one that writes until it is noted that it took over.
create function held_history() returns uuid
language sql stable as $$
  select h.history_id
  from (select history_id, place from database_history order by number desc limit 1) h
  where h.place = history_place()
  or pg_is_in_recovery() and split_part(h.place, '/', 1) = (select system_identifier::text from pg_control_system())
$$;

-- What stands before the rows of a page that is read from another server than the primary: refuses one of another history (TB005), and one
-- that does not have exactly the changes of this program that the primary had when it was asked. One with more of them may have what was
-- lost (TB001, TB002).
create function require_primary_state(of_program bigint, of_history uuid, change bigint, of_time timestamptz, of_application bigint)
returns boolean
language plpgsql stable as $$
declare
  reached bigint;
begin
  if held_history() is distinct from of_history then
    raise exception 'this server is not of the history of the one in DATABASE_URL' using errcode = 'TB005';
  end if;
  select c.submit_seq into reached from submission_counter c where c.program_id = of_program;
  if reached is distinct from change then
    raise exception 'program % is at change % here, and at % on the primary', of_program, reached, change using errcode = 'TB001';
  end if;
  return require_change(of_program, change, of_time, of_application);
end $$;
