-- expand, oldest release 1.0.0
--
-- The next application of an applicant starts from the answers of the last one (contract D43). Erasing the last one takes these too.

-- Locks the applicant of an application, so that nothing of it can be saved or submitted until the transaction ends, and takes out the
-- answers in progress that started from this application: those of its applicant, where it is the last. Before the numbers of the program
-- are held, as hold_applicant. Each statement names tables of one place.
create function hold_for_erasure(of_program bigint, of_application bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  of_applicant bigint;
begin
  select a.applicant_id into of_applicant from application a where a.program_id = of_program and a.application_id = of_application;
  perform from applicant where applicant_id = of_applicant for update;
  delete from application_in_progress p
  where p.program_id = of_program
  and p.applicant_id = of_applicant
  and of_application = (
    select theirs.application_id
    from (
      select a.application_id, a.submit_seq from application a where a.program_id = of_program and a.applicant_id = of_applicant offset 0
    ) theirs
    order by theirs.submit_seq desc
    limit 1
  );
end $$;
revoke execute on function hold_for_erasure(bigint, bigint) from public;
