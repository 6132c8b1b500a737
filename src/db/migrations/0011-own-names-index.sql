-- expand, oldest release 1.0.0, outside a transaction

-- The index of words again, with those of 0010. For its list see 0001.
create index concurrently if not exists application_by_name on application using gin (applicant_words(program_id, snapshot)) with (gin_pending_list_limit = 64);
drop index concurrently if exists application_by_words;
