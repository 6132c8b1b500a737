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
  /** The final name, and the place of the lines that were pulled now: whole, and on the disk. */
  out: string
  spoolPath: string
  spoolBytes: number
  /** In hexadecimal; undefined if several runs wrote it. */
  spoolSha256: string | undefined
  /** Checks an application against the schema of the program; undefined with `--no-verify-schema`. */
  check: SchemaCheck | undefined
  /** `adds`: whether they are added to what is under the final name. */
  walk: WalkUnderWay
  /** The record of the output once this is done. */
  then: PulledBefore
  program: string
  client: TributaryClient
  state: PullState
  tables: PulledTables
  /** Texts of CSV as they are, for programs and not for spreadsheets. */
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
 * Resolves with true when all of the page is in the output, with its cursor; with false when the output is not as of the cursor `after`, as
 * when it was restored from a backup. Done twice, it comes to the same.
 */
export type ApplyPage = (page: ChangesPage, after: string) => Promise<boolean>

/** The applications of a page by their IDs, as the last change of each has it. */
export function changedApplications({ payload }: ChangesPage): Map<number, PulledMembers> {
  const applications = new Map<number, PulledMembers>()
  for (const { application_id: id, application } of payload) {
    if (application === undefined) continue
    if (application.application_id !== id)
      throw new CommandError('mismatch', `The service sent a different application with a change of application ${id}.`)
    applications.set(id, application)
  }
  return applications
}

export interface Prepared {
  files: ReadyFile[]
  /** Facts that the state records once the files have their names. */
  facts?: Readonly<Record<string, unknown>>
  /** How many applications are in the output, where that is not what the pulls have brought. */
  total?: number
}

export interface OutputFormat {
  ending: string
  /** Whether it is made of tables, which can be laid out in several ways. */
  hasTables: boolean
  /** Whether it is for people: with option labels, and rewritten by every pull, so `--since-last` has nothing to add to. */
  isForPeople?: boolean
  /** The folder that it is; `--since-last` has nothing to add to one. */
  folder?: string
  /** Where it goes, when that is no file. */
  destination?: string
  /** Where lines are collected, until the output is made of them. */
  spoolPath: (out: string) => string
  /** What the last pull of it left, of an output that knows it by itself; of others the state alongside them does. */
  readDone?: (origin: PullOrigin) => Promise<PulledBefore | undefined>
  /** Before the walk: throws what would keep the output from being made of it. */
  check?: (job: TablesJob) => Promise<void>
  /** Makes the files that get their final names next, whole and on the disk, and alongside their places. */
  prepare: (job: FormatJob) => Promise<Prepared>
  /** For outputs that can be kept up to date (`--follow`): applies pages of the change feed after the state that `readDone` found. */
  follow?: (job: FollowJob) => Promise<ApplyPage>
  /** The ids of the applications in a file, in order, many at a time; undefined where something is none. */
  idsIn?: (path: string) => AsyncGenerator<(number | undefined)[], void, undefined>
}
