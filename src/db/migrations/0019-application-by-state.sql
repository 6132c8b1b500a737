-- expand, oldest release 1.0.0, outside a transaction

-- A program's applications of one status, or of none, CURRENT ones apart from OBSOLETE ones, each in the order of an export. In the index before,
-- whoever looked for CURRENT ones read all OBSOLETE ones of a status too.
create index concurrently if not exists application_by_state on application
  (program_id, (coalesce(status, '')), (superseded_seq is null), submit_time, submit_seq);
drop index concurrently if exists application_by_status;
