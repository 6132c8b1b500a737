// Every statement that changes something, tried by every login: on each table an insert of a row that is there, an update of each column, and
// a delete, with every setting on that a login could think of. What is allowed is compared with the list below, whole.

import { beforeAll, expect, test } from 'bun:test'
import { annotate } from '../../src/core/applications/annotate.ts'
import { useDatabase, usePool } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { useLogin } from '../support/logins.ts'
import { aComputedProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'

const database = await useDatabase()
const owner = database.sql
const roles = ['tributary_service', 'tributary_worker', 'tributary_console', 'tributary_follower'] as const
type Role = (typeof roles)[number]

interface Column {
  table_name: string
  column_name: string
  is_generated: boolean
}
let columns: Column[]

beforeAll(async () => {
  const { program_version_id } = await aComputedProgram(owner, { slug: 'own', questions: [q.text('own')] })
  await owner`
    insert into docs_example (program_version_id, code_version, content, duration_ms)
    values (${program_version_id}, 1, '{}', 1) on conflict do nothing`
  const program = await insertRawProgram(owner, 'own-applications')
  const [application_id] = await insertRawApplications(owner, program, 3)
  await annotate(owner, {
    program_id: program.program_id,
    application_id: application_id!,
    note: 'own',
    actor: 'operator:test',
    now: Date.now() * 1000,
    timeZone: 'UTC',
  })
  await createTestKey(owner, { programs: ['own'] })
  columns = await owner<Column[]>`
    select c.relname as table_name, a.attname as column_name, a.attidentity = 'a' or a.attgenerated <> '' as is_generated
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace
    and c.relkind = 'r'
    and a.attnum > 0
    and not a.attisdropped
    order by c.relname, a.attnum`
})

/** What a login is let do, as `table: insert, update(columns), delete`; a refusal by a privilege and one by a trigger are one. */
async function allowedTo(role: Role): Promise<string[]> {
  const sql = usePool({ url: await useLogin(database, role), connectionsMax: 1, applicationName: 'test' })
  const isAllowed = async (statement: string, values: string[] = []): Promise<boolean> => {
    const undone = new Error('undone')
    const outcome: { code?: string } = await sql
      .begin(async tx => {
        for (const name of ['follow', 'rerender', 'distributed', 'owner'])
          await tx`select set_config(${`tributary.${name}`}, 'on', true)`
        await tx.unsafe(statement, values)
        throw undone
      })
      .catch(error => error)
    // Another refusal than that of a right, as of a unique index, comes after those of rights.
    return outcome === undone || !['42501', '23001', '428C9'].includes(outcome.code ?? '')
  }
  const allowed: string[] = []
  for (const table of new Set(columns.map(column => column.table_name))) {
    const own = columns.filter(column => column.table_name === table)
    const [row] = await owner.unsafe<{ row: string }[]>(`select to_jsonb(t)::text as row from ${table} t limit 1`)
    const granted = await sql<{ column_name: string }[]>`
      select column_name
      from unnest(${own.filter(column => !column.is_generated).map(column => column.column_name)}::text[]) as column_name
      where has_column_privilege(${table}::text, column_name, 'insert')`
    const names = granted.map(item => item.column_name).join(', ')
    const may: string[] = []
    const inserted = `insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table}, $1::text::jsonb)`
    if (names !== '' && (await isAllowed(inserted, [row?.row ?? '{}']))) may.push('insert')
    const updated: string[] = []
    for (const { column_name } of own) {
      if (await isAllowed(`update ${table} set ${column_name} = ${column_name}`)) updated.push(column_name)
    }
    if (updated.length > 0) may.push(`update(${updated.length === own.length ? '*' : updated.join(' ')})`)
    if (await isAllowed(`delete from ${table}`)) may.push('delete')
    if (await isAllowed(`truncate ${table} cascade`)) may.push('truncate')
    if (may.length > 0) allowed.push(`${table}: ${may.join(', ')}`)
  }
  return allowed
}

/** An insert counts where only a unique index refused the row that is there already. */
const rights: Record<Role, string> = {
  tributary_service: `
    api_key: update(exposed_at last_used_at last_used_address)
    applicant: insert, update(language updated_at)
    application: insert, update(superseded_seq)
    application_in_progress: insert, update(answers updated_at), delete
    application_words: insert
    apply_code: insert, update(code_hash expires_at intermediary_id), delete
    apply_session: insert, update(sealed_code code_shown seen_at), delete
    intermediary_client: insert
    submission_counter: update(submit_seq submissions last_submit_time)
    submission_request: insert
    uploaded_file: insert, update(file_type bytes check_at)`,
  tributary_worker: `
    application_in_progress: delete
    derived_status: insert, update(*)
    docs_example: insert, update(*)
    job_run: insert, delete
    outbox: insert, update(job_name job_id payload traceparent created_at), delete
    program_key_map: insert, update(*)
    submission_request: delete
    uploaded_file: update(check_at), delete
    webhook_attempt: insert, delete
    webhook_endpoint: update(delivered_change delivered_at attempts busy_until retry_at asked failures first_failed_at disabled_at disabled_because)
    worker_heartbeat: insert, update(*), delete`,
  tributary_console: `
    admin_token: insert, update(*)
    api_key: insert, update(*)
    api_key_program: insert, update(*), delete
    api_key_request_day: insert, update(requests), delete
    application: update(status status_last_modified_time application_note annotations)
    application_annotation: insert
    apply_code: insert, update(intermediary_id), delete
    apply_session: delete
    audit_event: insert
    console_session: insert, update(*), delete
    derived_status: insert, update(*)
    instance: update(only_row)
    intermediary: insert, update(*)
    intermediary_organization: insert, update(*)
    invitation: insert, update(*), delete
    outbox: insert
    person: insert, update(*)
    person_identity: insert, delete
    person_program: insert, update(*), delete
    program: insert, update(display_name statuses retention_days intake_state intake_text)
    program_version: insert, update(state published_at published_by)
    publication: insert, update(program_id programs_done ended_at refusal)
    question: insert, delete
    question_version: insert, delete
    refusal: insert, update(request_id happened_at reason api_key_id address path), delete
    second_factor: insert, update(*), delete
    submission_counter: insert, update(closed)
    webhook_endpoint: insert, update(webhook_endpoint_id program_id url secret_name earlier_secret_name earlier_secret_until created_at created_by delivered_change delivered_at attempts busy_until retry_at asked failures first_failed_at disabled_at disabled_because), delete`,
  // Nothing is followed here, so it changes nothing but its own tables. Its keys: tests/civiform/follower-role.test.ts.
  tributary_follower: `
    api_key: insert
    api_key_program: insert
    civiform_application: insert, update(*)
    civiform_change: insert
    civiform_finding: insert, update(*), delete
    civiform_source: update(*)
    instance: update(only_row)
    outbox: insert`,
}

test.each([...roles])('%s may change exactly this in an installation with its own programs', async role => {
  expect(await allowedTo(role)).toEqual(
    rights[role]
      .trim()
      .split('\n')
      .map(line => line.trim()),
  )
})

test('no function of the schema has an exception for a setting, which any login could set', async () => {
  const reading = await owner`
    select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ 'current_setting'`
  expect(reading.map(row => row.proname)).toEqual([])
})

test('every trigger function sets its search path, so none reads a temporary table of its caller', async () => {
  const worker = usePool({
    url: await useLogin(database, 'tributary_worker'),
    connectionsMax: 1,
    applicationName: 'test',
  })
  await owner.unsafe(`grant temporary on database ${new URL(database.url).pathname.slice(1)} to tributary_worker`)
  const removing = worker.begin(async tx => {
    await tx`create temporary table program (program_id bigint, retention_days integer) on commit drop`
    await tx`insert into program select program_id, 0 from public.program`
    await tx`delete from application`
  })
  await expect(removing).rejects.toMatchObject({ code: '42501' })
  // Names with a schema do without.
  const without = await owner`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace
    and prorettype = 'trigger'::regtype
    and proconfig is null
    and prosrc ~ '\m(from|join|into|update|audit_seal)\s+(?!(public|pg_catalog|old|new)\.)[a-z_]+\s'`
  expect(without.map(row => row.proname)).toEqual([])
})
