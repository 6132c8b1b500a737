-- expand, oldest release 1.0.0

-- What a version says besides its name, statuses and screens: languages, description, confirmation, public names of statuses, and their
-- translations. Those of screens and questions are with them.
alter table program_version add column details jsonb not null default '{}' check (jsonb_typeof(details) = 'object');

create function published_program_details_are_immutable() returns trigger
language plpgsql as $$
begin
  raise exception 'a published program version is never changed' using errcode = 'restrict_violation';
end $$;
create trigger published_program_details_are_immutable before update of details on program_version
  for each row when (old.state <> 'DRAFT' and new.details is distinct from old.details)
  execute function published_program_details_are_immutable();
