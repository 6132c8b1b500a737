// The messages between a service process and its supervisor. Two releases exchange them while processes are replaced one after the other,
// so messages are only ever added, and unknown ones are ignored.

import type { ToldMetric } from '../metrics/process-sums.ts'

export interface Readiness {
  ready: boolean
  /** Lines on what else there is to know, for people. */
  lines: readonly string[]
}

export type ToProcess =
  /** End as on SIGTERM. */
  | { order: 'drain' }
  /** To be answered under the same number. */
  | { question: 'readiness' | 'metrics'; number: number }

export type ToSupervisor =
  | { says: 'listening'; port: number; url: string }
  | { answer: number; readiness: Readiness }
  | { answer: number; metrics: readonly ToldMetric[] }
  /** What it counted, when it ends as asked to. */
  | { says: 'ending'; metrics: readonly ToldMetric[] }
