// The request and the progress of a pull.

import type { ExportParameters } from '@tributary/client'
import type { TableOptions } from '../../../base/tables/table-plan.ts'
import type { IdReceipt } from './id-digest.ts'

/** In the service's format. */
export type PullFilters = Omit<ExportParameters, 'format' | 'pageSize' | 'nextPageToken'>

export interface PulledTables extends TableOptions {
  /** Language of question texts and option labels; the program's default language if omitted. */
  language?: string
}

export interface PullRequest {
  /** The program's slug. */
  program: string
  filters: PullFilters
  /** Only what was submitted since the last pull to this output, added to it. */
  sinceLast: boolean
  /** Discards the remains of an interrupted pull, and starts again. */
  restart: boolean
  verifySchema: boolean
  pageSize: number | undefined
  tables: PulledTables
  csvExact: boolean
  /** How much work an interruption may cost. */
  checkpointEveryMs: number
}

/** Progress of a pull. */
export interface PullProgress {
  applications: number
  bytes: number
  /** The number of applications, if known. */
  total: number | undefined
}

export interface PullContext {
  signal: AbortSignal
  /** A sentence for the person who is watching. */
  say: (line: string) => void
  onProgress: (progress: PullProgress) => void
}

export interface PullReport {
  /** The receipt of the applications that this pull added, including resumed parts. */
  added: IdReceipt
  /** The number of applications in the output now. */
  total: number
  /** Bytes of their JSON, without those pulled by an interrupted run. */
  bytes: number
  /** Whether the additions match the service's receipt; false if the service gave none. */
  compared: boolean
  /** Where the next pull with `--since-last` starts. */
  watermark: string | undefined
}
