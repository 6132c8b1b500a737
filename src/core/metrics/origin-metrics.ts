// Metrics of the followed system, if there is one.

import type { Sql } from '../../db/client.ts'
import { findOrigin } from '../../db/origin.ts'
import type { Meter } from './meter.ts'

/**
 * Adds an origin's metrics with the first scrape that finds an origin. `load` imports their code, which an installation with its own programs never
 * needs.
 */
export function watchOrigin(meter: Meter, db: Sql, load: () => Promise<(meter: Meter, db: Sql) => void>): void {
  let isWatched = false
  meter.onRead(async () => {
    if (isWatched || (await findOrigin(db).catch(() => undefined)) === undefined) return
    // A program built without this code has none of its metrics.
    const watch = await load().catch(() => undefined)
    if (isWatched || watch === undefined) return
    isWatched = true
    watch(meter, db)
  })
}
