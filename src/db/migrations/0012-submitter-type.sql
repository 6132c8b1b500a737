-- expand, oldest release 1.0.0

-- `submitter_type` of an application, which only its snapshot has. Before it stand times, ids, language and slug, which have no quotes.
create function submitter_type(snapshot text) returns text
language sql immutable strict parallel safe
return split_part(split_part(snapshot, '"submitter_type":"', 2), '"', 1);
