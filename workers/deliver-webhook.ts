// The job `deliver-webhook`: one attempt to deliver to a webhook endpoint. Also requests these jobs, once a second, so that a submission
// does no work for webhooks.

import type { Log } from '../src/base/log.ts'
import type { Config } from '../src/config/all-settings.ts'
import { formatChangeCursor } from '../src/core/export/requests/change-cursor.ts'
import { askForDeliveries, deliver, type ProgramState } from '../src/core/webhooks/deliveries.ts'
import type { Sql } from '../src/db/client.ts'
import { readWalkStart } from '../src/db/walks/walk-start.ts'
import type { Micros } from '../src/domain/values/offset-time.ts'

/** The cursor equals the one a client of the change feed would receive now. */
export async function loadProgramState(db: Sql, programId: number): Promise<ProgramState> {
  const { horizon, last_change } = await readWalkStart(db, programId)
  return { change: horizon, changedAt: last_change.mark?.time, changeCursor: formatChangeCursor(last_change) }
}

export interface WebhookDeps {
  db: Sql
  config: Pick<Config, 'timeZone' | 'webhookKeys' | 'webhookAllowedNetworks'>
  /** Counts an attempt by its outcome. */
  attempted: (outcome: string) => void
  /** The database's clock. */
  now: () => Micros
}

export const deliverWebhook =
  ({ db, config, attempted, now }: WebhookDeps) =>
  async (asked: { webhook_endpoint_id: number; attempts: number }): Promise<string | undefined> => {
    const { webhookKeys: keys, webhookAllowedNetworks: allowedNetworks, timeZone } = config
    const outcome = await deliver(
      {
        sql: db,
        keys,
        outside: { allowedNetworks },
        timeZone,
        now,
        loadState: programId => loadProgramState(db, programId),
        random: Math.random,
      },
      asked,
    )
    if (outcome !== undefined) attempted(outcome)
    return outcome
  }

const askEveryMs = 1000

/** Starts immediately. The returned function stops it after the current round. */
export function startAsking(
  db: Sql,
  log: Log,
  now: () => Micros,
  through: () => void,
  everyMs = askEveryMs,
): () => Promise<void> {
  const stopping = Promise.withResolvers<void>()
  let stopped = false
  let failing = false
  const run = async (): Promise<void> => {
    while (!stopped) {
      try {
        await askForDeliveries(db, now())
        failing = false
        through()
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'webhook deliveries could not be requested; retrying')
        failing = true
      }
      await Promise.race([Bun.sleep(everyMs), stopping.promise])
    }
  }
  const running = run()
  return () => {
    stopped = true
    stopping.resolve()
    return running
  }
}
