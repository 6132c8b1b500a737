-- expand, oldest release 1.0.0, outside a transaction

-- Words of what is stored already, then their index, which is built faster over all of them. What is still to be added waits in a list, which a search
-- reads from end to end.
select fill_application_words('{}', 2000);
create index concurrently if not exists application_by_word on application_words using gin (words) with (gin_pending_list_limit = 128);
