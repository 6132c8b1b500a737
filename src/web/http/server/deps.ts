// Dependencies of routes: resources that the process opened, and state that routes share.

import type { Log } from '../../../base/log.ts'
import type { Tracer } from '../../../base/tracing/span.ts'
import type { Config } from '../../../config/all-settings.ts'
import type { ShownSetting } from '../../../config/shown-settings.ts'
import type { KeyMaps } from '../../../core/derived/program-key-map.ts'
import type { ChangeWatch } from '../../../core/export/changes/change-watch.ts'
import type { PinnedStarts } from '../../../core/export/odata/pinned-starts.ts'
import type { ExportAuditLog } from '../../../core/export/pages/export-audit-log.ts'
import type { LostHistory } from '../../../core/export/requests/lost-history.ts'
import type { Exports } from '../../../core/export/servers/exports.ts'
import type { ProgramConcurrency } from '../../../core/intake/program-concurrency.ts'
import type { FailureThrottle } from '../../../core/keys/failure-throttle.ts'
import type { KeySource } from '../../../core/keys/key-source.ts'
import type { KeyUses } from '../../../core/keys/key-use.ts'
import type { KeyLimits } from '../../../core/keys/limits.ts'
import type { SignInTries } from '../../../core/people/sign-in-tries.ts'
import type { CountingRedis } from '../../../core/queue/counting-redis.ts'
import type { AuditEvent } from '../../../db/audit/audit.ts'
import type { Sql } from '../../../db/client.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { Metrics } from './metrics.ts'

/** What a process opens before it builds the application. */
export interface Foundation {
  config: Config
  /** The configuration as the console shows it. */
  settings: readonly ShownSetting[]
  log: Log
  /** Connections for everything but exports, intake and the console. */
  db: Sql
  /**
   * Connections to the primary for exports, so that no number of them keeps others waiting. A walk's start is read here, and its rows
   * where `readDb` cannot serve them. Every cursor asks its server whether it has the submissions of that start (G13).
   */
  exportDb: Sql
  /** Connections to the server that pages are read from before `exportDb` is; undefined in most installations. */
  readDb: Sql | undefined
  /** Whether applications are distributed over a cluster. */
  isDistributed: boolean
  /** Connections for intake. Submissions wait for one another on them, so nothing else uses them. */
  intakeDb: Sql
  /** Connections for the console, whose login has more rights than that of the other routes. */
  consoleDb: Sql
  metrics: Metrics
  /** Undefined unless traces are exported. */
  tracer?: Tracer | undefined
  /** Where all processes count together; undefined where each counts for itself. */
  countingRedis?: CountingRedis | undefined
  /** The present time. */
  now: () => Micros
}

/** The foundation, and what routes share. */
export interface Deps extends Foundation {
  keys: KeySource
  uses: KeyUses
  limits: KeyLimits
  failures: FailureThrottle
  tries: SignInTries
  keyMaps: KeyMaps
  /** Saving and submitting have turns of their own: submissions wait for one another, and saving must not wait for them. */
  saves: ProgramConcurrency
  submissions: ProgramConcurrency
  exports: Exports
  /** Where walks of OData feeds begin. */
  feedStarts: PinnedStarts
  auditLog: ExportAuditLog
  lostHistory: LostHistory
  /** Adds a line to the audit log: in the database, or in the log where the database is only read. */
  audit: (event: AuditEvent) => Promise<void>
  watch: ChangeWatch
}
