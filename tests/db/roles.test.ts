// Least privilege: what `roles.sql` lets service and worker do, tried as them. The owner of the schema migrates.

import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { setRetention } from '../../src/core/applications/erase.ts'
import { findPersonOf, forgetIdentity } from '../../src/core/people/identities.ts'
import { prepareQueue } from '../../src/core/queue/connect.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { testCertificate } from '../support/certificate.ts'
import { aPerson, ConsoleVisitor } from '../support/console.ts'
import { ApiProgram, aToken } from '../support/console-api.ts'
import type { TestDatabase } from '../support/database.ts'
import { ExportClient } from '../support/export-client.ts'
import { endWithFile, useDatabase, useFolder, usePool, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey, type TestKey } from '../support/keys.ts'
import { endProcesses, spawnProcess, startMain } from '../support/processes.ts'
import { aComputedProgram as aProgram, everyKind, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { useReceiver } from '../support/receiver.ts'
import { failureOf } from '../support/refusal.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { keys, TestWebhooks } from '../support/webhooks.ts'

const slug = 'guarded'
const database = await useDatabase()
const owner = database.sql
let key: TestKey
let versionId: number

/** The database as a login role of one group sees it. */
function as(group: string): TestDatabase {
  const url = new URL(database.url)
  url.username = `${group}_login_${process.pid}`
  url.password = ''
  const sql = usePool({ url: url.href, connectionsMax: 5, applicationName: 'test' })
  return { ...database, url: url.href, sql }
}

await prepareQueue(database.url)
// As often as it is asked to.
for (const _ of [1, 2]) await grantRoles(owner)
for (const group of ['tributary_service', 'tributary_worker', 'tributary_console']) {
  const login = `${group}_login_${process.pid}`
  await owner.unsafe(`create role ${login} login in role ${group}`)
  // Roles are of the whole server, which other tests use too.
  endWithFile(() => owner.unsafe(`drop owned by ${login}; drop role ${login}`).simple())
}
const service = as('tributary_service')
const worker = as('tributary_worker')
const desk = as('tributary_console')

beforeAll(async () => {
  const version = await aProgram(owner, { slug, questions: [q.text('plain', { optional: true }), ...everyKind] })
  versionId = version.program_version_id
  key = await createTestKey(owner, { programs: [slug], maySubmit: true })
})

/** What none of the three may do. */
const forbidden: [string, string][] = [
  ['change an audit event', "update audit_event set actor = 'mallory'"],
  ['remove an audit event', 'delete from audit_event'],
  ['record a pruning', "update audit_seal set file = 'x'"],
  ['remove a seal', 'delete from audit_seal'],
  ['choose the number of an event', "select setval('audit_event_number', 1)"],
  ['create a table', 'create table public.x (y text)'],
  ['make a large object', 'select lo_create(0)'],
  ['make a large object of bytes', "select lo_from_bytea(0, '')"],
  ['act as an operator', "insert into audit_event (actor, action, subject) values ('operator:root', 'x', 'x')"],
]
afterEach(endProcesses)

const insufficientPrivilege = '42501'
const codeOf = async (statement: PromiseLike<unknown>) => (await failureOf(statement))?.code ?? 'allowed'

/** The service as an installation has it: the console with a role of its own. */
const withDesk = () => useService(service, { consoleDatabaseUrl: desk.url }, { consoleDb: desk.sql })

async function atDesk() {
  const ada = await aPerson(owner)
  const running = await withDesk()
  return { ada, running, browser: await new ConsoleVisitor(running).signIn(ada.email) }
}

describe('the service, with its own role', () => {
  let running: TestService
  beforeAll(async () => {
    await prepareDatabase(service.sql, 'UTC')
    running = await withDesk()
  })

  /** A submission that is sent again with its idempotency key is answered with the first one's receipt. */
  async function sendTwice(applicant: number): Promise<void> {
    const path = `/intake/v1/programs/${slug}/applicants/${applicant}`
    const headers = {
      Authorization: key.authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    }
    const answers = { answers: { applicant_name: { first_name: 'Ada', last_name: 'Lovelace' } } }
    await running.get(`${path}/answers`, { method: 'PUT', headers, body: JSON.stringify(answers) })
    const body = JSON.stringify({ submitter: { type: 'APPLICANT' } })
    const receipts = []
    for (const _ of ['first', 'again']) {
      const response = await running.get(`${path}/submissions`, { method: 'POST', headers, body })
      expect(response.ok).toBe(true)
      receipts.push(((await response.json()) as { application_id: number }).application_id)
    }
    expect(receipts[1]).toBe(receipts[0]!)
  }

  test('registers, saves, submits again, exports a walk, shows docs and checks a key', async () => {
    const frontEnd = new FrontEnd(running, key, slug)
    const applicant = await frontEnd.register()
    const answers = { applicant_name: { first_name: 'Ada', last_name: 'Lovelace' }, plain: { text: 'one' } }
    await frontEnd.apply(applicant, answers)
    await frontEnd.apply(applicant, { ...answers, plain: { text: 'two' } })
    await frontEnd.apply(await frontEnd.register(), answers)
    await sendTwice(applicant)
    const headers = { Authorization: key.authorization, 'Content-Type': 'application/json' }
    const patched = await running.get(`/intake/v1/applicants/${applicant}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ language: 'es' }),
    })
    expect([200, 204]).toContain(patched.status)
    const states: string[] = []
    for await (const { page } of new ExportClient(running, key, slug).walk({ pageSize: '1' }))
      states.push(...page.payload.map(application => application.revision_state))
    expect(states).toEqual(['OBSOLETE', 'OBSOLETE', 'CURRENT', 'CURRENT'])
    for (const path of ['/api/v1/checkAuth', '/docs/api', '/docs/api/programs', `/docs/api/programs/${slug}`])
      expect([path, (await running.get(path, { headers })).status]).toEqual([path, 200])
    await until('the audit log', async () => {
      const rows = await owner<{ action: string }[]>`
        select action from audit_event where actor = ${`key:${key.api_key_id}`}`
      return rows.filter(row => row.action === 'applications_exported').length === 4 && rows.length > 5
    })
    await until('the last use of the key', async () => {
      const [row] = await owner`select last_used_at from api_key where api_key_id = ${key.api_key_id}`
      return row!.last_used_at
    })
    expect(running.logLines.filter(line => line.level === 'error' || line.level === 'warn')).toEqual([])
  })

  test('starts as a process, becomes ready and accepts the key', async () => {
    const { url, health, log } = await startMain(service)
    expect((await fetch(`${health}/readyz`)).status).toBe(200)
    const headers = { Authorization: key.authorization }
    expect((await fetch(`${url}/api/v1/checkAuth`, { headers })).status).toBe(200)
    expect(log.filter(line => line.level === 'error' || line.level === 'warn')).toEqual([])
  })

  test('serves the other reads of clients, and sets statuses with the role of the console', async () => {
    const program = await insertRawProgram(owner, 'written-by-clients')
    const [id] = await insertRawApplications(owner, program, 1)
    const key = await createTestKey(owner, { programs: ['written-by-clients'], mayAnnotate: true })
    const running = await withDesk()
    const headers = { Authorization: key.authorization, 'Content-Type': 'application/json', 'If-Match': '*' }
    const application = `/api/v1/admin/programs/written-by-clients/applications/${id}`
    const set = () =>
      running.get(`${application}/status`, { method: 'PATCH', headers, body: '{"application_note":"seen"}' })
    const read = [
      '/api/v1/admin/programs',
      application,
      `${application}/revisions`,
      `${application}/history`,
      `${application}/status`,
    ]
    for (const path of read) expect([path, (await running.get(path, { headers })).status]).toEqual([path, 200])
    expect((await set()).status).toBe(200)
    const again = await running.get(application, { headers })
    expect(((await again.json()) as { application_note: string }).application_note).toBe('seen')
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
  })

  test('saves drafts of programs', async () => {
    const { running, browser } = await atDesk()
    const first = await aProgram(owner, { slug: 'desk', questions: [q.text('desk one')] })
    const second = await aProgram(owner, { slug: 'desk', questions: [q.text('desk two')] })
    const taken = await browser.post(`/admin/programs/desk/versions/${first.program_version_id}/take`, {
      based_on: String(second.program_version_id),
    })
    expect(taken.status).toBe(303)
    expect(await browser.page('/admin/programs/desk/questions')).toContain('desk one')
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
  })

  test.each([
    ...forbidden,
    ['change a published version', 'update program_version set screens = screens'],
    ['rename a program for clients', 'update program set slug = slug'],
    ['change a submitted answer', 'update application set snapshot = snapshot'],
    ['change status or note', "update application set status = 'Approved'"],
    ['delete an application', 'delete from application'],
    ['empty a table', 'truncate application cascade'],
    ['read the audit log', 'select from audit_event'],
    [
      'date an audit event',
      "insert into audit_event (happened_at, actor, action, subject) values (now(), 'key:x', 'x', 'x')",
    ],
    [
      'number an audit event',
      "insert into audit_event (audit_event_id, actor, action, subject) overriding system value values (1, 'key:x', 'x', 'x')",
    ],
    [
      'sign an audit event as another role',
      "insert into audit_event (database_user, actor, action, subject) values ('x', 'key:x', 'x', 'x')",
    ],
    ['make a temporary table', 'create temporary table x (y text)'],
    ['act as the worker', "insert into audit_event (actor, action, subject) values ('retention', 'x', 'x')"],
    ['act as the follower', "insert into audit_event (actor, action, subject) values ('civiform', 'x', 'x')"],
    ['act as a person of the console', "insert into audit_event (actor, action, subject) values ('admin:x', 'x', 'x')"],
    [
      'act as a program of a person of the console',
      "insert into audit_event (actor, action, subject) values ('admin-token:x:x', 'x', 'x')",
    ],
    ['see a token of an administrator', 'select from admin_token'],
    ['see who works in the console', 'select from person'],
    ['see identities of people elsewhere', 'select from person_identity'],
    ['list an intermediary', 'insert into intermediary (organization_id) values (1)'],
    ['enable an organization', 'update intermediary_organization set disabled_at = null'],
    ['begin a session', 'insert into console_session (person_id) values (1)'],
    ['read a seal', 'select from audit_seal'],
    ['seal the audit log', 'insert into audit_seal (segment) values (1)'],
    ['make a key', "insert into api_key (api_key_id) values ('x')"],
    ['revive a key', 'update api_key set retired_at = null, retired_by = null'],
    ['enable a key', 'update api_key set disabled_at = null, disabled_by = null'],
    ['prolong a key', "update api_key set expires_at = expires_at + interval '1 day'"],
    ['exchange a secret', 'update api_key set secret_hash = secret_hash'],
    ['grant a program', 'insert into api_key_program select api_key_id, 1 from api_key'],
    ['publish', "insert into program (slug, display_name) values ('x', 'x')"],
    ['hand out another application to an applicant', "update applicant set front_end = 'x'"],
    ['turn triggers off', 'alter table application disable trigger all'],
    [
      'leave a tombstone',
      'insert into erased_application (program_id, application_id, submit_seq, submit_time) values (1, 1, 1, now())',
    ],
    ['set another zone', "update instance set time_zone = 'Europe/Berlin'"],
    ['read jobs of the queue', 'select from bullmq.job'],
    ['number a change that is no submission', 'select draw_changes(1, 1)'],
    ['erase an application', 'select erase_application(1, 1)'],
    ['erase an applicant', 'select erase_applicant(1)'],
    ['take what started from an application', 'select hold_for_erasure(1, 1)'],
    ['take what an applicant has in progress', 'select hold_applicant(1)'],
  ])('cannot %s', async (_, statement) => {
    expect(await codeOf(service.sql.unsafe(statement))).toBe(insufficientPrivilege)
  })

  test.each([
    ['what a key pulled', 'count_export', 'create trigger forged after insert on forgery for each row'],
    ['a link', 'link_audit_event', 'create constraint trigger forged after insert on forgery for each row'],
    [
      'a tombstone',
      'leave_tombstone',
      'create trigger forged after delete on forgery referencing old table as removed for each statement',
    ],
  ])('cannot forge %s with its own table and a function that has the owner’s rights', async (_, name, trigger) => {
    const forging = service.sql.begin(async tx => {
      await tx`create temporary table forgery (audit_event_id bigint) on commit drop`
      await tx.unsafe(`${trigger} execute function ${name}()`)
    })
    expect(await codeOf(forging)).toBe(insufficientPrivilege)
  })

  test('an audit event has the database time and the role that wrote it', async () => {
    await service.sql`insert into audit_event (actor, action, subject) values ('key:x', 'x', 'stamped')`
    const [event] = await owner`
      select database_user, happened_at between clock_timestamp() - interval '1 minute' and clock_timestamp() as now
      from audit_event where subject = 'stamped'`
    expect(event).toEqual({ database_user: `tributary_service_login_${process.pid}`, now: true })
  })

  test('an operator with the owner’s rights cannot backdate an event either', async () => {
    await owner`
      insert into audit_event (happened_at, database_user, actor, action, subject)
      values ('2000-01-01', 'mallory', 'operator:kim', 'x', 'dated')`
    const [event] = await owner`
      select database_user = session_user as own, happened_at > '2020-01-01' as now from audit_event where subject = 'dated'`
    expect(event).toEqual({ own: true, now: true })
  })
})

describe('the worker, with its own role', () => {
  test('delivers webhooks after any kind of change, and gives up on an endpoint that is gone', async () => {
    const hooks = new TestWebhooks(owner)
    hooks.now = Date.now() * 1000
    const [open, gone] = [useReceiver(), useReceiver()]
    gone.answer = () => new Response(null, { status: 410 })
    const [reached, lost] = [await hooks.endpoint(open.url), await hooks.endpoint(gone.url)]
    for (const { program } of [reached, lost]) await hooks.apply(program, 2)
    // An erasure, which is looked for in every table that has changes.
    await owner`delete from application where program_id = ${reached.program.program_id} and submit_seq = 1`
    const certificate = join(await useFolder(), 'receiver.pem')
    await Bun.write(certificate, testCertificate.cert)
    const { child, log } = spawnProcess('workers/main.ts', worker, {
      WEBHOOK_KEYS: keys.map(key => key.toString('base64')).join(),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      NODE_EXTRA_CA_CERTS: certificate,
    })
    await until('the one to be given up', async () => (await hooks.state(lost.id)).state === 'given_up')
    await until('the other to have got its message', async () => (await hooks.state(reached.id)).delivered_at)
    expect((await hooks.attempts(reached.id))[0]).toMatchObject({ change: 3, outcome: 'delivered', status: 204 })
    expect(log.filter(line => line.level === 'error' || line.level === 'warn')).toEqual([])
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    // It makes none, and no secret of its own.
    for (const statement of [
      'delete from webhook_endpoint',
      "update webhook_endpoint set url = 'https://elsewhere.example'",
    ])
      expect(await codeOf(worker.sql.unsafe(statement))).toBe(insufficientPrivilege)
  })

  test('generates docs of published versions, and erases applications after their retention period', async () => {
    const raw = await insertRawProgram(owner, 'kept-a-while')
    const yesterday = (Date.now() - 86_400_000) * 1000
    await insertRawApplications(
      owner,
      raw,
      3,
      i => `answer ${i}`,
      i => yesterday - i * 86_400_000_000,
    )
    await setRetention(owner, raw.slug, { days: 2, actor: 'operator:test', confirmation: raw.slug })
    // What was begun, and the receipt of what was submitted, of a while ago and of now.
    const [old, , young] = await owner<{ applicant_id: number; application_id: number }[]>`
      select applicant_id, application_id from application where program_id = ${raw.program_id} order by submit_time`
    for (const [{ applicant_id, application_id }, days] of [[old!, 9] as const, [young!, 0] as const]) {
      await owner`
        insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
        values (${raw.program_id}, ${applicant_id}, now(), '{}', now() - make_interval(days => ${days}))`
      await owner`
        insert into submission_request (program_id, api_key_id, idempotency_key, applicant_id, request_hash, application_id)
        values (${raw.program_id}, ${key.api_key_id}, ${crypto.randomUUID()}, ${applicant_id}, '', ${application_id})`
    }
    const { child, log } = spawnProcess('workers/main.ts', worker)
    await until('what is derived', async () => {
      const [row] = await owner`
        select
          (select count(*) from program_key_map where program_version_id = ${versionId}) as maps,
          (select count(*) from docs_example where program_version_id = ${versionId}) as docs,
          (select count(*) from application where program_id = ${raw.program_id}) as kept`
      return row!.maps === 1 && row!.docs === 1 && row!.kept === 1
    })
    expect(await owner`select from erased_application where program_id = ${raw.program_id}`).toHaveLength(2)
    expect(await owner`select from application_in_progress where program_id = ${raw.program_id}`).toHaveLength(1)
    expect(await owner`select from submission_request where program_id = ${raw.program_id}`).toHaveLength(1)
    const again = await aProgram(owner, { slug: 'published-later' })
    await until(
      'what was published in the meantime',
      async () =>
        (await owner`select from docs_example where program_version_id = ${again.program_version_id}`).length === 1,
    )
    expect(log.filter(line => line.level === 'error' || line.level === 'warn')).toEqual([])
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  })

  test.each([
    ...forbidden,
    ['read an answer', 'select snapshot from application'],
    ['read a saved answer', 'select answers from application_in_progress'],
    ['read an applicant', 'select from applicant'],
    ['read a key', 'select from api_key'],
    ['change an application', 'update application set superseded_seq = 9'],
    ['delete an application that has not expired', 'delete from application'],
    ['forget answers that have not expired', 'delete from application_in_progress'],
    ['forget a submission that may be sent again', 'delete from submission_request'],
    ['act as a key', "insert into audit_event (actor, action, subject) values ('key:x', 'applications_exported', 'x')"],
    ['act as the follower', "insert into audit_event (actor, action, subject) values ('civiform', 'x', 'x')"],
    ['change how long applications are kept', 'update program set retention_days = 1'],
    ['publish', "update program_version set state = 'ACTIVE'"],
  ])('cannot %s', async (_, statement) => {
    const raw = await insertRawProgram(owner, `kept-${crypto.randomUUID()}`)
    await insertRawApplications(owner, raw, 1)
    await owner`
      insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
      select program_id, applicant_id, now(), '{}', now() from application where program_id = ${raw.program_id}`
    await owner`
      insert into submission_request (program_id, api_key_id, idempotency_key, applicant_id, request_hash, application_id)
      select program_id, ${key.api_key_id}, ${raw.slug}, applicant_id, '', application_id
      from application where program_id = ${raw.program_id}`
    expect(await codeOf(worker.sql.unsafe(statement))).toBe(insufficientPrivilege)
  })
})

test('starting with a current schema writes nothing, and with an old schema a role without the right to create gets a clear error', async () => {
  expect(await migrate(service.sql, allMigrations)).toEqual([])
  const newer = { ...allMigrations[0]!, name: '9999-newer.sql', text: 'create table newer ()', sha256: 'x' }
  expect(await codeOf(migrate(service.sql, [...allMigrations, newer]))).toBe(insufficientPrivilege)
})

describe('the console, with its own role', () => {
  test('lets people sign in and invite others', async () => {
    const { ada, running, browser } = await atDesk()
    expect((await browser.page('/admin/people')).replaceAll('<wbr/>', '')).toContain(ada.email)
    const invited = await browser.post('/admin/people/invite', { name: 'Bo', email: 'bo@example.gov', role: 'AUDITOR' })
    expect(invited.status).toBe(200)
    expect((await browser.post('/admin/sign-out', { everywhere: 'yes' })).status).toBe(303)
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
  })

  test('offers the same actions through its API as on its pages', async () => {
    const ada = await aPerson(owner)
    const { token } = await aToken(desk.sql, ada)
    const running = await withDesk()
    const program = ApiProgram.withToken(running, token)
    const version = await aProgram(owner, { slug: 'by-program', questions: [q.text('by program')] })
    const { body: draft } = await program.ask('GET', '/programs/by-program/draft')
    const saved = await program.ask('PUT', '/programs/by-program/draft', { ...draft, display_name: 'Renamed' })
    const published = await program.ask('POST', '/programs/by-program/publish', {
      based_on: saved.body.program_version_id,
    })
    expect([saved.status, published.status]).toEqual([200, 200])
    expect(published.body.program_version_id).toBeGreaterThan(version.program_version_id)
    for (const path of ['/audit/events', '/jobs', '/keys', '/people', '/settings/retention', '/intermediaries'])
      expect([path, (await program.ask('GET', path)).status]).toEqual([path, 200])
    for (const [path, body] of [
      ['/audit/verify', {}],
      ['/docs/regenerate', { program: 'by-program' }],
    ] as const)
      expect([path, (await program.ask('POST', path, body)).status]).toEqual([path, 200])
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
  })

  test('serves the pages for audit, jobs and publishing', async () => {
    const { running, browser } = await atDesk()
    const first = await aProgram(owner, { slug: 'by-page', questions: [q.text('page one')] })
    const second = await aProgram(owner, { slug: 'by-page', questions: [q.text('page two')] })
    await browser.post(`/admin/programs/by-page/versions/${first.program_version_id}/take`, {
      based_on: String(second.program_version_id),
    })
    const [draft] = await owner<{ program_version_id: number }[]>`
      select program_version_id from program_version join program using (program_id)
      where slug = 'by-page' and state = 'DRAFT'`
    for (const path of [
      '/admin/audit',
      '/admin/audit/events.csv',
      '/admin/audit/sent?application=1',
      '/admin/audit/verify',
      '/admin/jobs',
      '/admin/programs/by-page/publish',
      '/admin/keys/check',
      '/admin/questions',
    ])
      await browser.page(path)
    const reviewed = String(draft!.program_version_id)
    for (const [path, form] of [
      ['/admin/audit/verify', {}],
      ['/admin/jobs/regenerate', { program: 'by-page' }],
      ['/admin/programs/by-page/publish', { reviewed }],
    ] as const)
      expect([path, [200, 303].includes((await browser.post(path, form)).status)]).toEqual([path, true])
    const [active] = await owner`
      select state from program_version where program_version_id = ${draft!.program_version_id}`
    expect(active).toEqual({ state: 'ACTIVE' })
    await owner`
      insert into derived_status (program_version_id, job_name, state, requested, last_error)
      values (${versionId}, 'refresh-key-map', 'failed', 1, 'x')
      on conflict (program_version_id, job_name) do update set state = 'failed', last_error = 'x'`
    const retried = await browser.post('/admin/jobs/retry', { job: 'refresh-key-map', version: String(versionId) })
    expect(retried.status).toBe(303)
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
  })

  test('sets retention periods, and erases no application itself', async () => {
    const raw = await insertRawProgram(owner, 'kept-by-the-console')
    await insertRawApplications(owner, raw, 2)
    const { running, browser } = await atDesk()
    const path = `/admin/programs/${raw.slug}/retention`
    const sent = { keep: 'days', days: '1', seen: '', confirmation: raw.slug }
    expect((await browser.post(path, sent)).status).toBe(303)
    const [kept] = await owner`select retention_days from program where program_id = ${raw.program_id}`
    expect(kept).toEqual({ retention_days: 1 })
    expect(await owner`select from application where program_id = ${raw.program_id}`).toHaveLength(2)
    expect(running.logLines.filter(line => line.level === 'error')).toEqual([])
    await setRetention(owner, raw.slug, { days: null, actor: 'operator:test' })
    const closed = await browser.post(`/admin/programs/${raw.slug}/intake`, { intake_state: 'CLOSED', intake_text: '' })
    expect(closed.status).toBe(303)
    const [counter] = await owner`select closed from submission_counter where program_id = ${raw.program_id}`
    expect(counter).toEqual({ closed: true })
  })

  test('stores a person’s identity at an OpenID provider, and deletes it on request', async () => {
    const { email, person_id: personId } = await aPerson(owner)
    const issuer = 'https://login.example.gov'
    const identity = { issuer, subject: crypto.randomUUID(), email }
    for (const _ of ['first', 'again'])
      expect(await findPersonOf(desk.sql, identity, undefined)).toMatchObject({ email })
    await forgetIdentity(desk.sql, { personId, email, issuer }, { actor: 'admin:x', now: 0 })
    const other = { ...identity, subject: crypto.randomUUID() }
    expect(await findPersonOf(desk.sql, other, undefined)).toMatchObject({ email })
  })

  test.each([
    ...forbidden,
    ['make a temporary table', 'create temporary table x (y text)'],
    [
      'say that a key pulled',
      "insert into audit_event (actor, action, subject) values ('key:x', 'applications_exported', 'x')",
    ],
    ['act as the worker', "insert into audit_event (actor, action, subject) values ('retention', 'x', 'x')"],
    ['act as the follower', "insert into audit_event (actor, action, subject) values ('civiform', 'x', 'x')"],
    ['read answers in progress', 'select from application_in_progress'],
    ['read what front ends sent twice', 'select from submission_request'],
    ['hand an identity to another person', 'update person_identity set person_id = person_id'],
    ['change a submitted answer', 'update application set snapshot = snapshot'],
    ['remove an application', 'delete from application'],
    ['give an application to another applicant', 'update application set applicant_id = 1'],
    ['change a status that was once set', "update application_annotation set status = 'Approved'"],
    ['set another zone', "update instance set time_zone = 'Europe/Berlin'"],
    ['remove a person', 'delete from person'],
    ['remove a token', 'delete from admin_token'],
    ['remove an intermediary', 'delete from intermediary'],
  ])('cannot %s', async (_, statement) => {
    expect(await codeOf(desk.sql.unsafe(statement))).toBe(insufficientPrivilege)
  })
})
