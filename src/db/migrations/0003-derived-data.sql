-- What is computed from program versions, how far that is, and the jobs on their way to those who compute it.
-- Everything in the derived tables can be dropped at any time: it is computed again from the versions themselves.

-- Jobs that a transaction asks for, until the relay has handed them to the queue. Written in that transaction, so that neither
-- is ever there without the other, and nothing is lost while the queue's store is away.
create table outbox (
  outbox_id bigint generated always as identity primary key,
  job_name text not null check (job_name <> ''),
  -- What the queue knows the job by: handing it over twice is handing it over once.
  job_id text not null unique check (job_id <> ''),
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp()
);

-- The key map of a program as of one of its versions.
create table program_key_map (
  program_version_id bigint primary key references program_version on delete cascade,
  -- Which release of the code computed it; another one's is stale.
  code_version integer not null check (code_version > 0),
  content json not null,
  produced_at timestamptz not null default clock_timestamp(),
  duration_ms double precision not null check (duration_ms >= 0)
);

-- The generated docs of a program version. Invented values only.
create table docs_example (
  program_version_id bigint primary key references program_version on delete cascade,
  code_version integer not null check (code_version > 0),
  content json not null,
  produced_at timestamptz not null default clock_timestamp(),
  duration_ms double precision not null check (duration_ms >= 0)
);

-- Whether each derived thing is there: the record of what is missing, stale or failed. The queue only carries.
create table derived_status (
  program_version_id bigint not null references program_version on delete cascade,
  job_name text not null check (job_name in ('refresh-key-map', 'refresh-docs-example')),
  state text not null check (state in ('missing', 'queued', 'running', 'done', 'failed')),
  -- How often it was asked for, and the last of these requests that was met: met when both are equal. A request made while the
  -- job runs is thus seen to be open when it ends, however the queue merged the two.
  requested bigint not null check (requested >= 0),
  fulfilled bigint not null default 0 check (fulfilled between 0 and requested),
  -- Runs begun since it was last asked for.
  attempts integer not null default 0 check (attempts >= 0),
  -- Of the newest run that failed; null once a run succeeded.
  last_error text,
  updated_at timestamptz not null default clock_timestamp(),
  primary key (program_version_id, job_name),
  check (state <> 'done' or fulfilled = requested),
  check (state <> 'failed' or last_error is not null)
);
create index derived_status_unfinished on derived_status (updated_at) where state <> 'done';
