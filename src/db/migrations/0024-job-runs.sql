-- expand, oldest release 1.0.0
--
-- The last runs of each kind of job, for the Jobs page. Workers add a row when a run ends and remove the oldest in the same statement, so the
-- number of kinds bounds it. What a run was for may be gone by the time it is read.

create table job_run (
  job_run_id bigint generated always as identity primary key,
  job_name text not null check (length(job_name) <= 40),
  program_version_id bigint,
  webhook_endpoint_id bigint,
  ended_at timestamptz not null default clock_timestamp(),
  -- Null where nobody knows: the process of the run died.
  duration_ms integer check (duration_ms >= 0),
  outcome text not null check (outcome in ('done', 'nothing', 'retrying', 'failed', 'given_up')),
  -- How a delivery ended, or why the run failed.
  detail text check (length(detail) <= 2000)
);
create index job_run_by_job on job_run (job_name, job_run_id desc);
