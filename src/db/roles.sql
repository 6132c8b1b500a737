-- What the service and the worker may do, as group roles. scripts/migrate --roles applies this as often as it is asked to; a login
-- role becomes a member of one of them. Whatever is not granted here is left to the owner, who migrates and runs the scripts.

do $$
begin
  if not exists (select from pg_roles where rolname = 'tributary_console') then
    create role tributary_console nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'tributary_service') then
    create role tributary_service nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'tributary_worker') then
    create role tributary_worker nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'tributary_follower') then
    create role tributary_follower nologin;
  end if;
end $$;

-- Not on what another login owns there, such as the views of an extension: only that login could.
do $$
declare
  own record;
begin
  for own in
    select case relkind when 'S' then 'sequence' else 'table' end as kind, pg_class.oid::regclass as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and pg_has_role(relowner, 'usage')
  loop
    execute format(
      'revoke all on %s %s from public, tributary_service, tributary_worker, tributary_console, tributary_follower', own.kind, own.name);
  end loop;
end $$;
revoke create on schema public from public, tributary_service, tributary_worker, tributary_console, tributary_follower;
grant usage on schema public to tributary_service, tributary_worker, tributary_console, tributary_follower;
-- No process makes a large object, nor a temporary table but the worker, for the queue (below). The latter are for the owner of the
-- database to take away, the former for a superuser: where the owner of the schema is neither, OPERATIONS.md has the statements.
do $$
begin
  if (select pg_has_role(current_user, datdba, 'member') from pg_database where datname = current_database()) then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  if (select rolsuper from pg_roles where rolname = current_user) then
    revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
  end if;
end $$;

-- Roles that write record that another server has taken over; standbys are recognized by it.
grant execute on function note_history() to tributary_service, tributary_worker, tributary_console, tributary_follower;
grant execute on function note_lost_change(bigint, bigint, timestamptz, bigint, timestamptz) to tributary_service;
grant select on database_history to tributary_service, tributary_worker, tributary_follower;

-- What both read: programs, and what is derived from them.
grant select on
  schema_migration, instance, program, program_version, program_version_question, question, question_version,
  program_key_map, docs_example, derived_status
to tributary_service, tributary_worker;

-- Both report background work as metrics.
grant select (created_at) on outbox to tributary_service;
grant select on worker_heartbeat to tributary_service, tributary_worker;
grant select (webhook_endpoint_id, state) on webhook_endpoint to tributary_service;

-- The service lets keys in, hands applications out, and takes submissions. It cannot change or remove what was submitted, only say
-- that another application came after it; nor make or change a key, only note that it was seen.
grant select on
  submission_counter, applicant, application_in_progress, application, erased_application, erased_change, api_key, api_key_program, submission_request
to tributary_service;
grant select on intermediary_organization, intermediary, application_annotation to tributary_service;
grant insert on application_in_progress, application, application_words, submission_request to tributary_service;
grant insert (front_end, language) on applicant to tributary_service;
grant insert (actor, action, subject, address, detail) on audit_event to tributary_service;
grant update (language, updated_at) on applicant to tributary_service;
grant update (answers, updated_at), delete on application_in_progress to tributary_service;
grant update (superseded_seq) on application to tributary_service;
grant update (submit_seq, submissions, last_submit_time) on submission_counter to tributary_service;
grant update (last_used_at, last_used_address, exposed_at) on api_key to tributary_service;
grant usage on sequence application_application_id_seq to tributary_service;
-- Applicants' pages are the service's too.
grant select, insert, delete on apply_code, apply_session to tributary_service;
grant update (code_hash, expires_at, intermediary_id) on apply_code to tributary_service;
grant update (sealed_code, code_shown, seen_at) on apply_session to tributary_service;
grant select, insert, update (file_type, bytes, check_at) on uploaded_file to tributary_service;
grant select, insert on intermediary_client to tributary_service;

