// Checks after the faults are over and all actors have stopped: nothing is lost, nothing came twice, nothing is still in progress.

import { verifyAuditLog } from '../../src/audit/verify-audit.ts'
import { findProgram } from '../../src/db/programs/programs.ts'
import { readTruePlaces, readUnaccounted } from '../../src/db/walks/walk-truth.ts'
import { sweepDerived } from '../../src/derived/sweep.ts'
import { parseChangeCursor } from '../../src/export/requests/change-cursor.ts'
import { type Promised, promisesBroken } from '../../workers/walk-promises.ts'
import { memoryOf } from '../processes/is-alive.ts'
import { type Ledger, walk } from './actors.ts'
import { type Installation, slug } from './installation.ts'
import type { Client } from './patient-client.ts'
import { countConnections, countUnderived } from './soak-statements.ts'
import { everyView, type SoakKey, type View, viewName } from './views.ts'

/** What a process of the service may hold at rest, in bytes; and connections of all pools of both. */
const restBytes = 600_000_000
const restConnections = 2 * (10 + 10 + 10 + 10) + 30
const restMs = 60_000

const pageSize = 1000
const everyKind = ['lost', 'duplicated', 'unexpected', 'out_of_order'] as const

/** Notes every promise that does not hold. */
export async function checkAll(
  installation: Installation,
  client: Client,
  ledger: Ledger,
  keys: readonly SoakKey[],
): Promise<void> {
  const { sql, services } = installation
  await untilTrue(ledger, 'both services and the worker are ready again', async () => {
    const answers = await Promise.all(services.map(({ health }) => fetch(`${health}/readyz`).catch(() => undefined)))
    return answers.every(answer => answer?.ok) && installation.worker.pid !== undefined
  })
  const views = everyView(keys)
  const walked = await walk(client, ledger, views[0]!, `pageSize=${pageSize}`)
  const there = walked?.ids ?? []
  ledger.compare('acknowledged submissions', ledger.acknowledged, there, ['duplicated'])
  ledger.compare('acknowledged submissions', there, ledger.acknowledged, ['lost'])
  ledger.compare('the windows of one that polls', ledger.polled, there, everyKind)
  checkChanges(ledger, there)

  // The sweep requests what a store lost when it is overdue, after some minutes; here immediately.
  await sweepDerived(sql, { overdueMs: 0 })
  await untilTrue(ledger, 'every version is derived', async () => (await countUnderived(sql)) === 0)
  const { errors } = await verifyAuditLog(sql, undefined, [])
  for (const error of errors) ledger.note(`audit log: ${error}`)
  await untilTrue(
    ledger,
    `at most ${restConnections} connections to the database are open`,
    async () => (await countConnections(sql)).open <= restConnections,
  )
  await untilTrue(ledger, 'no transaction of theirs is open', async () => (await countConnections(sql)).left === 0)
  for (const { process } of services) {
    if (process.pid === undefined) continue
    const bytes = memoryOf(process.pid, 'VmRSS')
    if (bytes > restBytes) ledger.note(`a service holds ${Math.round(bytes / 1e6)} MB at rest`)
  }
  // Services that have seen no publication read what is kept.
  for (const { process } of services) process.kill('SIGTERM')
  for (const view of views)
    for (const { promise, detail } of await brokenInWalk(installation, client, ledger, view))
      ledger.note(`the last walk as ${viewName(view)}: ${promise}, ${detail}`)
  for (const line of installation.complaints) ledger.note(`a process logged: ${line.slice(0, 300)}`)
}

/** A walk of everything, held against the database as a self-walk is. */
async function brokenInWalk({ sql }: Installation, client: Client, ledger: Ledger, view: View): Promise<Promised[]> {
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

/** Each change once, in order; every application submitted once; every status that was surely given. */
export function checkChanges(ledger: Ledger, there: readonly number[]): void {
  const { followed, annotated } = ledger
  const nameOf = ({ change, kind, application_id }: (typeof followed)[number]) => `${change} ${kind} ${application_id}`
  const inOrder = followed.toSorted((one, other) => one.change - other.change).map(nameOf)
  ledger.compare('the change feed', followed.map(nameOf), inOrder, everyKind)
  const submitted = followed.filter(({ kind }) => kind === 'submitted').map(({ application_id }) => application_id)
  ledger.compare('submissions in the change feed', submitted, there, ['lost', 'unexpected'])
  const received = new Map<number, number>()
  for (const { kind, application_id } of followed)
    if (kind === 'status') received.set(application_id, (received.get(application_id) ?? 0) + 1)
  for (const [id, times] of annotated)
    if (!Number.isNaN(times) && received.get(id) !== times)
      ledger.note(`application ${id} was given a status ${times} times, and ${received.get(id) ?? 0} were received`)
}

async function untilTrue(ledger: Ledger, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + restMs; performance.now() < endMs; await Bun.sleep(100))
    if (await isTrue().catch(() => false)) return
  ledger.note(`not within ${restMs / 1000} s: ${what}`)
}
