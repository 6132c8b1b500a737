-- expand, oldest release 1.0.0

-- `submitter_type` of an application, which only its snapshot has. Before it stand times, ids, language and slug, which have a bound and no
-- quotes. Its cost, and that it is not inlined, keep PostgreSQL from computing it for each row of a walk where it could ask the index.
create function submitter_type(snapshot text) returns text
language plpgsql immutable strict parallel safe cost 10000 as $$
begin
  return split_part(split_part(left(snapshot, 1000), '"submitter_type":"', 2), '"', 1);
end $$;
