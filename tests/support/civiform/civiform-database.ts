// A database as CiviForm's releases make it, of several ages, with the role that CiviForm itself uses and one that may only read.
// The tables are of our own writing, from what is known of CiviForm's.

import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { createBareDatabase, type TestDatabase } from '../database.ts'
import { endWithFile } from '../fixtures.ts'

/** `2023`: the oldest that can be followed. `2024`: notes, statuses in a separate table. `2026`: everything known. */
export type CiviFormAge = '2023' | '2024' | '2026'

export interface CiviFormDatabase {
  age: CiviFormAge
  /** As CiviForm's own role, which owns everything. */
  app: Sql
  appUrl: string
  /** As the superuser. */
  admin: Sql
  /** For `CIVIFORM_DATABASE_URL`. */
  readerUrl: string
  reader: string
  owner: string
}

let made = 0

/**
 * Dropped with the test file. `statistics`: whether the reader may see when others' transactions began; `sequences`: which IDs were allocated.
 * `database`: an empty one to create it in, on a server that ends with the file, too.
 */
export async function useCiviForm(
  age: CiviFormAge = '2026',
  {
    statistics = true,
    sequences = true,
    database: given,
  }: { statistics?: boolean; sequences?: boolean; database?: TestDatabase } = {},
): Promise<CiviFormDatabase> {
  const database = given ?? (await createBareDatabase())
  const n = `${process.pid}_${++made}`
  const [owner, reader] = [`civiform_${n}`, `reader_${n}`]
  const admin = database.sql
  await admin.unsafe(`
    create role ${owner} login password 'owner';
    create role ${reader} login password 'reader' connection limit 12;
    alter schema public owner to ${owner};
    create schema other;
    alter role ${reader} set default_transaction_read_only = on;
    ${statistics ? `grant pg_read_all_stats to ${reader};` : ''}
  `)
  const as = (role: string): string => {
    const url = new URL(database.url)
    url.username = role
    url.password = role === owner ? 'owner' : 'reader'
    return url.toString()
  }
  const appUrl = as(owner)
  const app = openDatabase({ url: appUrl, connectionsMax: 24, applicationName: 'civiform', prepare: false })
  await app.unsafe(tablesOf(age))
  await app.unsafe(`
    grant usage on schema public to ${reader};
    grant select on applications, programs, questions, versions, versions_programs, versions_questions, ti_organizations,
      application_events, civiform_settings, play_evolutions${age === '2023' ? '' : ', application_statuses'} to ${reader};
    grant select (id, account_id, first_name, middle_name, last_name, email_address, country_code, phone_number, date_of_birth, object, xmin
      ${age === '2023' ? '' : ', suffix'}) on applicants to ${reader};
    grant select (id, managed_by_group_id) on accounts to ${reader};
    ${age === '2026' ? `grant select on application_deletion_record, account_deletion_record to ${reader};` : ''}
    ${sequences ? `grant select on sequence applications_id_seq, application_events_id_seq to ${reader};` : ''}
    grant select (id, name, key_id, salted_key_secret, subnet, expiration, retired_time, grants, create_time) on api_keys to ${reader};
  `)
  endWithFile(async () => {
    await app.end({ timeout: 1 })
    if (given !== undefined) return
    await database.drop()
    const { testServer } = await import('../database.ts')
    const server = openDatabase({ url: (await testServer()).url, connectionsMax: 1 })
    await server.unsafe(`drop role if exists ${owner}; drop role if exists ${reader}`)
    await server.end()
  })
  return { age, app, appUrl, admin, readerUrl: as(reader), reader, owner }
}

/** How an upgrade from one age to the next changes the tables that matter here. */
export async function upgrade(civiform: CiviFormDatabase, to: '2024' | '2026'): Promise<void> {
  await civiform.app.unsafe(to === '2024' ? to2024 : to2026)
  if (to === '2024')
    await civiform.app.unsafe(
      `grant select on application_statuses to ${civiform.reader}; grant select (suffix) on applicants to ${civiform.reader}`,
    )
}

