// What a worker does on its timer: one task that fails stops none of those after it, and a stop waits for the one under way.

import { describe, expect, test } from 'bun:test'
import { createLog } from '../../src/base/log.ts'
import { setRetention } from '../../src/core/applications/erase.ts'
import { startMaintenance } from '../../workers/maintenance.ts'
import type { MaintenanceTask } from '../../workers/worker-metrics.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const tasks = ['sweep', 'retention', 'files', 'audit_seal'] as const satisfies readonly MaintenanceTask[]
/** A table without which one of them alone cannot be done. Without a storage, the one for files: tests/web/apply/file-storage.test.ts. */
const needed = { sweep: 'derived_status', retention: 'application_in_progress', audit_seal: 'audit_seal' }

/** As in a worker, on a database of its own with an application that is to go. */
async function aWorker() {
  const { sql } = await useDatabase({}, endWithTest)
  const program = await insertRawProgram(sql, 'kept-a-while')
  await insertRawApplications(sql, program, 1)
  await setRetention(sql, program.slug, { days: 2, actor: 'operator:test', confirmation: program.slug })
  const lines: { msg: string }[] = []
  const through: MaintenanceTask[] = []
  const start = () =>
    startMaintenance({
      db: sql,
      fileStore: undefined,
      log: createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
      config: { sweepIntervalMs: 5, storageSilenceMs: 1000 },
      through: task => through.push(task),
    })
  return { sql, program, lines, through, start }
}

describe('the tasks on a worker’s timer', () => {
  test.each(Object.keys(needed) as (keyof typeof needed)[])(
    'continue with the others while %s fails, and with it when it succeeds again',
    async failing => {
      const { sql, lines, through, start } = await aWorker()
      const table = needed[failing]
      await sql`alter table ${sql(table)} rename to hidden_table`
      const { first, stop } = start()
      await first
      expect(through).toEqual(tasks.filter(task => task !== failing))
      expect(lines.filter(({ msg }) => /fail|could not/.test(msg))).toHaveLength(1)
      await until('a second round', () => through.length >= 4)
      expect(through).not.toContain(failing)
      await sql`alter table hidden_table rename to ${sql(table)}`
      await until('what failed to be done', () => through.includes(failing))
      await stop()
    },
  )

  test.each(['first', 'second'])('finish the current task before stopping, in the %s round', async round => {
    const { sql, program, lines, start } = await aWorker()
    const [away, gone] = [crypto.randomUUID(), crypto.randomUUID()]
    await sql`
        insert into worker_heartbeat values (${away}, now() - interval '23 hours'), (${gone}, now() - interval '25 hours')`
    const before = round === 'second' ? start() : undefined
    await before?.first
    const release = await holdTransaction(sql, tx => tx`lock table erased_application in exclusive mode`)
    await insertRawApplications(sql, program, 1)
    const { stop } = before ?? start()
    await until('the erasure to be under way', async () => (await waitingForLocks(sql)) > 0)
    let stopped = false
    const stopping = stop().then(() => {
      stopped = true
    })
    // Long enough for one that does not wait.
    await Bun.sleep(300)
    expect(stopped).toBe(false)
    await release()
    await stopping
    expect(await sql`select from application`).toHaveLength(0)
    expect(lines).toContainEqual(expect.objectContaining({ in_progress: expect.any(Number) }))
    expect([...(await sql`select worker_id from worker_heartbeat`)]).toEqual([{ worker_id: away }])
  })
})
