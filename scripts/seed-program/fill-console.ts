// Adds what a demo's console shows besides applications: organizations, people, weeks of statuses and notes, a draft with three changes,
// a webhook that fails, and keys of several kinds.

import type { Config } from '../../src/config/all-settings.ts'
import { annotate } from '../../src/core/applications/annotate.ts'
import { createApiKey } from '../../src/core/keys/api-keys.ts'
import { dayMicros } from '../../src/core/keys/expiry.ts'
import { addIntermediary, addOrganization } from '../../src/core/people/intermediaries.ts'
import { acceptInvitation, invitePerson } from '../../src/core/people/people.ts'
import { beginSession } from '../../src/core/people/sessions.ts'
import { saveDraft } from '../../src/core/programs/save-draft.ts'
import { addWebhook } from '../../src/core/webhooks/endpoints.ts'
import { readListedApplications } from '../../src/db/applications/application-lists.ts'
import type { Sql } from '../../src/db/client.ts'
import { dateDraft } from '../../src/db/programs/program-bundles.ts'
import { findActiveVersion, findProgram } from '../../src/db/programs/programs.ts'
import { describeVersion } from '../../src/domain/definitions/version-definition.ts'
import { lastDays } from '../../src/domain/values/calendar-days.ts'
import { formatMicros, type Micros } from '../../src/domain/values/offset-time.ts'
import { demoActor } from './demo-credentials.ts'

/** Without webhook keys, no webhook is added. */
interface Demo extends Pick<Config, 'apiKeyPepper' | 'timeZone' | 'webhookKeys'> {
  sql: Sql
  baseUrl: string
  programs: readonly string[]
}

