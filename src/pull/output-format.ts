// What a format of output is: something that can be made of the applications that were pulled.

import type { TributaryClient } from '../client/tributary-client.ts'
import type { ReadyFile } from './place-files.ts'
import type { PullContext } from './pull-request.ts'
import type { PullState } from './pull-state.ts'
import type { TableOptions } from './tables/table-plan.ts'

export interface FormatJob {
  /** The final name, and where lines stand that were pulled now: whole, and on the disk. */
  out: string
  spoolPath: string
  spoolBytes: number
  /** Whether they are added to what is under the final name. */
  adds: boolean
  program: string
  client: TributaryClient
  state: PullState
  tables: TableOptions
  /** Texts of CSV as they are, for programs and not for spreadsheets. */
  csvExact: boolean
  context: PullContext
}

export interface Prepared {
  files: ReadyFile[]
  /** What the state is to remember once the files are in their places. */
  facts?: Readonly<Record<string, unknown>>
}

export interface OutputFormat {
  ending: string
  /** Whether it is made of tables, which can be laid out in several ways. */
  hasTables: boolean
  /** Where it goes, when that is no file. */
  destination?: string
  /** Where lines are collected, until the output is made of them. */
  spoolPath: (out: string) => string
  /** Makes the files that get their final names next, whole and on the disk, and beside their places. */
  prepare: (job: FormatJob) => Promise<Prepared>
  /** The ids of the applications in a file, in order, many at a time; undefined where something stands that is none. */
  idsIn?: (path: string) => AsyncGenerator<(number | undefined)[], void, undefined>
}
