-- expand, oldest release 1.0.0
--
-- Leaves the tombstones of all applications that a statement removes, on a Citus cluster too, where no statement on the tables may name `removed`
-- along with them: what it has is passed on in arrays.
create or replace function leave_tombstone() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gone record;
  drawn bigint;
begin
  for gone in
    select program_id, count(*) as applications, array_agg(application_id order by submit_seq) as ids, array_agg(submit_seq order by submit_seq) as seqs,
      array_agg(submit_time order by submit_seq) as times, array_agg(superseded_seq order by submit_seq) as superseded
    from removed
    group by program_id
    order by program_id
  loop
    drawn := draw_changes(gone.program_id, gone.applications);
    update submission_counter set erased = erased + gone.applications where program_id = gone.program_id;
    insert into erased_application (program_id, application_id, submit_seq, submit_time, change_seq)
    select gone.program_id, id, seq, submit_time, drawn - gone.applications + n
    from unnest(gone.ids, gone.seqs, gone.times) with ordinality as r (id, seq, submit_time, n);
    insert into erased_change (program_id, change_seq, application_id, happened_at)
    select gone.program_id, r.superseded_seq, r.id, r.submit_time
    from unnest(gone.ids, gone.superseded, gone.times) as r (id, superseded_seq, submit_time)
    where r.superseded_seq is not null
    and not exists (select from application a where a.program_id = gone.program_id and a.submit_seq = r.superseded_seq)
    and not exists (select from erased_application e where e.program_id = gone.program_id and e.submit_seq = r.superseded_seq)
    on conflict do nothing;
  end loop;
  return null;
end $$;
