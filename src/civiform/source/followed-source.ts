// Resources shared by all parts of the follower: the two databases, the rendering and the log.

import type { Log } from '../../base/log.ts'
import { Problem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import type { ExportProfile } from '../../domain/questions/key-map.ts'
import type { SourceLayout } from '../db/source.ts'
import type { SourceReading } from '../db/source-applications.ts'
import type { Rendering } from './profile.ts'

export interface FollowOptions extends Rendering {
  /** The time zone of CiviForm's database. */
  databaseZone: string
  /** The minimum lag allowed for the clocks of CiviForm's servers behind its database's. */
  slackMs: number
  /** Applications compared in each round. */
  scanRows: number
  /** Maximum number of applications read and stored at a time; by default, what suits each kind of work. */
  batchRows?: number
  /** How often every application is read in full. */
  wholeScanMs: number
}

/** The settings for following. Throws Problem `invalid_request` naming what is not set. */
export function followOptionsOf(config: {
  civiformDatabase: { zone: string } | undefined
  civiformBaseUrl: string
  exportProfile: ExportProfile
  civiformClockSlackMs: number
  civiformScanRows: number
  civiformReconcileMs: number
  timeZone: string
}): FollowOptions {
  const errors = [
    ...(config.civiformDatabase === undefined ? [unset('CIVIFORM_DATABASE_URL', 'the database to follow')] : []),
    ...(config.civiformBaseUrl === '' ? [unset('CIVIFORM_BASE_URL', 'where uploaded files are reached')] : []),
  ]
  if (errors.length > 0) throw new Problem('invalid_request', { detail: 'Cannot follow a CiviForm:', errors })
  return {
    profile: config.exportProfile,
    timeZone: config.timeZone,
    civiformBaseUrl: config.civiformBaseUrl,
    databaseZone: config.civiformDatabase!.zone,
    slackMs: config.civiformClockSlackMs,
    scanRows: config.civiformScanRows,
    wholeScanMs: config.civiformReconcileMs,
  }
}

/** The newest evolution that was tested. */
export const newestEvolution = 98

/** Whether a CiviForm has a newer release than any that was tested. */
export const isUntried = ({ evolution }: { evolution: number | null }): boolean => (evolution ?? 0) > newestEvolution

/** Describes a CiviForm whose database lacks a required column. */
export const whyMissing = ({ evolution }: SourceLayout): string =>
  isUntried({ evolution })
    ? `this release of CiviForm (evolution ${evolution}) is newer than this Tributary supports (${newestEvolution}) and has dropped or renamed it; upgrade Tributary`
    : 'this is not a CiviForm database, or it is from before 2023'

const unset = (parameter: string, what: string) => ({
  parameter,
  code: 'unusable_setting',
  detail: `is not set: ${what}`,
})

export interface FollowDeps {
  /** This service's own database. */
  sql: Sql
  /** CiviForm's database, which is only read. */
  source: Sql
  options: FollowOptions
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** The same, once the layout of CiviForm's release is known. */
export interface FollowReading extends FollowDeps {
  reading: SourceReading
  /** Whether its database has lost commits since following began. */
  wasRolledBack: boolean
}
