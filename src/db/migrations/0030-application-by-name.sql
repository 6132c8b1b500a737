-- contract, oldest release 1.1.0, outside a transaction

-- Releases before 1.1.0 search with this index. It costs more than all else when an application is stored or its status set.
drop index concurrently if exists application_by_name;
