-- expand, oldest release 1.0.0
--
-- People of an organization sign in and apply for its clients.

alter table person drop constraint person_role_check;
alter table person add constraint person_role_check
  check (role in ('ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR', 'INTERMEDIARY'));
-- Who an INTERMEDIARY is in the list of their organization.
alter table person add column intermediary_id bigint unique references intermediary;
alter table person add check ((role = 'INTERMEDIARY') = (intermediary_id is not null));

-- Applicants whom somebody of an organization registered. They go with their applicant.
create table intermediary_client (
  applicant_id bigint primary key references applicant on delete cascade,
  organization_id bigint not null references intermediary_organization,
  -- As the organization knows the client.
  name text not null check (length(name) between 1 and 200),
  name_folded text not null,
  -- Of the form that registered the client: sent twice, it registers one.
  form_key uuid not null unique,
  created_at timestamptz not null default now()
);
create index intermediary_client_by_organization on intermediary_client (organization_id, applicant_id);

-- Who applies for the applicant of a session; null for the applicant.
alter table apply_session add column intermediary_id bigint references intermediary;

-- As before; and who applies for clients comes to the service, by an actor of their own kind, so that its role acts for nobody else.
create or replace function stamp_audit_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  group_name constant text := case
    when new.actor like 'intermediary:%' then 'tributary_service'
    when new.actor like 'key:%' and new.action <> 'application_annotated' then 'tributary_service'
    when new.actor like 'key:%' or new.actor like 'admin:%' or new.actor like 'admin-token:%' or new.actor = 'anonymous' then 'tributary_console'
    when new.actor in ('retention', 'webhooks') then 'tributary_worker'
    when new.actor = 'civiform' then 'tributary_follower'
  end;
begin
  perform pg_current_xact_id();
  new.audit_event_id := nextval('public.audit_event_number');
  new.happened_at := clock_timestamp();
  new.database_user := session_user;
  if coalesce(pg_has_role(session_user, to_regrole(group_name)::oid, 'member'), false)
     or pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'member') then
    return new;
  end if;
  raise exception 'this role does not act for %', new.actor using errcode = 'insufficient_privilege';
end $$;