const tables2023 = `
create table play_evolutions (id int primary key, hash varchar, apply_script text, revert_script text, state varchar, last_problem text,
  applied_at timestamp);
create table ti_organizations (id bigserial primary key, name varchar not null, description varchar);
create table accounts (id bigserial primary key, email_address varchar unique, authority_id varchar unique,
  managed_by_group_id bigint references ti_organizations on delete set null,
  member_of_group_id bigint references ti_organizations on delete set null, global_admin boolean, admin_of varchar[]);
create table applicants (id bigserial primary key, account_id bigint references accounts, preferred_locale varchar,
  object jsonb not null, when_created timestamp, first_name varchar, middle_name varchar, last_name varchar, email_address varchar,
  country_code varchar, phone_number varchar, date_of_birth date);
create table programs (id bigserial primary key, name varchar, slug varchar, block_definitions jsonb not null,
  display_mode varchar not null default 'PUBLIC', program_type varchar default 'default', create_time timestamp,
  last_modified_time timestamp, status_definitions jsonb, eligibility_is_gating boolean, external_link varchar, localized_name jsonb,
  localized_description jsonb, localized_confirmation_message jsonb, acls jsonb);
create table questions (id bigserial primary key, name varchar, question_type varchar, enumerator_id bigint, question_options jsonb,
  question_text jsonb, question_help_text jsonb, validation_predicates jsonb, question_tags varchar[], enumerator_entity_type jsonb,
  create_time timestamp, last_modified_time timestamp);
create table versions (id bigserial primary key, lifecycle_stage varchar not null, submit_time timestamp,
  tombstoned_question_names varchar[], tombstoned_program_names varchar[]);
create table versions_programs (programs_id bigint, versions_id bigint, primary key (programs_id, versions_id));
create table versions_questions (questions_id bigint, versions_id bigint, primary key (questions_id, versions_id));
create table applications (id bigserial primary key, applicant_id bigint references applicants, program_id bigint references programs,
  object jsonb not null, lifecycle_stage varchar, submit_time timestamp, submitter_email varchar(255), create_time timestamp,
  preferred_locale varchar, latest_status varchar,
  submission_duration interval generated always as (submit_time - create_time) stored, is_admin boolean);
create index index_applications_by_submit_time on applications (submit_time);
create table application_events (id bigserial primary key, application_id bigint not null references applications on delete cascade,
  creator_id bigint references accounts, event_type varchar not null, details jsonb not null, create_time timestamp not null);
create index application_events_by_application on application_events (application_id);
create table api_keys (id bigserial primary key, name varchar not null, create_time timestamp, update_time timestamp, created_by varchar,
  retired_time timestamp, retired_by varchar, key_id varchar not null unique, salted_key_secret varchar not null unique,
  subnet varchar not null, expiration timestamp not null, call_count bigint not null default 0, last_call_ip_address varchar,
  grants jsonb not null);
create table civiform_settings (id bigserial primary key, settings jsonb, create_time timestamp unique, created_by varchar);
insert into play_evolutions (id, state) values (62, 'applied');
`

const to2024 = `
alter table applicants add column suffix varchar;
alter table applications add column latest_note varchar;
create table application_statuses (id bigserial primary key, program_name varchar not null, status_definitions jsonb not null,
  status_definitions_lifecycle_stage varchar not null, create_time timestamp not null);
alter table programs drop column status_definitions;
drop index index_applications_by_submit_time;
create index index_applications_by_submit_time_and_id on applications (submit_time desc, id desc);
insert into play_evolutions (id, state) values (78, 'applied');
`

const to2026 = `
alter table applications add column eligibility_determination varchar not null default 'NOT_COMPUTED';
alter table applications add column status_last_modified_time timestamp;
alter table applications add column original_applicant_id bigint;
create table application_deletion_record (id bigserial primary key, application_id bigint, program_name varchar not null,
  deletion_trigger varchar not null, delete_time timestamp not null);
create table account_deletion_record (id bigserial primary key, account_id bigint, applicant_ids varchar not null,
  deletion_trigger varchar not null, delete_time timestamp not null);
alter table programs add column uses_scoring boolean not null default false;
insert into play_evolutions (id, state) values (98, 'applied');
`

const tablesOf = (age: CiviFormAge): string =>
  tables2023 + (age === '2023' ? '' : to2024) + (age === '2026' ? to2026 : '')
