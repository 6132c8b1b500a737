-- expand, oldest release 1.0.0
--
-- Files that applicants upload. A row comes before its content and goes after it, so nothing is stored that no row names. Which application
-- a file belongs to is in the answers alone, which have its id in a URL. Rows have no foreign key to their applicant: they outlive the
-- applicant until the content is gone.

create table uploaded_file (
  program_id bigint not null references program,
  -- Random; also the name of the content where it is stored.
  file_id text not null check (file_id ~ '^[0-9a-f]{40}$'),
  applicant_id bigint not null,
  -- As the applicant's device calls it, cleaned.
  name text not null check (name <> ''),
  -- Null until all of the content is stored.
  file_type text,
  bytes bigint check (bytes > 0),
  -- When a worker looks for an answer that has the file.
  check_at timestamptz not null,
  -- Whether its content is being removed; it then never comes into an answer again.
  erasing boolean not null default false,
  primary key (program_id, file_id),
  check ((file_type is null) = (bytes is null))
);
create index uploaded_file_by_applicant on uploaded_file (program_id, applicant_id);
create index uploaded_file_by_check on uploaded_file (check_at);

-- Looks at files whose time has come, and returns those that no answer has, with ten minutes for removing their content before it is tried
-- again. The others are looked at again a day later. Answers stay in here: the worker that calls this may read none.
create function take_unneeded_files(files_max integer) returns table (of_program bigint, of_file text)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  due record;
  is_needed boolean;
begin
  for due in
    select program_id, file_id, applicant_id, check_at, erasing
    from uploaded_file
    where check_at <= present_time()
    order by check_at
    limit files_max
  loop
    -- Not while it is being put into an answer, or another worker looks at it.
    perform from uploaded_file f
    where f.program_id = due.program_id and f.file_id = due.file_id and f.check_at = due.check_at
    for update skip locked;
    continue when not found;
    is_needed := not due.erasing and (
      exists (
        select from application a
        where a.program_id = due.program_id and a.applicant_id = due.applicant_id and position(due.file_id in a.snapshot) > 0)
      or exists (
        select from application_in_progress p
        where p.program_id = due.program_id and p.applicant_id = due.applicant_id and position(due.file_id in p.answers) > 0));
    update uploaded_file f
    set
      erasing = not is_needed,
      check_at = present_time() + case when is_needed then interval '24 hours' else interval '10 minutes' end
    where f.program_id = due.program_id and f.file_id = due.file_id;
    if not is_needed then
      of_program := due.program_id;
      of_file := due.file_id;
      return next;
    end if;
  end loop;
end $$;
revoke execute on function take_unneeded_files(integer) from public;
