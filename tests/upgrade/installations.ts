// Two installations that have been in use for a while: one of its own, and one that follows a CiviForm. Made by the release that is checked
// out, on PostgreSQL 15, with what its clients and people hold by then; kept as dumps, for every later release to continue.

import { createHmac } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { generateSync } from 'otplib'
import { release } from '../../src/base/release.ts'
import { openSource } from '../../src/civiform/db/source.ts'
import { Follower } from '../../src/civiform/following/follower.ts'
import type { Config } from '../../src/config/all-settings.ts'
import { eraseApplicant, eraseApplication } from '../../src/core/applications/erase.ts'
import { disableApiKey, rotateApiKey } from '../../src/core/keys/api-keys.ts'
import { addIntermediary, addOrganization } from '../../src/core/people/intermediaries.ts'
import { disablePerson, invitePerson } from '../../src/core/people/people.ts'
import type { Role } from '../../src/core/people/roles.ts'
import { askForDeliveries } from '../../src/core/webhooks/deliveries.ts'
import { addWebhook } from '../../src/core/webhooks/endpoints.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { noEntityEnd, renderMembers } from '../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { sampleAnswers } from '../../src/domain/samples/sample-answers.ts'
import { runScript } from '../scripts/run-script.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { followOptions } from '../support/civiform/following.ts'
import { SimulatedCiviForm, type SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { testPepper, testTokenKey, unlimited } from '../support/config.ts'
import { aPerson, ConsoleVisitor } from '../support/console.ts'
import { aToken } from '../support/console-api.ts'
import type { TestDatabase } from '../support/database.ts'
import { usePool, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { useInstalledPostgres } from '../support/installed-postgres.ts'
import { createTestKey } from '../support/keys.ts'
import { lines, load, reasonProgram } from '../support/load-input.ts'
import { runOutboxJobs } from '../support/outbox-jobs.ts'
import { aDraft, aProgram, type QuestionSpec, q } from '../support/programs.ts'
import type { TestService } from '../support/service.ts'
import { goldenFolder } from './golden-folder.ts'
import { type Answer, type Read, readAll } from './reads.ts'

/** What is kept next to a dump: what the release had handed out, and how it answered. Times are microseconds. */
export interface Installation {
  release: string
  /** When the dump was made. */
  at: number
  /** Values of the Authorization header by name, each with the status of `checkAuth`. */
  keys: Record<string, { authorization: string; status: number }>
  /** Reads that were under way, with all that was left of each. */
  reads: (Read & { answers: Answer[] })[]
  own?: Own
}

/** What an installation that follows no CiviForm has besides. */
interface Own {
  slug: string
  /** By email address, with the secret of the second factor, and how pages answered. */
  people: Record<string, { second?: string; pages: Record<string, number> }>
  /** Of a session and of an administrator's token. */
  cookie: string
  token: string
  webhookSecret: string
  /** A submission whose answer a front end did not get, and answers that are not submitted yet. */
  submitted: { applicant: number; idempotencyKey: string; body: Record<string, unknown> }
  inProgress: number
  /** The input of a bulk load that was interrupted after `stored` of its applications. */
  load: { slug: string; text: string; stored: number }
}

export const pages = [
  '/admin',
  '/admin/programs',
  '/admin/keys',
  '/admin/people',
  '/admin/applications',
  '/admin/audit',
]
export const webhookKeys = [Buffer.from(testTokenKey, 'base64')] as const
export const civiformSalt = 'salt of a followed installation'
export const timeZone = 'America/Los_Angeles'
/** Settings of every service here. */
export const settings = { ...unlimited, originApiSalt: civiformSalt } satisfies Partial<Config>

const optional = { optional: true }
const by = () => ({ actor: 'operator:upgrade', now: Date.now() * 1000 })
const dayMicros = 86_400_000_000

/** A database of its own on PostgreSQL 15, with the roles of an installation, dumped by its own `pg_dump`. */
async function begin(name: string) {
  const server = await useInstalledPostgres()
  await server.run('psql', server.url, '-qc', `create database ${name}`)
  const url = server.addressOf(name)
  const sql = usePool({ url, connectionsMax: 10, applicationName: 'test' })
  await prepareDatabase(sql, timeZone)
  await grantRoles(sql)
  await sql`create role test_service login in role tributary_service`
  await sql`create role test_console login in role tributary_console`
  const database: TestDatabase = { url, sql, hasLogins: true, drop: async () => {} }
  const service = await useService(database, { ...settings, timeZone })
  /** Writes the dump, and next to it what was handed out until now with how it is answered. */
  const keep = async (keys: Record<string, string>, reads: readonly Read[], own?: Own): Promise<void> => {
    const kept: Installation = {
      release: release.version,
      at: Date.now() * 1000,
      keys: {},
      reads: [],
      own,
    }
    for (const [key, authorization] of Object.entries(keys))
      kept.keys[key] = { authorization, status: await statusOfKey(service, authorization) }
    const get = (path: string, headers: Record<string, string>) => service.get(path, { headers })
    for (const read of reads) kept.reads.push({ ...read, answers: await readAll(get, read, keys[read.key]!) })
    // What the service writes behind an answer is there when it has stopped.
    await service.stop()
    const verified = await runScript('audit-log', url, ['verify'])
    if (verified.code !== 0) throw new Error(`the audit log does not verify: ${verified.err}${verified.out}`)
    const dump = await server.run('pg_dump', '--no-owner', '--inserts', '--rows-per-insert=100', url)
    // Words of psql, with which newer releases of pg_dump begin and end a dump.
    const statements = dump.replaceAll(/^\\.*$/gm, '')
    await mkdir(goldenFolder, { recursive: true })
    const path = join(goldenFolder, `${release.version}-${name}`)
    await writeFile(`${path}.sql.gz`, gzipSync(statements, { level: 9 }))
    await writeFile(`${path}.json`, `${JSON.stringify(kept, null, 1)}\n`)
  }
  return { database, sql, service, keep }
}

export const statusOfKey = async (service: TestService, authorization: string): Promise<number> =>
  (await service.get('/api/v1/checkAuth', { headers: { Authorization: authorization } })).status

export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** How each of `pages` answers this visitor. */
export async function statusesOf(visitor: ConsoleVisitor): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const path of pages) found[path] = (await visitor.get(path)).status
  return found
}

