// What has to be true when the faults are over and everybody has stopped: nothing was lost, nothing came twice, and all of it is at rest.

import { verifyAuditTrail } from '../../src/access/verify-audit.ts'
import { findProgram } from '../../src/db/programs.ts'
import { sweepDerived } from '../../src/derived/sweep.ts'
import { type Ledger, walk } from './actors.ts'
import { type Installation, slug } from './installation.ts'
import type { Client } from './patient-client.ts'
import { countApplicants, countConnections, countUnderived } from './soak-statements.ts'
import { everyView, type SoakKey, viewName } from './views.ts'

/** What a process of the service may hold at rest, in bytes; and connections of all pools of both. */
const restBytes = 600_000_000
const restConnections = 2 * (10 + 10 + 10 + 10) + 30
const restMs = 60_000

/** Notes every promise that does not hold. */
export async function reckon(
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
  const walked = await walk(client, ledger, views[0]!, 'pageSize=1000')
  const acknowledged = new Set(ledger.acknowledged)
  if (acknowledged.size !== ledger.acknowledged.length)
    ledger.note('two submissions were acknowledged with one application id')
  const there = new Set(walked?.ids)
  const lost = [...acknowledged].filter(id => !there.has(id))
  if (lost.length > 0) ledger.note(`${lost.length} acknowledged submissions are not there, such as ${lost[0]}`)
  const twice = [...ledger.polled].filter(([, times]) => times > 1)
  if (twice.length > 0) ledger.note(`${twice.length} applications came in two windows, such as ${twice[0]![0]}`)
  const unpolled = [...there].filter(id => !ledger.polled.has(id))
  if (unpolled.length > 0) ledger.note(`${unpolled.length} applications came in no window, such as ${unpolled[0]}`)
  reckonChanges(ledger, there)

  // What a store lost is asked for again when it is overdue, after some minutes; here at once.
  await sweepDerived(sql, { overdueMs: 0 })
  await untilTrue(ledger, 'every version is derived', async () => (await countUnderived(sql)) === 0)
  const { faults } = await verifyAuditTrail(sql, undefined, [])
  for (const fault of faults) ledger.note(`audit trail: ${fault}`)
  await untilTrue(
    ledger,
    `at most ${restConnections} connections to the database are open`,
    async () => (await countConnections(sql)).open <= restConnections,
  )
  await untilTrue(ledger, 'no transaction of theirs is open', async () => (await countConnections(sql)).left === 0)
  for (const { process } of services) {
    if (process.pid === undefined) continue
    const bytes = await residentBytes(process.pid)
    if (bytes > restBytes) ledger.note(`a service holds ${Math.round(bytes / 1e6)} MB at rest`)
  }
  const program = await findProgram(sql, slug)
  const { current, applicants } = await countApplicants(sql, program!.program_id)
  if (current !== applicants) ledger.note(`${applicants} applicants have ${current} CURRENT applications`)
  // Services that have seen no publication read what is kept.
  for (const { process } of services) process.kill('SIGTERM')
  for (const view of views) {
    const again = await walk(client, ledger, view, 'pageSize=1000')
    if (again !== undefined && again.ids.join() !== walked?.ids.join())
      ledger.note(`the last walk as ${viewName(view)} is not that of everything`)
  }
  for (const line of installation.complaints) ledger.note(`a process said: ${line.slice(0, 300)}`)
}

/** Each change once, in order; every application submitted once; every status that was surely given. */
export function reckonChanges({ followed, annotated, note }: Ledger, there: ReadonlySet<number>): void {
  const names = followed.map(({ change, kind, application_id }) => `${change} ${kind} ${application_id}`)
  if (new Set(names).size !== names.length) note('the change feed told something twice')
  if (followed.some(({ change }, i) => i > 0 && change < followed[i - 1]!.change)) note('the change feed went back')
  const submitted = new Set(
    followed.filter(({ kind }) => kind === 'submitted').map(({ application_id }) => application_id),
  )
  const untold = [...there].filter(id => !submitted.has(id))
  if (untold.length > 0) note(`the change feed did not tell of ${untold.length} applications, such as ${untold[0]}`)
  const told = new Map<number, number>()
  for (const { kind, application_id } of followed)
    if (kind === 'status') told.set(application_id, (told.get(application_id) ?? 0) + 1)
  for (const [id, times] of annotated)
    if (!Number.isNaN(times) && told.get(id) !== times)
      note(`application ${id} was given a status ${times} times, and ${told.get(id) ?? 0} were told`)
}

async function untilTrue(ledger: Ledger, what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + restMs; performance.now() < endMs; await Bun.sleep(100))
    if (await isTrue().catch(() => false)) return
  ledger.note(`not within ${restMs / 1000} s: ${what}`)
}

async function residentBytes(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`)
    .text()
    .catch(() => '')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1000
}
