-- expand, oldest release 1.0.0
--
-- Erasing also has the worker check the applicant's files. In a distributed installation, a transaction may not change rows as the owner, as
-- these functions do, and then as the login that called them.

create or replace function erase_application(of_program bigint, of_application bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  of_applicant bigint;
begin
  perform hold_changes(of_program);
  delete from application where program_id = of_program and application_id = of_application returning applicant_id into of_applicant;
  if not found then
    return false;
  end if;
  update uploaded_file set check_at = present_time() where program_id = of_program and applicant_id = of_applicant;
  return true;
end $$;
create or replace function erase_applicant(of_applicant bigint) returns table (program_id bigint, application_id bigint)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  held bigint;
begin
  for held in select distinct a.program_id from application a where a.applicant_id = of_applicant order by a.program_id loop
    perform hold_changes(held);
  end loop;
  return query
    delete from application a
    where a.applicant_id = of_applicant
    returning a.program_id, a.application_id;
  update uploaded_file f set check_at = present_time() where f.applicant_id = of_applicant;
  delete from submission_request where applicant_id = of_applicant;
  delete from applicant where applicant_id = of_applicant;
end $$;
