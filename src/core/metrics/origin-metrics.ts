// Metrics of the followed system, if there is one.

import type { Sql } from '../../db/client.ts'
import { findOrigin } from '../../db/origin.ts'
import type { Meter } from './meter.ts'

/**
 * Adds the metrics of an origin with the first scrape that finds one. `load` brings the code for it, which an installation with programs of
 * its own never needs.
 */
export function watchOrigin(meter: Meter, db: Sql, load: () => Promise<(meter: Meter, db: Sql) => void>): void {
  let isWatched = false
  meter.onRead(async () => {
    if (isWatched || (await findOrigin(db).catch(() => undefined)) === undefined) return
    // A program that was built without this code has no metrics of it.
    const watch = await load().catch(() => undefined)
    if (isWatched || watch === undefined) return
    isWatched = true
    watch(meter, db)
  })
}
