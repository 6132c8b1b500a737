// Checks after the faults have ended and all actors have stopped: nothing is lost or duplicated, every reader sees each application with
// the answers that were sent and its last state, and nothing is still in progress.

import { sealAuditLog } from '../../src/core/audit/seal-audit.ts'
import { verifyAuditLog } from '../../src/core/audit/verify-audit.ts'
import { sweepDerived } from '../../src/core/derived/sweep.ts'
import { parseChangeCursor } from '../../src/core/export/requests/change-cursor.ts'
import { findProgram } from '../../src/db/programs/programs.ts'
import { readTruePlaces, readUnaccounted } from '../../src/db/walks/walk-truth.ts'
import { memoryOf } from '../processes/is-alive.ts'
import type { Mirror } from './actors/mirror.ts'
import type { Client } from './actors/patient-client.ts'
import { readFeed, walk } from './actors/readers.ts'
import type { Receiver } from './actors/webhook-receiver.ts'
import { type Installation, issueKey, type SoakKey, slug } from './installation/installation.ts'
import { countConnections, countUnderived, readAnnotationHistory } from './installation/soak-statements.ts'
import { checkAnnotations, checkChanges, checkCopy, checkStates } from './seen/comparisons.ts'
import { contentFault } from './seen/contents.ts'
import type { Ledger } from './seen/ledger.ts'
import { everyView, type View, viewName } from './seen/views.ts'
import { type Promised, promisesBroken, type WalkedApplication } from './seen/walk-promises.ts'

/** Maximum memory of a service process at rest, in bytes, and maximum number of connections in all pools of both. */
const restBytes = 600_000_000
const restConnections = 2 * (10 + 10 + 10 + 10) + 30

const pageSize = 1000

/** The data to check, and the means to do so. */
export interface Soaked {
  installation: Installation
  client: Client
  ledger: Ledger
  keys: readonly SoakKey[]
  mirror: Mirror
  receiver: Receiver
  /** Time limit for everything that happens automatically. */
  restMs: number
}

/** Records every broken promise. */
export async function checkAll(soaked: Soaked): Promise<void> {
  // A worker seals once a minute; events without a seal cannot be verified yet.
  await sealAuditLog(soaked.installation.sql, { waitMs: soaked.restMs })
  await checkStored(soaked)
  // Services that have seen no publication read stored data.
  for (const { process } of soaked.installation.services) process.kill('SIGTERM')
  await checkViews(soaked)
}

/** The current state, read in every way. */
export async function checkStored(soaked: Soaked): Promise<void> {
  const { installation, client, ledger, keys } = soaked
  await untilTrue(soaked, 'both services and the worker are ready again', async () => {
    const { services, worker } = installation
    const answers = await Promise.all(services.map(({ health }) => fetch(`${health}/readyz`).catch(() => undefined)))
    return answers.every(answer => answer?.ok) && worker.pid !== undefined
  })
  const walked = await walk(client, ledger, everyView(keys)[0]!, `pageSize=${pageSize}`)
  const there = walked?.pages.flatMap(({ applications }) => applications) ?? []
  const ids = there.map(({ id }) => id)
  ledger.compare('acknowledged submissions', ids, ledger.remaining(ledger.submissions.keys()), ['lost'])
  const all = ['lost', 'duplicated', 'unexpected', 'out_of_order'] as const
  ledger.compare('windows read by a polling client', ledger.remaining(ledger.polled), ledger.remaining(ids), all)
  checkChanges(ledger, ids)
  checkStates(ledger, there)
  checkCopy(ledger, 'the copy built from the change feed', ledger.copy, there)
  await checkHistory(soaked)
  await checkFeed(soaked, ids)
  await checkFollowers(soaked, there)
  await checkRest(soaked)
}

/** A last walk in each view, compared with the database; and the processes' complaints. */
export async function checkViews(soaked: Soaked): Promise<void> {
  const { installation, ledger, keys } = soaked
  for (const view of everyView(keys)) {
    const broken = await brokenInWalk(soaked, view)
    for (const { promise, detail } of broken) ledger.note(`the last walk as ${viewName(view)}: ${promise}, ${detail}`)
    // If one view cannot be read, the others still are.
    if (broken.some(({ promise }) => promise === 'answered')) break
  }
  for (const line of installation.complaints) ledger.note(`a process logged: ${line.slice(0, 300)}`)
}

