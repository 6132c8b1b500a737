-- expand, oldest release 1.0.0
--
-- Publications that change many other programs are made in the background (contract G14). A row is what an administrator asked for, and the
-- queue is not needed: a service process does it in one transaction, which ends the row; until then any other may take it up.
create table publication (
  publication_id bigint generated always as identity primary key,
  program_id bigint not null references program,
  -- The draft that was reviewed, which keeps its id when it is published. It may be gone by then.
  program_version_id bigint not null,
  -- Slugs of the other programs that may get a new version.
  move text[] not null,
  asked_at timestamptz not null default clock_timestamp(),
  asked_by text not null,
  address text,
  -- Other programs that get a new version, as counted when it was asked for, and how many of them the process under way has made.
  programs bigint not null check (programs > 0),
  programs_done bigint not null default 0 check (programs_done >= 0),
  ended_at timestamptz,
  -- Why nothing was published, if nothing was: detail and errors, as of a problem.
  refusal json,
  check (refusal is null or ended_at is not null)
);
create unique index publication_under_way on publication (program_id) where ended_at is null;