-- The worker derives, and carries jobs. It never sees an answer, an applicant or a key.
grant insert, update on program_key_map, docs_example, derived_status to tributary_worker;
grant select, insert, update, delete on outbox to tributary_worker;
grant insert, update, delete on worker_heartbeat to tributary_worker;
grant select, insert, delete on job_run to tributary_worker;
-- It seals the audit log, in which no answer is.
grant select on audit_event, audit_seal to tributary_worker;
grant insert (segment, first_event_id, last_event_id, events, newest_at, hash) on audit_seal to tributary_worker;
-- It erases what programs keep no longer: a trigger refuses it what has not expired.
grant select (program_id, application_id, applicant_id, submit_time, submit_seq, superseded_seq), delete on application to tributary_worker;
grant select on erased_application, erased_change to tributary_worker;
-- To see that no number has gone without a trace.
grant select (program_id, change_seq) on application_annotation to tributary_worker;
grant select (program_id, applicant_id, updated_at), delete on application_in_progress to tributary_worker;
grant select (program_id, applicant_id, application_id), delete on submission_request to tributary_worker;
grant execute on function hold_changes(bigint), take_unneeded_files(integer) to tributary_worker;
-- Of files that no answer has, it removes the content, then the row. Their names it cannot read.
grant select (program_id, file_id, applicant_id, check_at, erasing), update (check_at), delete on uploaded_file to tributary_worker;
grant insert (actor, action, subject, address, detail) on audit_event to tributary_worker;
-- It sends webhooks, with the cursor of a program's last change.
grant select (program_id, submit_seq, last_submit_time, loading_from) on submission_counter to tributary_worker;
grant select (application_id, changed_at) on application_annotation to tributary_worker;
grant select on webhook_endpoint to tributary_worker;
grant update (
  delivered_change, delivered_at, attempts, busy_until, retry_at, asked, failures, first_failed_at, disabled_at, disabled_because
) on webhook_endpoint to tributary_worker;
grant select, insert, delete on webhook_attempt to tributary_worker;

-- The console reads what its pages show, and changes what administrators change. It cannot touch an answer either, nor the audit log
-- but by adding to it. Of answers it sees those that were submitted. Of hashes it sees those it lets people in by, and those of keys, of
-- which one becomes the earlier one when a key is rotated.
grant select on
  schema_migration, instance, program, program_version, program_version_question, question, question_version,
  program_key_map, docs_example, derived_status, submission_counter, applicant, application, application_words, application_annotation,
  erased_application, erased_change, database_history, api_key, api_key_program, api_key_day, api_key_request_day, program_reader, refusal,
  person, person_program, person_identity, second_factor, invitation, console_session, admin_token, intermediary_organization, intermediary,
  audit_event, audit_seal, outbox, worker_heartbeat, job_run, origin,
  webhook_endpoint, webhook_attempt
to tributary_console;
grant insert, update, delete on webhook_endpoint to tributary_console;
grant insert, update on person, api_key, intermediary_organization, intermediary, admin_token to tributary_console;
grant insert, delete on person_identity to tributary_console;
grant insert, update, delete on person_program, second_factor, invitation, console_session, api_key_program, refusal to tributary_console;
grant insert, update (requests), delete on api_key_request_day to tributary_console;
grant insert (actor, action, subject, address, detail) on audit_event to tributary_console;
-- It replaces and revokes the codes of intermediaries' clients, whose names it doesn't see.
grant select (applicant_id, intermediary_id), insert, update (code_hash, expires_at, intermediary_id), delete on apply_code to tributary_console;
grant select (applicant_id, token_hash), delete on apply_session to tributary_console;
grant select (applicant_id) on intermediary_client to tributary_console;
-- Drafts are saved, published and discarded; the database itself refuses to change or remove what was published.
grant insert on program, submission_counter, program_version_question to tributary_console;
grant select, insert, update (program_id, programs_done, ended_at, refusal) on publication to tributary_console;
grant insert, delete on program_version, question, question_version to tributary_console;
grant update (state, published_at, published_by) on program_version to tributary_console;
grant update (display_name, statuses, retention_days, intake_state, intake_text) on program to tributary_console;
grant update (closed) on submission_counter to tributary_console;
grant insert, update on derived_status to tributary_console;
grant insert on outbox to tributary_console;
-- Status and note, and a hold on the zone they are written in: a row can be held by those who may update a column of it, and the
-- only value of this one is true.
grant update (status, status_last_modified_time, application_note, annotations) on application to tributary_console;
grant insert on application_annotation to tributary_console;
grant execute on function hold_changes(bigint), draw_changes(bigint, bigint) to tributary_console;
-- An application or an applicant is erased one at a time, by functions that leave tombstones; not while a bulk load may bring more.
grant execute on function
  hold_for_erasure(bigint, bigint), erase_application(bigint, bigint), hold_applicant(bigint), erase_applicant(bigint)
