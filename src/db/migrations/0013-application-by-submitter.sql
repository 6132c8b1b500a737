-- expand, oldest release 1.0.0, outside a transaction

-- A program's applications by who submitted them, in the order of an export, as `application_walk` has all of them.
create index concurrently if not exists application_by_submitter on application
  (program_id, submitter_type(snapshot), submit_time, submit_seq, (coalesce(superseded_seq, 9223372036854775807)));
