// Where each table lies when applications are distributed: none is forgotten, and what lies by program can.

import { expect, test } from 'bun:test'
import { distributedTables, referenceTables } from '../../src/db/table-placements.ts'
import { useDatabase } from '../support/fixtures.ts'

const { sql } = await useDatabase()

/** What stays on the coordinator. */
const otherTables = [
  'admin_token',
  'api_key',
  'api_key_day',
  'api_key_program',
  'api_key_request_day',
  'applicant',
  'apply_code',
  'apply_session',
  'audit_event',
  'audit_seal',
  'bulk_load',
  'bulk_load_program',
  'civiform_application',
  'civiform_change',
  'civiform_finding',
  'civiform_source',
  'console_session',
  'database_history',
  'derived_status',
  'docs_example',
  'intermediary',
  'intermediary_client',
  'intermediary_organization',
  'invitation',
  'job_run',
  'loaded_ids',
  'outbox',
  'person',
  'person_identity',
  'person_program',
  'program_key_map',
  'program_reader',
  'publication',
  'refusal',
  'schema_migration',
  'second_factor',
  'skipped_ids',
  'webhook_attempt',
  'webhook_endpoint',
  'worker_heartbeat',
]

test('every table of the schema is listed as distributed or as local, and no others are listed', async () => {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and relname <> 'commit_mark'`
  expect([...distributedTables, ...referenceTables, ...otherTables].sort()).toEqual(
    tables.map(({ name }) => name).sort(),
  )
})

test('every key and unique index of a table distributed by program contains the program', async () => {
  const without = await sql<{ index: string }[]>`
    select indexrelid::regclass::text as index
    from pg_index i
    where indrelid = any(${distributedTables as string[]}::regclass[])
    and indisunique
    and not exists (
      select from pg_attribute a
      where a.attrelid = i.indrelid and a.attname = 'program_id' and a.attnum = any(i.indkey::int2[])
    )`
  expect([...without]).toEqual([])
})
