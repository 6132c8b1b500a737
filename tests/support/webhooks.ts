// Webhooks on a database, delivered as a worker does, with a clock that the test moves.

import { parseJob } from '../../src/core/queue/jobs.ts'
import { askForDeliveries, type Delivering, deliver } from '../../src/core/webhooks/deliveries.ts'
import { addWebhook } from '../../src/core/webhooks/endpoints.ts'
import { inTransaction } from '../../src/db/client.ts'
import { takeOutbox } from '../../src/db/derived/outbox.ts'
import { findWebhook, readWebhookAttempts } from '../../src/db/webhooks/webhook-rows.ts'
import { parseSubnet, type Subnet } from '../../src/domain/values/ip-address.ts'
import { loadProgramState } from '../../workers/deliver-webhook.ts'
import { testCertificate } from './certificate.ts'
import type { TestDatabase } from './database.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from './raw-applications.ts'

export const micros = { second: 1_000_000, minute: 60_000_000, hour: 3_600_000_000, day: 86_400_000_000 }
export const loopback = parseSubnet('127.0.0.0/8') as Subnet
export const keys = [Buffer.alloc(32, 9)]

export class TestWebhooks {
  now = Date.UTC(2026, 5, 1) * 1000
  readonly delivering: Delivering

  constructor(
    readonly sql: TestDatabase['sql'],
    changes: Partial<Delivering> = {},
  ) {
    this.delivering = {
      sql,
      keys,
      outside: { allowedNetworks: [loopback], ca: testCertificate.cert, timeoutMs: 60_000 },
      timeZone: 'UTC',
      now: () => this.now,
      loadState: programId => loadProgramState(sql, programId),
      random: () => 0.5,
      ...changes,
    }
  }

  by = () => ({ actor: 'operator:test', now: this.now })

  /** A separate program with an endpoint. */
  async endpoint(url: string, program?: RawProgram) {
    const of =
      program ?? (await insertRawProgram(this.sql, `p-${crypto.randomUUID().slice(0, 8)}`, { versions: 'one' }))
    const rules = { keys: this.delivering.keys, allowedNetworks: [] }
    return { program: of, ...(await addWebhook(this.sql, rules, { ...of, url: new URL(url) }, this.by())) }
  }

  apply = (program: RawProgram, count = 1) => insertRawApplications(this.sql, program, count)

  /** The requested deliveries: the jobs in the outbox. */
  async ask() {
    await askForDeliveries(this.sql, this.now)
    const jobs = await inTransaction(this.sql, tx => takeOutbox(tx, 1000))
    return jobs.flatMap(({ job_name, payload }) => {
      const job = parseJob(job_name, payload)
      return job.name === 'deliver-webhook' ? [job.payload] : []
    })
  }

  /** Runs all of them concurrently; returns their outcomes. */
  async run() {
    const jobs = await this.ask()
    return Promise.all(jobs.map(job => deliver(this.delivering, job)))
  }

  state = async (id: number) => (await findWebhook(this.sql, id, 'all'))!
  attempts = (id: number) => readWebhookAttempts(this.sql, id, 1000)
}
