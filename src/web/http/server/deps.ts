// Dependencies of routes: resources opened by the process, and state that routes share.

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
import type { FileSpace } from '../../../core/files/file-space.ts'
import type { FileStore } from '../../../core/files/file-store.ts'
import type { ProgramConcurrency } from '../../../core/intake/program-concurrency.ts'
import type { FailureThrottle } from '../../../core/keys/failure-throttle.ts'
import type { KeySource } from '../../../core/keys/key-source.ts'
import type { KeyUses } from '../../../core/keys/key-use.ts'
import type { KeyLimits } from '../../../core/keys/limits.ts'
import type { KeyRequestCounts } from '../../../core/keys/request-counts.ts'
import type { SignInTries } from '../../../core/people/sign-in-tries.ts'
import type { CountingRedis } from '../../../core/queue/counting-redis.ts'
import type { AuditEvent } from '../../../db/audit/audit.ts'
import type { Sql } from '../../../db/client.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { Metrics } from './metrics.ts'

/** Resources that a process opens before it builds the routes. */
export interface Foundation {
  config: Config
  /** The configuration as the console shows it. */
  settings: readonly ShownSetting[]
  log: Log
  /** Connections for everything except exports, intake and the console. */
  db: Sql
  /**
   * Connections to the primary reserved for exports, so that exports never make other requests wait. The start of a walk is read here, and
   * its rows if `readDb` cannot serve them. Every cursor checks that its server has the submissions of that start (G13).
   */
  exportDb: Sql
  /** Connections to the server that pages are read from in preference to `exportDb`; undefined in most installations. */
  readDb: Sql | undefined
  /** Whether applications are distributed over a Citus cluster. */
  isDistributed: boolean
  /** Connections reserved for intake, because submissions hold them while waiting for one another. */
  intakeDb: Sql
  /** Connections for the console, whose database login has more rights than the other routes' login. */
  consoleDb: Sql
  metrics: Metrics
  /** Undefined unless traces are exported. */
  tracer?: Tracer | undefined
  /** The Redis in which all processes count limits together; undefined if each process counts on its own. */
  countingRedis?: CountingRedis | undefined
  /** The current time. */
  now: () => Micros
}

/** The foundation and the state that routes share. */
export interface Deps extends Foundation {
  keys: KeySource
  uses: KeyUses
  /** Undefined if the database is read-only. */
  keyRequests: KeyRequestCounts | undefined
  limits: KeyLimits
  failures: FailureThrottle
  tries: SignInTries
  keyMaps: KeyMaps
  /** Saving and submitting have separate limits, so that saving does not wait while submissions wait for one another. */
  saves: ProgramConcurrency
  submissions: ProgramConcurrency
  exports: Exports
  /** Snapshots shared by the tables of an OData feed. */
  feedStarts: PinnedStarts
  auditLog: ExportAuditLog
  lostHistory: LostHistory
  /** Adds an audit entry to the database, or to the log if the database is read-only. */
  audit: (event: AuditEvent) => Promise<void>
  watch: ChangeWatch
  /** The storage for uploaded files; undefined if files can't be uploaded. */
  fileStore: FileStore | undefined
  fileSpace: FileSpace
}
