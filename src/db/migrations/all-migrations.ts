// Every migration of this release, in order. Named one by one, so that they are part of the binary that scripts/build makes.

import { createHash } from 'node:crypto'
import foundation from './0001-foundation.sql' with { type: 'text' }
import copiedAnswers from './0002-copied-answers.sql' with { type: 'text' }
import auditSeals from './0003-audit-seals.sql' with { type: 'text' }
import followerLimits from './0004-follower-limits.sql' with { type: 'text' }
import followedVersions from './0005-followed-versions.sql' with { type: 'text' }
import publications from './0006-publications.sql' with { type: 'text' }
import lostChanges from './0007-lost-changes.sql' with { type: 'text' }
import readAddress from './0008-read-address.sql' with { type: 'text' }
import oneJoin from './0009-one-join.sql' with { type: 'text' }
import ownNames from './0010-own-names.sql' with { type: 'text' }
import ownNamesIndex from './0011-own-names-index.sql' with { type: 'text' }
import submitterType from './0012-submitter-type.sql' with { type: 'text' }
import applicationByIntermediary from './0013-application-by-intermediary.sql' with { type: 'text' }
import keyNotes from './0014-key-notes.sql' with { type: 'text' }
import applying from './0015-applying.sql' with { type: 'text' }
import submissionWithoutKey from './0016-submission-without-key.sql' with { type: 'text' }
import oneTombstone from './0017-one-tombstone.sql' with { type: 'text' }
import programDetails from './0018-program-details.sql' with { type: 'text' }
import applicationByState from './0019-application-by-state.sql' with { type: 'text' }
import keyRequestDays from './0020-key-request-days.sql' with { type: 'text' }
import uploadedFiles from './0021-uploaded-files.sql' with { type: 'text' }
import applyingForClients from './0022-applying-for-clients.sql' with { type: 'text' }
import erasedFiles from './0023-erased-files.sql' with { type: 'text' }
import jobRuns from './0024-job-runs.sql' with { type: 'text' }
import sessionBrowser from './0025-session-browser.sql' with { type: 'text' }
import personTimeZone from './0026-person-time-zone.sql' with { type: 'text' }
import codesOfClients from './0027-codes-of-clients.sql' with { type: 'text' }
import applicationWords from './0028-application-words.sql' with { type: 'text' }
import applicationWordsFilled from './0029-application-words-filled.sql' with { type: 'text' }
import applicationByName from './0030-application-by-name.sql' with { type: 'text' }
import applicationVacuum from './0031-application-vacuum.sql' with { type: 'text' }
import followerAskedFirst from './0032-follower-asked-first.sql' with { type: 'text' }
import { statementsOf } from './statements.ts'

export interface Migration {
  name: string
  text: string
  sha256: string
  /**
   * What it means for releases before its own, from its first line. `expand` adds what they do not need to know: they keep running, and its own
   * release needs it. `contract` removes what only they needed: it waits until they are gone.
   */
  kind: 'expand' | 'contract'
  /** The oldest release that still works once it is applied. */
  oldestRelease: string
  /** Its individual statements, if its first line says that they run outside a transaction. */
  outsideStatements?: readonly OutsideStatement[]
}

/** A repeatable statement that runs outside a transaction: an interrupted migration starts over. */
export interface OutsideStatement {
  text: string
  /** Name of the index that it builds. */
  builds: string | undefined
  /**
   * Whether it changes one batch of rows, starting with those after `'{}'`, and returns the replacement of that text for the next batch; null at the
   * end.
   */
  isBatch: boolean
}

const files: Readonly<Record<string, string>> = {
  '0001-foundation.sql': foundation,
  '0002-copied-answers.sql': copiedAnswers,
  '0003-audit-seals.sql': auditSeals,
  '0004-follower-limits.sql': followerLimits,
  '0005-followed-versions.sql': followedVersions,
  '0006-publications.sql': publications,
  '0007-lost-changes.sql': lostChanges,
  '0008-read-address.sql': readAddress,
  '0009-one-join.sql': oneJoin,
  '0010-own-names.sql': ownNames,
  '0011-own-names-index.sql': ownNamesIndex,
  '0012-submitter-type.sql': submitterType,
  '0013-application-by-intermediary.sql': applicationByIntermediary,
  '0014-key-notes.sql': keyNotes,
  '0015-applying.sql': applying,
  '0016-submission-without-key.sql': submissionWithoutKey,
  '0017-one-tombstone.sql': oneTombstone,
  '0018-program-details.sql': programDetails,
  '0019-application-by-state.sql': applicationByState,
  '0020-key-request-days.sql': keyRequestDays,
  '0021-uploaded-files.sql': uploadedFiles,
  '0022-applying-for-clients.sql': applyingForClients,
  '0023-erased-files.sql': erasedFiles,
  '0024-job-runs.sql': jobRuns,
  '0025-session-browser.sql': sessionBrowser,
  '0026-person-time-zone.sql': personTimeZone,
  '0027-codes-of-clients.sql': codesOfClients,
  '0028-application-words.sql': applicationWords,
  '0029-application-words-filled.sql': applicationWordsFilled,
  '0030-application-by-name.sql': applicationByName,
  '0031-application-vacuum.sql': applicationVacuum,
  '0032-follower-asked-first.sql': followerAskedFirst,
}

const outsideStatement =
  /^(?:create index concurrently if not exists ([a-z0-9_]+)\s+on\s|drop index concurrently if exists [a-z0-9_]+$|(select fill_[a-z_]+\('{}', \d+\))$)/

export const allMigrations: readonly Migration[] = Object.entries(files).map(([name, text]) =>
  readMigration(name, text),
)

/** A migration as described by its first line. Throws if the line is invalid, or a statement may not run that way. */
export function readMigration(name: string, text: string): Migration {
  const firstLine = /^-- (expand|contract), oldest release (\d+\.\d+\.\d+)(, outside a transaction)?\n/
  const [, kind, oldestRelease, outside] = firstLine.exec(text) ?? []
  if (kind === undefined)
    throw new Error(
      `${name} must begin with "-- expand, oldest release 1.2.3" (or contract) [", outside a transaction"]`,
    )
  const sha256 = createHash('sha256').update(text).digest('hex')
  const migration: Migration = { name, text, sha256, kind: kind as Migration['kind'], oldestRelease: oldestRelease! }
  if (outside === undefined) return migration
  return { ...migration, outsideStatements: statementsOf(text).map(statement => readOutsideStatement(name, statement)) }
}

function readOutsideStatement(name: string, statement: string): OutsideStatement {
  const text = statement.replace(/^--.*\n/gm, '').trim()
  const found = outsideStatement.exec(text)
  if (found === null)
    throw new Error(
      `${name} may only fill rows, or create or drop an index "concurrently if [not] exists", but contains: ${text}`,
    )
  return { text, builds: found[1], isBatch: found[2] !== undefined }
}
