// Contract D26: "An applicant belongs to the front end that registered it. […] To any other key the applicant does not exist: the
// same 404 as for an id never given."

import { beforeEach, describe, expect, test } from 'bun:test'
import { useIntake, useService } from '../../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../../support/keys.ts'
import { q } from '../../../support/programs.ts'
import { useRecorder } from '../../../support/statement-recorder.ts'

const intake = await useIntake([q.text('secret', { optional: true })])
const { sql, url } = intake.database
const { recorder, recorded } = await useRecorder(url)
// Both connections have asked for the types by now, as each does first.
await Promise.all([recorded`select 1`, recorded`select 1`])
const service = await useService({ ...intake.database, url: recorder.url, sql: recorded })
const keyOf = (frontEnd: string) => createTestKey(sql, { maySubmit: true, programs: ['housing-aid'], frontEnd })
const [owner, sibling, stranger] = [await keyOf('Portal'), await keyOf('Portal'), await keyOf('Kiosk')]

interface Said {
  status: number
  /** Everything that was answered but for the request's id, and for what the limits and the clock say. */
  all: string
  text: string
}

async function say(key: TestKey, method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Said> {
  const response = await service.get(`/intake/v1/${path}`, {
    method,
    headers: {
      Authorization: key.authorization,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const id = response.headers.get('x-request-id')!
  const fields = [...response.headers].filter(([name]) => name !== 'date').sort()
  return { status: response.status, all: JSON.stringify([response.status, fields, text]).replaceAll(id, 'ID'), text }
}

const answers = { answers: { secret: { text: 'only for portal' } } }
const submitter = { submitter: { type: 'APPLICANT' } }
const answersOf = (applicant: number): string => `programs/housing-aid/applicants/${applicant}/answers`
const submissionsOf = (applicant: number): string => `programs/housing-aid/applicants/${applicant}/submissions`
const neverGiven = 999_999_999

const register = async (key: TestKey): Promise<number> =>
  JSON.parse((await say(key, 'POST', 'applicants', { language: 'en' })).text).applicant_id

let applicant: number
beforeEach(async () => {
  applicant = await register(owner)
  expect(await say(owner, 'PUT', answersOf(applicant), answers)).toMatchObject({ status: 200 })
})

/** Every way of intake to name an applicant. */
const ways: [what: string, ask: (key: TestKey, applicant: number) => Promise<Said>][] = [
  ['change the language', (key, id) => say(key, 'PUT', `applicants/${id}`, { language: 'de' })],
  ['read the answers', (key, id) => say(key, 'GET', answersOf(id))],
  ['ask for them with HEAD', (key, id) => say(key, 'HEAD', answersOf(id))],
  [
    'save an answer',
    (key, id) => say(key, 'PUT', answersOf(id), { answers: { secret: { text: 'put in its place' } } }),
  ],
  ['take the answer back', (key, id) => say(key, 'PUT', answersOf(id), { answers: { secret: null } })],
  ['save nothing', (key, id) => say(key, 'PUT', answersOf(id), { answers: {} })],
  ['submit', (key, id) => say(key, 'POST', submissionsOf(id), submitter, crypto.randomUUID())],
]

describe('to a key of another front end an applicant does not exist (D26)', () => {
  test.each(ways)('%s: gets the 404 of an unknown ID with the same statements and no effect', async (_, ask) => {
    await ask(stranger, neverGiven)
    const reported: { all: string; statements: string[] }[] = []
    for (const id of [applicant, neverGiven]) {
      recorder.clear()
      const { all, status } = await ask(stranger, id)
      expect(status).toBe(404)
      reported.push({
        all,
        statements: recorder.statements.map(({ text }) => text).filter(text => !/last_used/.test(text)),
      })
    }
    expect(reported[0]!).toEqual(reported[1]!)
    expect(reported[0]!.statements.length).toBeGreaterThan(1)
    expect(JSON.parse((await say(owner, 'GET', answersOf(applicant))).text).answers).toEqual({
      secret: { question_type: 'TEXT', text: 'only for portal' },
    })
    expect(await traces(applicant)).toEqual(['applicant_registered'])
  })

  test('does not reveal what was submitted under an idempotency key, even if the API key moved to another front end', async () => {
    const key = await createTestKey(intake.database.sql, {
      maySubmit: true,
      programs: ['housing-aid'],
      frontEnd: 'Portal',
    })
    const submit = (id: number) => say(key, 'POST', submissionsOf(id), submitter, 'kept')
    expect(await submit(applicant)).toMatchObject({ status: 201 })
    expect(await submit(applicant)).toMatchObject({ status: 200 })
    await intake.database.sql`update api_key set front_end = 'Kiosk' where api_key_id = ${key.api_key_id}`
    const [replayed, never] = [await submit(applicant), await submit(neverGiven)]
    expect(replayed.status).toBe(404)
    expect(replayed.all).toBe(never.all)
  })

  test('has no key if its front end is unknown', async () => {
    const { sql } = intake.database
    const [row] = await sql<{ applicant_id: number }[]>`
      insert into applicant (language) values ('en') returning applicant_id`
    for (const [, ask] of ways) expect((await ask(owner, row!.applicant_id)).status).toBe(404)
  })

  test('gets the same 404 from every route', async () => {
    const bodies: string[] = []
    for (const [what, ask] of ways.filter(([what]) => !what.includes('HEAD'))) {
      const { text } = await ask(stranger, applicant)
      bodies.push(JSON.stringify({ ...JSON.parse(text), request_id: '' }))
      expect(bodies.at(-1), what).toBe(bodies[0]!)
    }
  })
})

describe('"several keys may share one" (D26)', () => {
  test('so another key of the front end can finish an application', async () => {
    expect(JSON.parse((await say(sibling, 'GET', answersOf(applicant))).text).answers).toEqual({
      secret: { question_type: 'TEXT', text: 'only for portal' },
    })
    expect(await say(sibling, 'PUT', `applicants/${applicant}`, { language: 'de' })).toMatchObject({ status: 200 })
    expect(await say(sibling, 'POST', submissionsOf(applicant), submitter, 'x')).toMatchObject({ status: 201 })
  })
})

test('the audit log has registrations, changes and submissions with key and IDs, and no answers', async () => {
  await say(sibling, 'PUT', `applicants/${applicant}`, { language: 'vi' })
  const { text } = await say(owner, 'POST', submissionsOf(applicant), submitter, crypto.randomUUID())
  const { application_id, program_version_id } = JSON.parse(text)
  const rows = await intake.database.sql`
    select actor, action, subject, host(address) as address, detail
    from audit_event
    where (action like 'applicant\\_%' and subject = ${String(applicant)})
    or (action = 'application_submitted' and subject = ${String(application_id)})
    order by audit_event_id`
  const common = { subject: String(applicant), address: '127.0.0.1' }
  const detail = { front_end: 'Portal' }
  expect([...rows] as unknown[]).toEqual([
    { ...common, actor: `key:${owner.api_key_id}`, action: 'applicant_registered', detail },
    { ...common, actor: `key:${sibling.api_key_id}`, action: 'applicant_language_changed', detail },
    {
      actor: `key:${owner.api_key_id}`,
      action: 'application_submitted',
      subject: String(application_id),
      address: '127.0.0.1',
      detail: { ...detail, program_id: intake.program.program_id, program_version_id, applicant_id: applicant },
    },
  ])
})

/** What the audit log has of an applicant. */
async function traces(applicantId: number): Promise<string[]> {
  const rows = await intake.database.sql<{ action: string }[]>`
    select action
    from audit_event
    where subject = ${String(applicantId)}
    or (detail ->> 'applicant_id')::bigint = ${applicantId}
    order by audit_event_id`
  return rows.map(row => row.action)
}
