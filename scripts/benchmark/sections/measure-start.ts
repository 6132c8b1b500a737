// How long a process takes from its start to its first answer, on a database that is migrated already.

import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import type { BenchContext } from '../bench-context.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { serviceEnvironment } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { median } from '../statistics.ts'

const root = join(import.meta.dir, '../../..')
const startTimeoutMs = 30_000

export async function measureStart(context: BenchContext): Promise<SectionReport> {
  const { start } = await inRounds(context, { start: () => startOnce(context) })
  const measured = median(start)
  return {
    findings: [atMost(400, 'start to first answered request', measured, 'ms')],
    tables: [
      {
        title: 'Start to first answered request',
        head: ['', 'ms'],
        rows: [
          ['median', digits(measured)],
          ['fastest', digits(Math.min(...start))],
          ['slowest', digits(Math.max(...start))],
        ],
      },
    ],
    raw: start,
  }
}

async function startOnce({ children, database, data }: BenchContext): Promise<number> {
  const [port, healthPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}/api/v1/checkAuth`
  const headers = { Authorization: data.access.authorization }
  const startedAt = performance.now()
  const started = children.start([process.execPath, join(root, 'src/main.ts')], {
    env: serviceEnvironment(database, data.access, port, healthPort),
  })
  try {
    while (performance.now() - startedAt < startTimeoutMs && started.process.exitCode === null) {
      const answered = await fetch(url, { headers }).then(
        response => response.status === 200,
        () => false,
      )
      if (answered) return performance.now() - startedAt
      await Bun.sleep(2)
    }
    throw new Error(`the service did not answer: ${started.complaint()}`)
  } finally {
    await started.stop()
  }
}
