-- expand, oldest release 1.0.0
--
-- What administrators want to remember about a key. Its client never gets it.

alter table api_key add column note text not null default '' check (length(note) <= 1000);