to tributary_console;
grant select on bulk_load, bulk_load_program to tributary_console;
-- It gives files out.
grant select on uploaded_file to tributary_console;
grant update (only_row) on instance to tributary_console;

-- The follower copies a CiviForm into here. The database itself lets it change and remove what it copied, and nothing else.
grant select on
  schema_migration, instance, program, program_version, program_version_question, question, question_version, derived_status,
  submission_counter, applicant, application, erased_application, api_key, api_key_program, application_annotation,
  civiform_source, civiform_application, civiform_change, civiform_finding, origin
to tributary_follower;
grant insert, update on civiform_source, civiform_application to tributary_follower;
grant insert (applicant_id, language), update (language, updated_at) on applicant to tributary_follower;
grant insert on civiform_change, application_annotation to tributary_follower;
grant insert, update, delete on civiform_finding to tributary_follower;
grant insert on program, submission_counter, question, question_version to tributary_follower;
grant insert, delete on program_version, program_version_question to tributary_follower;
grant update (state, screens, display_name, published_at, published_by) on program_version to tributary_follower;
-- By version: the condition of a delete reads what it names.
grant select (program_version_id), delete on program_key_map, docs_example to tributary_follower;
grant update (display_name, statuses) on program to tributary_follower;
grant update (submit_seq, submissions, last_submit_time) on submission_counter to tributary_follower;
grant insert, delete on application to tributary_follower;
grant update (applicant_id, create_time, superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations)
on application to tributary_follower;
-- A trigger refuses it keys that are not of the CiviForm.
grant insert (
  api_key_id, name, secret_hash, may_export, may_submit, expires_at, allowed_subnets, created_at, expiry_set_at, created_by,
  retired_at, retired_by, followed
) on api_key to tributary_follower;
grant update (name, secret_hash, expires_at, allowed_subnets, retired_at, retired_by) on api_key to tributary_follower;
grant insert, delete on api_key_program to tributary_follower;
grant insert, update on derived_status to tributary_follower;
grant select, insert on outbox to tributary_follower;
grant insert (actor, action, subject, address, detail) on audit_event to tributary_follower;
grant update (only_row) on instance to tributary_follower;
grant execute on function hold_changes(bigint), draw_changes(bigint, bigint) to tributary_follower;
-- All roles report its progress.
grant select on civiform_source, civiform_finding, origin to tributary_service, tributary_worker;

-- The queue's own tables and functions, where the database carries the jobs. BullMQ would create a counter for each queue there; it has
-- them already (object-owners), because what the worker's login created would be neither granted nor dumped by the owner of the schema.
do $$
declare
  own record;
begin
  if exists (select from pg_namespace where nspname = 'bullmq' and pg_has_role(nspowner, 'usage')) then
    revoke create on schema bullmq from public, tributary_service, tributary_worker, tributary_console, tributary_follower;
    grant usage on schema bullmq to tributary_worker;
    for own in
      select case relkind when 'S' then 'usage, select, update on sequence' else 'select, insert, update, delete on table' end as rights,
        pg_class.oid::regclass as name
      from pg_class
      where relnamespace = 'bullmq'::regnamespace and relkind in ('r', 'p', 'S') and pg_has_role(relowner, 'usage')
    loop
      execute format('grant %s %s to tributary_worker', own.rights, own.name);
    end loop;
    if (select pg_has_role(current_user, datdba, 'member') from pg_database where datname = current_database()) then
      execute format('grant temporary on database %I to tributary_worker', current_database());
    end if;
  end if;
end $$;

-- Where applications are distributed, numbers are drawn with the caller's own rights, and ids from sequences.
do $$
begin
  if to_regclass('commit_mark') is not null then
    grant select (program_id, submit_seq), update (submit_seq) on submission_counter to tributary_worker, tributary_console;
    grant usage on sequence
      program_program_id_seq, program_version_program_version_id_seq, question_question_id_seq, question_version_question_version_id_seq
    to tributary_console;
  end if;
end $$;
