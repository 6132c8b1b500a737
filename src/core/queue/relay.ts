// Moves jobs from the outbox to the queue while the process runs, at least once: the queue merges duplicates. The database and the queue's
// store can each be unreachable for any length of time.

import type { Log } from '../../base/log.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { listenToOutbox, takeOutbox } from '../../db/derived/outbox.ts'
import type { Queue } from './connect.ts'

interface RelayOptions {
  /** Maximum number of jobs moved in one transaction. */
  batchJobs?: number
  /** How often the outbox is read without a notification, and a failure is retried. */
  pollMs?: number
  /** Called whenever the relay has read the outbox and moved its jobs. */
  onRound?: () => void
}

export interface Relay {
  /** Stops after the jobs that are just being moved. */
  stop(): Promise<void>
}

/** Starts immediately. Several may run, in one process or many: none waits for another, and none takes another's jobs. */
export function startRelay(
  sql: Sql,
  /** Connections that can receive notifications; none if all of them lead through a pooler. */
  notices: Sql | undefined,
  queue: Pick<Queue, 'add'>,
  log: Log,
  options: RelayOptions = {},
): Relay {
  const { batchJobs = 100, pollMs = 1000, onRound = () => {} } = options
  const call = new Call()
  let stopped = false
  let failing = false
  // Only for speed: missed notifications are made up for by polling.
  const listening =
    notices &&
    listenToOutbox(notices, () => call.make()).catch(error => {
      log.warn({ err: error }, 'the relay cannot listen for new jobs and polls instead')
    })

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        const moved = await relayOnce(sql, queue, batchJobs)
        if (failing) log.info('the relay can hand over jobs again')
        failing = false
        onRound()
        if (moved === batchJobs) continue
      } catch (error) {
        // Logged once while it lasts: a store that is down for a night is one line instead of ten thousand.
        if (!failing) log.warn({ err: error }, 'the relay cannot hand over jobs; they wait in the outbox')
        failing = true
        call.forget()
      }
      if (!stopped) await call.within(pollMs)
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopped = true
      call.make()
      await running
      // Not awaited: without a database there is nothing to undo, and with one it is closed with the pool.
      void listening?.then(unlisten => unlisten?.()).catch(() => {})
    },
  }
}

/** Moves one batch and returns its size. Jobs leave the outbox only if the queue accepted all of them. */
export async function relayOnce(sql: Sql, queue: Pick<Queue, 'add'>, batchJobs: number): Promise<number> {
  return inTransaction(sql, async tx => {
    const jobs = await takeOutbox(tx, batchJobs)
    if (jobs.length > 0)
      await queue.add(
        jobs.map(({ job_name, job_id, payload, traceparent }) => ({
          name: job_name,
          id: job_id,
          payload,
          traceparent,
        })),
      )
    return jobs.length
  })
}

/** A notification that isn't lost if nothing is waiting for it. */
class Call {
  #made = false
  #answer: (() => void) | undefined

  make(): void {
    this.#made = true
    this.#answer?.()
  }

  forget(): void {
    this.#made = false
  }

  /** Resolves when notified, or after `timeoutMs`. */
  async within(timeoutMs: number): Promise<void> {
    if (!this.#made) {
      let timer: Timer | undefined
      await new Promise<void>(resolve => {
        this.#answer = resolve
        timer = setTimeout(resolve, timeoutMs)
      })
      clearTimeout(timer)
    }
    this.#made = false
  }
}