/** Created once, by the person who will look at it. Calls the service, which records the requests. */
export async function fillConsole(demo: Demo): Promise<void> {
  const { sql, apiKeyPepper: pepper, baseUrl, timeZone, programs } = demo
  const by = { actor: demoActor, now: Date.now() * 1000 }
  // The person who decides and the decisions come first, so that the newest entries of the audit log are of many kinds.
  await signInOnce(sql, await invite(sql, maria, by), by.now)
  await addFailingWebhook(demo, by.now)
  await decideOnSome(sql, programs[0]!, { now: by.now, timeZone })
  for (const [name, person] of organizations)
    await addIntermediary(sql, await addOrganization(sql, name, by), person, by)
  await invite(sql, jonas, by)
  await draftChanges(sql, programs[0]!, by.now - 15 * dayMicros)
  const key = (name: string, days: number, of: readonly string[]) =>
    createApiKey(sql, pepper, {
      ...by,
      name,
      programs: of,
      expires_at: by.now + days * dayMicros,
      allowed_subnets: ['127.0.0.0/8', '::1/128'],
      may_export: true,
      may_submit: false,
    })
  const expiring = await key('County caseworker sync', 6, programs)
  await key('Data office, yearly report', 180, programs)
  const refused = await key('Benefits warehouse', 120, [programs[1]!])
  const get = (path: string, username: string, password: string) =>
    fetch(baseUrl + path, { headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}` } }).then(r =>
      r.text(),
    )
  // One page for each of the 30 days that the console counts, so that the numbers agree.
  const read = new URLSearchParams({ pageSize: '500', fromDate: lastDays(by.now, timeZone, 30)[0]! })
  await get(`/api/v1/admin/programs/${programs[0]}/applications?${read}`, expiring.username, expiring.password)
  for (let i = 0; i < 3; i++) await get('/api/v1/checkAuth', refused.username, `${refused.password}?`)
}

const invite = async (sql: Sql, person: typeof maria | typeof jonas, by: { actor: string; now: Micros }) =>
  acceptInvitation(sql, (await invitePerson(sql, person, by)).token, crypto.randomUUID(), by)

/** So that the person has been here, in a session whose token nobody has. */
export async function signInOnce(
  sql: Sql,
  { person_id, email }: { person_id: number; email: string },
  now: Micros,
): Promise<void> {
  const limits = { lifetimeMs: 60_000, idleMs: 60_000 }
  const who = { person_id, email, address: undefined, how: 'invitation' } as const
  await beginSession(sql, who, limits, now, undefined)
}

/** A webhook whose host does not exist: the worker's attempts fail from the next decision on. */
async function addFailingWebhook({ sql, programs, webhookKeys: keys }: Demo, now: Micros): Promise<void> {
  const program = await findProgram(sql, programs[0]!)
  if (program === undefined || keys.length === 0) return
  // Names below .example are never registered (RFC 2606).
  const endpoint = { ...program, url: new URL('https://caseworkers.arden.example/tributary') }
  await addWebhook(sql, { keys, allowedNetworks: [] }, endpoint, { actor: `admin:${maria.email}`, now })
}

const organizations = [
  ['Casa Latina', 'intake@casa-latina.example.org'],
  ['Harbor Community Clinic', 'benefits@harbor-clinic.example.org'],
] as const

const maria = {
  name: 'Maria Okafor',
  email: 'maria.okafor@arden.example.gov',
  role: 'ADMINISTRATOR',
  programs: [],
} as const
/** The actors that create the demo and, on its pages, have published its programs. */
export const demoActors = { actor: demoActor, publishedBy: `admin:${maria.email}` }
const jonas = { name: 'Jonas Weber', email: 'jonas.weber@arden.example.gov', role: 'AUDITOR', programs: [] } as const

/** A decision: after how many days, which status, and which note. */
const steps = [
  [1, 'Received', undefined],
  [6, 'In review', undefined],
  [11, 'More information needed', 'Called to request the latest bill.'],
  [19, 'In review', 'Received the bill by mail and attached it.'],
] as const

/** Gives applications of five to seven weeks ago without a status what a person would have given them since, step by step. */
async function decideOnSome(
  sql: Sql,
  slug: string,
  { now, timeZone }: { now: number; timeZone: string },
): Promise<void> {
  const program = await findProgram(sql, slug)
  if (program === undefined) return
  const { program_id } = program
  const filter = { from: now - 49 * dayMicros, to: now - 35 * dayMicros, status: null }
  const found = await readListedApplications(sql, program_id, filter, { direction: 'older', beyond: undefined }, 40)
  const set = (application_id: number, at: number, status: string, note: string | undefined) =>
    annotate(sql, { program_id, application_id, status, note, now: at, timeZone, actor: `admin:${maria.email}` })
  for (const [i, { application_id, submit_time }] of found.entries()) {
    const after = (days: number) => submit_time + days * dayMicros + (i % 7) * 3_000_000_000
    const taken = steps.slice(0, [2, 3, 4][i % 3])
    for (const [days, status, note] of taken) await set(application_id, after(days), status, note)
    if (i % 3 !== 1) await set(application_id, after(27), i % 4 === 0 ? 'Denied' : 'Approved', undefined)
  }
}

/** A reworded question, an additional option and an additional status, by an administrator who has not continued for two weeks. */
async function draftChanges(sql: Sql, slug: string, savedAt: number): Promise<void> {
  const program = await findProgram(sql, slug)
  const active = program && (await findActiveVersion(sql, program.program_id))
  if (active === undefined) return
  const { questions, statuses, ...definition } = describeVersion(active)
  const changed = questions.map(question => {
    if (question.admin_name === 'bedrooms') return { ...question, text: 'How many rooms are used as bedrooms?' }
    if (question.admin_name !== 'hardship') return question
    return {
      ...question,
      options: [...(question.options ?? []), { admin_id: 'rent_raised', text: 'The rent was raised' }],
    }
  })
  const draft = { ...definition, questions: changed, statuses: [...statuses, 'Waiting for a bill'] }
  const actor = `admin:${maria.email}`
  const saved = await saveDraft(sql, { ...draft, based_on: active.program_version_id }, actor)
  await dateDraft(sql, saved.program_version_id, { created_at: formatMicros(savedAt), created_by: actor })
}
