// The job `sweep`: asks for whatever is missing, stale or stuck.

import { sweepDerived } from '../src/derived/sweep.ts'
import type { WorkerDeps } from './worker-deps.ts'

export const sweep =
  ({ db, log }: WorkerDeps) =>
  async (): Promise<void> => {
    const asked = await sweepDerived(db)
    if (asked.length > 0) log.info({ asked: asked.length }, 'the sweep asked for derived data')
  }
