// The request and the progress of a pull.

import type { ExportParameters } from '@tributary/client'
import type { TableOptions } from '../../../base/tables/table-plan.ts'
import type { IdReceipt } from './id-digest.ts'

/** As the service takes them. */
export type PullFilters = Omit<ExportParameters, 'format' | 'pageSize' | 'nextPageToken'>

export interface PulledTables extends TableOptions {
  /** Language of question texts and option labels; the program's default one if left out. */
  language?: string
}

export interface PullRequest {
  /** The program's slug. */
  program: string
  filters: PullFilters
  /** Only what was submitted since the last pull to this output, added to what is there. */
  sinceLast: boolean
  /** Drops what an interrupted pull has left, and begins again. */
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
  /** A sentence for the person who watches. */
  say: (line: string) => void
  onProgress: (progress: PullProgress) => void
}

export interface PullReport {
  /** The receipt of the applications that this pull added, including resumed parts. */
  added: IdReceipt
  /** The number of applications in the output now. */
  total: number
  /** Bytes of their JSON, without those that an interrupted run had pulled. */
  bytes: number
  /** Whether what was added is as the service's receipt has it; false where the service gave none. */
  compared: boolean
  /** Where the next pull with `--since-last` begins. */
  watermark: string | undefined
}
