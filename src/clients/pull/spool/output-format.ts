// The interface of an output format.

import type { ChangesPage, TributaryClient } from '@tributary/client'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PullContext, PulledTables } from '../requests/pull-request.ts'
import type { ReadyFile } from './place-files.ts'
import type { PullState } from './pull-state.ts'
import type { PulledMembers } from './pulled-applications.ts'
import type { PulledBefore, PullOrigin } from './pulled-before.ts'
import type { SchemaCheck } from './schema-check.ts'
import type { WalkUnderWay } from './walk-to-spool.ts'

export interface FormatJob {
  /** The final name, and the file of the pulled lines: complete and on the disk. */
  out: string
  spoolPath: string
  spoolBytes: number
  /** In hexadecimal; undefined if several runs wrote it. */
  spoolSha256: string | undefined
  /** Validates an application against the schema of the program; undefined with `--no-verify-schema`. */
  check: SchemaCheck | undefined
  /** `adds`: whether they are added to the content of the final file. */
  walk: WalkUnderWay
  /** The record of the output after this pull. */
  then: PulledBefore
  program: string
  client: TributaryClient
  state: PullState
  tables: PulledTables
  /** Keeps texts of CSV unchanged, for programs instead of spreadsheets. */
  csvExact: boolean
  context: PullContext
}

/** Everything known before the walk. */
export type TablesJob = Pick<FormatJob, 'program' | 'client' | 'state' | 'tables' | 'walk' | 'context'>

export interface FollowJob {
  program: string
  client: TributaryClient
  tables: PulledTables
  fields: string | undefined
  context: PullContext
}

/**
 * Resolves with true when the whole page and its cursor are in the output; with false if the output is not at the cursor `after`, for example after a
 * restore from a backup. Idempotent.
 */
export type ApplyPage = (page: ChangesPage, after: string) => Promise<boolean>

/** The applications of a page by their IDs, as the last change of each has it. */
export function changedApplications({ payload }: ChangesPage): Map<number, PulledMembers> {
  const applications = new Map<number, PulledMembers>()
  for (const { application_id: id, application } of payload) {
    if (application === undefined) continue
    if (application.application_id !== id)
      throw new CommandError('mismatch', `The service sent the wrong application with a change to application ${id}.`)
    applications.set(id, application)
  }
  return applications
}

export interface Prepared {
  files: ReadyFile[]
  /** Facts that the state records once the files have their names. */
  facts?: Readonly<Record<string, unknown>>
  /** Number of applications in the output, if it isn't the number that the pulls have added. */
  total?: number
}

export interface OutputFormat {
  ending: string
  /** Whether it consists of tables, which can have several layouts. */
  hasTables: boolean
  /** Whether it is for people: with option labels, and rewritten by every pull, so `--since-last` has nothing to add to. */
  isForPeople?: boolean
  /** The output folder, if it is one; `--since-last` has nothing to add to a folder. */
  folder?: string
  /** The destination, if it is not a file. */
  destination?: string
  /** Where lines are collected until the output is built from them. */
  spoolPath: (out: string) => string
  /** The record of the last pull, for an output that stores it itself; for others, it is in the state next to them. */
  readDone?: (origin: PullOrigin) => Promise<PulledBefore | undefined>
  /** Before the walk: throws if the output could not be built. */
  check?: (job: TablesJob) => Promise<void>
  /** Creates the files that get their final names next, complete and on the disk, next to those names. */
  prepare: (job: FormatJob) => Promise<Prepared>
  /** For outputs that can be kept up to date (`--follow`): applies pages of the change feed, starting at the state that `readDone` found. */
  follow?: (job: FollowJob) => Promise<ApplyPage>
  /** The IDs of the applications in a file, in order, in batches; undefined if something is not an application. */
  idsIn?: (path: string) => AsyncGenerator<(number | undefined)[], void, undefined>
}