export const codeAt = (secret: string, at: number): string =>
  generateSync({ secret, epoch: Math.floor(at / 1_000_000) })

const slug = 'rent-aid'
const story = q.text('own story', optional)
const needs = q.checkbox('own needs', ['food', 'rent', 'heat'], optional)
const rent = q.currency('own rent', optional)
const called = q.name('own called', optional)
const employer = q.text('own employer', optional)
const pay = q.currency('own pay', optional)
const job = (...repeated: QuestionSpec[]) => q.enumerator('own job', repeated, optional)
const member = (...repeated: QuestionSpec[]) => q.enumerator('own member', repeated, optional)
const others = [
  q.address('own address', optional),
  q.email('own email', optional),
  q.phone('own phone', optional),
  q.file('own file', { ...optional, max_count: 3 }),
  q.id('own case', optional),
  q.map('own place', ['north', 'south'], optional),
  q.radio('own kind', ['cat', 'dog'], optional),
  q.number('own age', optional),
  q.date('own born', optional),
]
const versions: readonly (readonly QuestionSpec[])[] = [
  [story, rent, member(called, job(employer))],
  [needs, story, rent, member(job(pay, employer), called)],
  [member(called, job(employer, pay)), ...others, story],
]

async function makeOwn(): Promise<void> {
  const { sql, service, keep } = await begin('own')
  const get = (path: string, authorization: string) => service.get(path, { headers: { Authorization: authorization } })
  const applications = `/api/v1/admin/programs/${slug}/applications`
  const changes = `/api/v1/admin/programs/${slug}/changes`

  await aProgram(sql, { slug, questions: versions[0]!, statuses: ['Received', 'Approved'] })
  await aProgram(sql, { slug: 'food-help', questions: [story] })
  const grants = { programs: [slug, 'food-help'], expiresAt: Date.now() * 1000 + 300 * dayMicros }
  const reader = await createTestKey(sql, { ...grants, mayAnnotate: true, name: 'Reader' })
  const narrow = await createTestKey(sql, { ...grants, hiddenQuestions: ['own rent', 'own employer'] })
  const desk = await createTestKey(sql, { ...grants, maySubmit: true, name: 'Front end' })
  const rotated = await createTestKey(sql, grants)
  const next = await rotateApiKey(sql, testPepper, rotated.username, 30, by())
  const disabled = await createTestKey(sql, grants)
  await disableApiKey(sql, disabled.username, by())
  const keys = {
    reader: reader.authorization,
    narrow: narrow.authorization,
    desk: desk.authorization,
    earlier: rotated.authorization,
    rotated: basic(next.username, next.password),
    disabled: disabled.authorization,
    elsewhere: (await createTestKey(sql, { ...grants, allowedSubnets: ['203.0.113.0/24'] })).authorization,
    expired: (await createTestKey(sql, { ...grants, expiresAt: Date.now() * 1000 })).authorization,
    retired: (await createTestKey(sql, { ...grants, retiredAt: Date.now() * 1000 })).authorization,
    wrong: basic(reader.username, desk.password),
  }
  const webhook = await addWebhook(
    sql,
    { keys: [...webhookKeys], allowedNetworks: [] },
    { program_id: await idOf(sql, slug), slug, url: new URL('https://127.0.0.1:1/hooks') },
    by(),
  )
  const organization = await addOrganization(sql, 'Helpers, "inc"', by())
  await addIntermediary(sql, organization, 'helper@example.org', by())

  const reads: Read[] = []
  const add = (name: string, key: keyof typeof keys, path: string, accept?: string) =>
    void reads.push({ name, key, path, ...(accept === undefined ? {} : { accept }) })
  /** Reads a walk's first page, so that the rest is left; its receipt too. */
  const beginWalk = async (name: string, key: keyof typeof keys, query: string, accept?: string) => {
    const response = await get(`${applications}?pageSize=2&${query}`, keys[key])
    if (response.status !== 200) throw new Error(`${name} was answered with ${response.status}`)
    const { nextPageToken } = (await response.json()) as { nextPageToken: string }
    add(`${name}, from its second page`, key, `${applications}?nextPageToken=${nextPageToken}`, accept)
    return { token: nextPageToken, headers: response.headers }
  }

  const frontEnd = new FrontEnd(service, desk, slug)
  const submittedIds: number[] = []
  const applicants: number[] = []
  const program_id = await idOf(sql, slug)
  const annotate = async (application: number, body: Record<string, string>): Promise<void> => {
    const response = await service.get(`${applications}/${application}/status`, {
      method: 'PATCH',
      headers: { Authorization: keys.reader, 'Content-Type': 'application/json', 'If-Match': '*' },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(`the status was answered with ${response.status}`)
  }
  let cursor = ''
  for (const [i, questions] of versions.entries()) {
    const { version } = await aProgram(sql, { slug, questions, statuses: ['Received', 'Approved'] })
    const answersOf = (variant: number): Record<string, unknown> =>
      JSON.parse(`{${renderMembers(buildKeyMap([version]), sampleAnswers(version, { variant }), noEntityEnd)}}`)
    for (let n = 0; n < 7; n++) {
      // Two of each version come again with the next one.
      const applicant =
        (n > 4 ? applicants[n + 7 * (i - 1)] : undefined) ?? (await frontEnd.register(n === 2 ? 'ko' : 'en-US'))
      applicants.push(applicant)
      const submitter =
        n === 1
          ? { type: 'TRUSTED_INTERMEDIARY', email: 'helper@example.org', organization: 'Helpers, "inc"' }
          : { type: 'APPLICANT' }
      const { application_id } = await frontEnd.apply(applicant, answersOf(7 * i + n), submitter)
      submittedIds.push(application_id)
    }
    await annotate(submittedIds.at(-1)!, { status: 'Approved', application_note: `Note ${i}: “=1+1”` })
    await annotate(submittedIds.at(-4)!, { status: 'Received' })
    const begun = await beginWalk(`a walk of version ${i + 1}`, 'reader', '')
    cursor ||= begun.headers.get('Change-Cursor')!
    add(`changes since version ${i + 1}`, 'reader', `${changes}?after=${begun.headers.get('Change-Cursor')}&pageSize=5`)
    add(`the receipt of version ${i + 1}`, 'reader', `/api/v1/admin/programs/${slug}/receipt?walk=${begun.token}`)
  }
  const order = { actor: 'operator:upgrade', reason: 'asked for' }
  await eraseApplication(sql, { program_id, application_id: submittedIds[9]! }, order)
  await eraseApplicant(sql, applicants[3]!, order)
  await annotate(submittedIds[1]!, { application_note: 'After all' })

  await beginWalk('current ones', 'reader', 'revisionState=CURRENT')
  await beginWalk('obsolete ones', 'reader', 'revisionState=OBSOLETE')
  await beginWalk('those since a day', 'reader', 'fromDate=2026-01-01&toDate=2199-01-01T09:30:00.5-08:00')
  await beginWalk('some questions', 'reader', 'fields=own_story,own_member.own_job.own_employer')
  await beginWalk('without hidden questions', 'narrow', '')
  await beginWalk('as lines', 'reader', '', 'application/x-ndjson')
  await beginWalk('as CSV', 'narrow', '', 'text/csv')
  for (const table of ['Applications', 'own_member', 'own_member__own_job']) {
    const response = await service.get(`/odata/v1/${slug}/${table}`, {
      headers: { Authorization: keys.reader, Prefer: 'odata.maxpagesize=4' },
    })
    const link = new URL(((await response.json()) as Record<string, string>)['@odata.nextLink']!)
    add(`the feed of ${table}`, 'reader', link.pathname + link.search)
  }
  add('all changes with applications', 'reader', `${changes}?include=application&after=${cursor}&pageSize=6`)
  add('changes without hidden questions', 'narrow', `${changes}?include=application&fields=own_story&after=${cursor}`)
  add('changes after a bare number', 'reader', `${changes}?after=4`)
  for (const path of ['', '/revisions', '/history', '/status'])
    add(`one application${path}`, 'reader', `${applications}/${submittedIds[5]}${path}`)
  add('the programs of a key', 'reader', '/api/v1/admin/programs')

  // What a front end holds: an answer that it never got, and answers that are not submitted yet.
  const [again, waiting] = [await frontEnd.register(), await frontEnd.register()]
  const other = new FrontEnd(service, desk, 'food-help')
  await other.save(again, { own_story: { text: 'once' } })
  await other.save(waiting, { own_story: { text: 'not yet' } })
  const idempotencyKey = crypto.randomUUID()
  const body = await submitOnce(service, keys.desk, again, idempotencyKey)

  const loaded = await reasonProgram(sql)
  const text = lines(loaded, ...Array.from({ length: 9 }, (_, n) => ({ id: 100_000 + n })))
  const stored = 3
  const interrupted = await load(sql, text, {
    timeZone,
    batchBytes: 1,
    onProgress: async count => {
      if (count === stored) throw new Error('interrupted')
    },
  }).catch(error => error)
  if (interrupted.message !== 'interrupted') throw interrupted

  await aDraft(sql, { slug: 'food-help', questions: [story, needs] })
  await askForDeliveries(sql, Date.now() * 1000)
  await runOutboxJobs(sql)
  const people: Own['people'] = {}
  const roles: [email: string, role: Role][] = [
    ['ada@example.gov', 'ADMINISTRATOR'],
    ['ben@example.gov', 'ADMINISTRATOR'],
    ['cem@example.gov', 'PROGRAM_ADMINISTRATOR'],
    ['dee@example.gov', 'AUDITOR'],
  ]
  let ada: Awaited<ReturnType<typeof aPerson>> | undefined
  let browser: ConsoleVisitor | undefined
  for (const [email, role] of roles) {
    const person = await aPerson(sql, { email, role, programs: [slug] })
    const visitor = await new ConsoleVisitor(service).signIn(email)
    const second = email.startsWith('ben') ? await setUpSecondFactor(visitor) : undefined
    people[email] = { ...(second === undefined ? {} : { second }), pages: await statusesOf(visitor) }
    ada ??= person
    browser ??= visitor
  }
  await disablePerson(sql, (await aPerson(sql, { email: 'eve@example.gov' })).person_id, by())
  await invitePerson(sql, { email: 'fay@example.gov', name: 'Fay', role: 'AUDITOR', programs: [] }, by())
  const { token } = await aToken(sql, ada!)
  await keep(keys, reads, {
    slug,
    people,
    cookie: [...browser!.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    token,
    webhookSecret: webhook.secret,
    submitted: { applicant: again, idempotencyKey, body },
    inProgress: waiting,
    load: { slug: loaded.slug, text, stored },
  })
}

/** Submits what an applicant has saved for `food-help`, under a key of the front end's own. */
export async function submitOnce(
  service: TestService,
  authorization: string,
  applicant: number,
  idempotencyKey: string,
): Promise<Record<string, unknown>> {
  const response = await service.get(`/intake/v1/programs/food-help/applicants/${applicant}/submissions`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ submitter: { type: 'APPLICANT' } }),
  })
  if (!response.ok) throw new Error(`submitting was answered with ${response.status}: ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}

async function setUpSecondFactor(visitor: ConsoleVisitor): Promise<string> {
  const path = '/admin/account/second-factor'
  const page = await visitor.page(path)
  const [secret, sealed] = [/<code id="secret">([^<]*)</, / name="sealed" value="([^"]*)"/].map(
    pattern => pattern.exec(page)![1]!,
  ) as [string, string]
  const response = await visitor.post(path, { sealed, code: codeAt(secret, Date.now() * 1000) })
  if (response.status !== 200) throw new Error(`the second factor was answered with ${response.status}`)
  return secret
}

async function idOf(sql: TestDatabase['sql'], program: string): Promise<number> {
  const [row] = await sql<{ program_id: number }[]>`select program_id from program where slug = ${program}`
  return row!.program_id
}

async function makeFollowing(): Promise<void> {
  const { sql, database, service, keep } = await begin('followed')
  const source = await useCiviForm()
  const civiform = new SimulatedCiviForm(source)
  const opened = openSource(source.readerUrl)
  const log = { info: () => {}, warn: () => {}, error: () => {} } as never
  const options = { ...followOptions, timeZone }
  const follower = new Follower({ sql: database.sql, source: opened, options, log })
  const catchUp = async (): Promise<void> => {
    const [row] = await civiform.app<{ now: number }[]>`select clock_timestamp() as now`
    for (let { watermark } = await follower.round(); (watermark ?? 0) <= row!.now; )
      ({ watermark } = await follower.round())
    await follower.round()
  }
  const text = (name: string): SimulatedQuestion => ({ name, type: 'TEXT' })
  const program = 'heat help'
  const path = '/api/v1/admin/programs/heat-help'
  await civiform.publish({ [program]: [text('own story')] })
  const id = Buffer.alloc(16, 1).toString('base64')
  const secret = Buffer.alloc(32, 1).toString('base64')
  const grants = { programGrants: { 'heat-help': ['READ'] } }
  await civiform.app`
    insert into api_keys (name, create_time, key_id, salted_key_secret, subnet, expiration, grants)
    values ('reader', now() at time zone 'UTC', ${id}, ${createHmac('sha256', civiformSalt).update(secret).digest('base64')},
      '0.0.0.0/0', '2200-01-01', ${civiform.app.json(grants)})`
  const applicants = await Promise.all([1, 2, 3, 4].map(() => civiform.applicant()))
  const submit = (applicant: number, word: string) =>
    civiform.submit({ applicant, program, answers: { own_story: { text: word } } })
  for (const applicant of applicants) await submit(applicant, `first of ${applicant}`)
  await catchUp()
  const key = basic(id, secret)
  const begun = await service.get(`${path}/applications?pageSize=1`, { headers: { Authorization: key } })
  const { nextPageToken } = (await begun.json()) as { nextPageToken: string }
  await civiform.publish({ [program]: [text('own story'), text('own words')] })
  const last = await submit(applicants[0]!, 'second')
  await civiform.setStatus(last, 'Approved')
  await civiform.setNote(last, 'A note')
  await catchUp()
  await civiform.app.end({ timeout: 1 })
  await opened.end({ timeout: 1 })
  await runOutboxJobs(sql)
  await keep({ reader: key, wrong: basic(id, id) }, [
    { name: 'a walk', key: 'reader', path: `${path}/applications?nextPageToken=${nextPageToken}` },
    {
      name: 'its lines',
      key: 'reader',
      path: `${path}/applications?nextPageToken=${nextPageToken}`,
      accept: 'text/csv',
    },
    { name: 'changes', key: 'reader', path: `${path}/changes?after=${begun.headers.get('Change-Cursor')}` },
    { name: 'one application', key: 'reader', path: `${path}/applications/${last}` },
  ])
}

/** Makes both dumps of this release again, and what is kept next to them. */
export async function makeInstallations(): Promise<void> {
  await makeOwn()
  await makeFollowing()
}
