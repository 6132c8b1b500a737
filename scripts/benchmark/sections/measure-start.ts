// How long a process takes from its start to its first answer, on a database that is migrated already.

import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import type { BenchContext } from '../bench-context.ts'
import { digits, type SectionReport } from '../findings.ts'
import { serviceEnvironment } from '../http-subject.ts'
import { median } from '../statistics.ts'

const root = join(import.meta.dir, '../../..')
const startTimeoutMs = 30_000

export async function measureStart(context: BenchContext): Promise<SectionReport> {
  const startsMs: number[] = []
  for (let round = 0; round <= context.options.rounds; round++) {
    await context.machine.wait()
    const ms = await startOnce(context)
    if (round > 0) startsMs.push(ms)
  }
  const measured = median(startsMs)
  return {
    findings: [{ section: 'start', what: 'start to first answered request', measured, unit: 'ms', atMost: 400 }],
    tables: [
      {
        title: 'Start to first answered request',
        head: ['', 'ms'],
        rows: [
          ['median', digits(measured)],
          ['fastest', digits(Math.min(...startsMs))],
          ['slowest', digits(Math.max(...startsMs))],
        ],
      },
    ],
    notes: [],
    raw: startsMs,
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
