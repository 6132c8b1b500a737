// Makes a self-walk from time to time, and logs and counts what it found.

import type { Log } from '../src/log.ts'
import { SelfWalkFailure, type SelfWalkOptions, walkItself } from './self-walk.ts'
import type { SelfWalkMetrics } from './self-walk-metrics.ts'

/** The first comes soon after the start, to check a deploy immediately. */
const soonMs = 5000

interface SelfWalksOptions extends SelfWalkOptions {
  log: Log
  everyMs: number
  /** How long after the start the first one comes. */
  firstMs?: number
  metrics: SelfWalkMetrics
}

/** Starts immediately. The returned function ends it, without waiting for a running walk. */
export function startSelfWalks({ log, everyMs, firstMs = soonMs, metrics, ...options }: SelfWalksOptions): () => void {
  let stopped = false
  const walk = async (): Promise<void> => {
    const startedMs = performance.now()
    try {
      const report = await walkItself(options)
      if (stopped) return
      const duration_ms = Math.round(performance.now() - startedMs)
      if (report === undefined) return log.info('there is nothing to walk yet')
      const { program, applications, pages, pageSize: page_size, format, errors } = report
      metrics.walked(report, Date.now())
      const line = { program, applications, pages, page_size, format, duration_ms }
      if (errors.length === 0) log.info(line, 'the self-walk found every promise kept')
      else log.error({ ...line, errors }, 'the self-walk found promises broken')
    } catch (error) {
      if (stopped) return
      metrics.failed()
      // Its message names no more than an address of ours and a status.
      const why = error instanceof SelfWalkFailure ? { reason: error.message } : { err: error }
      log.warn(why, 'the self-walk could not be made; the next one is on its timer')
    }
  }
  let timer: Timer
  const next = (ms: number): void => {
    timer = setTimeout(() => void walk().finally(() => stopped || next(everyMs)), ms)
  }
  next(Math.min(firstMs, everyMs))
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}
