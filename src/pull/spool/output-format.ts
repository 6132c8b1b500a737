// The interface of an output format.

import type { TributaryClient } from '../../client/tributary-client.ts'
import type { PullContext } from '../requests/pull-request.ts'
import type { TableOptions } from '../requests/table-plan.ts'
import type { ReadyFile } from './place-files.ts'
import type { PullState } from './pull-state.ts'
import type { Origin, PulledBefore } from './pulled-before.ts'
import type { WalkUnderWay } from './walk-to-spool.ts'

export interface FormatJob {
  /** The final name, and where lines stand that were pulled now: whole, and on the disk. */
  out: string
  spoolPath: string
  spoolBytes: number
  /** `adds`: whether they are added to what is under the final name. */
  walk: WalkUnderWay
  /** What is true of the output when this is done. */
  then: PulledBefore
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
  /** How many applications are in the output, where that is not what the pulls have brought. */
  total?: number
}

export interface OutputFormat {
  ending: string
  /** Whether it is made of tables, which can be laid out in several ways. */
  hasTables: boolean
  /** Where it goes, when that is no file. */
  destination?: string
  /** Where lines are collected, until the output is made of them. */
  spoolPath: (out: string) => string
  /** What the last pull of it left, of an output that knows it by itself; of others the state alongside them does. */
  readDone?: (origin: Origin) => Promise<PulledBefore | undefined>
  /** Makes the files that get their final names next, whole and on the disk, and alongside their places. */
  prepare: (job: FormatJob) => Promise<Prepared>
  /** The ids of the applications in a file, in order, many at a time; undefined where something stands that is none. */
  idsIn?: (path: string) => AsyncGenerator<(number | undefined)[], void, undefined>
}