/** Every change of status and note that was made, in order, and no other. */
async function checkHistory({ installation: { sql }, ledger }: Soaked): Promise<void> {
  const program = await findProgram(sql, slug)
  if (program === undefined) return
  checkAnnotations(ledger, await readAnnotationHistory(sql, program.program_id))
}

/** OData, with a key that has not read before and so begins now. */
async function checkFeed({ installation, client, ledger, keys }: Soaked, there: readonly number[]): Promise<void> {
  const { authorization } = await issueKey(installation)
  const [whole] = everyView(keys)
  const feed = await readFeed(client, ledger, 'Applications', authorization)
  const members = await readFeed(client, ledger, 'soaked_members', authorization)
  if (feed === undefined || members === undefined) return
  ledger.compare(
    'OData',
    feed.rows.map(row => row.application_id as number),
    there,
    ['lost', 'unexpected', 'out_of_order'],
  )
  for (const row of feed.rows) {
    const fields = Object.fromEntries(Object.entries(row).map(([name, cell]) => [name.replaceAll('__', '.'), cell]))
    const submission = ledger.submissions.get(row.application_id as number)
    const fault = submission && contentFault(whole!, { fields }, submission)
    if (fault !== undefined) ledger.note(`OData, application ${row.application_id}: ${fault}`)
  }
  ledger.compare(
    'members of OData',
    members.rows.map(row => row.application_id as number),
    there,
    ['lost', 'unexpected'],
  )
}

/** The receivers of notifications have reached the last change; the followed folder is up to date. */
async function checkFollowers(soaked: Soaked, there: readonly WalkedApplication[]): Promise<void> {
  const { ledger, mirror, receiver } = soaked
  const last = ledger.followed.at(-1)?.change ?? 0
  await untilTrue(soaked, `a webhook reports change ${last}`, async () => receiver.notified() >= last)
  await untilTrue(soaked, 'tributary pull --follow has every application', async () => {
    const [ids, states] = [await mirror.read(), new Map(there.map(({ id, fields }) => [id, fields]))]
    const isSame = (id: number): boolean =>
      ['status', 'application_note', 'revision_state'].every(name => ids.get(id)?.[name] === states.get(id)?.[name])
    return ids.size === states.size && [...states.keys()].every(isSame)
  })
  checkCopy(ledger, 'the followed folder', await mirror.read().catch(() => new Map()), there)
}

/** Everything is derived, complete and available. */
async function checkRest(soaked: Soaked): Promise<void> {
  const { installation, ledger } = soaked
  const { sql, services } = installation
  // The sweep requests whatever a store has lost, once it is overdue after some minutes; here immediately.
  await sweepDerived(sql, { overdueMs: 0 })
  await untilTrue(soaked, 'every version is derived', async () => (await countUnderived(sql)) === 0)
  const { errors } = await verifyAuditLog(sql, undefined, [])
  for (const { detail } of errors) ledger.note(`audit log: ${detail}`)
  const areFew = async (): Promise<boolean> => (await countConnections(sql)).open <= restConnections
  await untilTrue(soaked, `at most ${restConnections} connections to the database are open`, areFew)
  await untilTrue(soaked, 'no transaction is open', async () => (await countConnections(sql)).left === 0)
  for (const { process } of services) {
    if (process.pid === undefined) continue
    const bytes = memoryOf(process.pid, 'VmRSS')
    if (bytes > restBytes) ledger.note(`a service holds ${Math.round(bytes / 1e6)} MB when idle`)
  }
}

/** A walk over everything, compared with the database. */
async function brokenInWalk({ installation: { sql }, client, ledger }: Soaked, view: View): Promise<Promised[]> {
  const walked = await walk(client, ledger, view, `pageSize=${pageSize}`)
  const program = await findProgram(sql, slug)
  const horizon = parseChangeCursor(walked?.head.get('Change-Cursor') ?? '')?.change
  if (walked === undefined || program === undefined || horizon === undefined)
    return [{ promise: 'answered', detail: 'it could not be made' }]
  const programId = program.program_id
  const places = await readTruePlaces(sql, { programId, horizon, from: 0, to: undefined })
  const unaccounted = await readUnaccounted(sql, programId, 1, horizon)
  const { pages } = walked
  const asked = { pages, pageSize, pagesMax: Number.POSITIVE_INFINITY, repeated: undefined }
  return promisesBroken(asked, { places, unaccounted, horizon })
}

async function untilTrue({ ledger, restMs }: Soaked, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + restMs; performance.now() < endMs; await Bun.sleep(100))
    if (await isTrue().catch(() => false)) return
  ledger.note(`not within ${restMs / 1000} s: ${what}`)
}
