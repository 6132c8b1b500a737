-- What clients and the history of an application rely on never changes, whoever asks.

-- A program is known to clients by its slug: `program_name` in everything it ever exported.
create function program_name_is_immutable() returns trigger
language plpgsql as $$
begin
  raise exception 'id and slug of a program are never changed' using errcode = 'restrict_violation';
end $$;
create trigger program_name_is_immutable before update on program
  for each row when (new.program_id <> old.program_id or new.slug <> old.slug)
  execute function program_name_is_immutable();

-- A status or note that was once set goes with its application only.
create trigger application_annotation_is_kept before delete on application_annotation
  for each row when (pg_trigger_depth() = 0) execute function refuse_change();
