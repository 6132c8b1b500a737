// Combines all routes into one HTTP handler. Opens nothing: its dependencies are passed in.

import { type Deps, type Foundation, type Routes, routes } from '@tributary/web'
import { KeyMaps } from './core/derived/program-key-map.ts'
import { ChangeWatch } from './core/export/changes/change-watch.ts'
import { PinnedStarts } from './core/export/odata/pinned-starts.ts'
import { ExportAuditLog } from './core/export/pages/export-audit-log.ts'
import { LostHistory } from './core/export/requests/lost-history.ts'
import { Exports } from './core/export/servers/exports.ts'
import { ReadConnections } from './core/export/servers/read-connections.ts'
import { ReadServer } from './core/export/servers/read-server.ts'
import { FileSpace } from './core/files/file-space.ts'
import { openFileStore } from './core/files/open-file-store.ts'
import { ProgramConcurrency, saveConcurrency, submissionConcurrency } from './core/intake/program-concurrency.ts'
import { FailureThrottle } from './core/keys/failure-throttle.ts'
import { databaseKeys } from './core/keys/key-source.ts'
import { KeyUses } from './core/keys/key-use.ts'
import { KeyLimits } from './core/keys/limits.ts'
import { KeyRequestCounts } from './core/keys/request-counts.ts'
import { SignInTries } from './core/people/sign-in-tries.ts'
import { type AuditEvent, appendAuditEvents } from './db/audit/audit.ts'

interface App extends Pick<Routes, 'fetch'> {
  /** The audit log's lines on pages that were sent, for the end of the process. */
  readonly auditLog: Pick<ExportAuditLog, 'waiting' | 'finish'>
  /** The requests that wait for changes, which are answered at the end of the process. */
  readonly watch: Pick<ChangeWatch, 'waiting' | 'close'>
  /** The requests of keys that are counted but not written yet. */
  readonly keyRequests: Pick<KeyRequestCounts, 'finish'> | undefined
  /** Every route, to check what must hold at all of them. */
  routes: Routes['list']
}

export function createApp(foundation: Foundation): App {
  const deps = depsOf(foundation)
  deps.metrics.watch(deps)
  const { fetch, list } = routes(deps)
  const { auditLog, keyRequests, watch } = deps
  return { auditLog, keyRequests, watch, routes: list, fetch }
}

/** The dependencies that routes share, built from what the process opened. */
function depsOf(foundation: Foundation): Deps {
  const { config, db, consoleDb, log, now } = foundation
  const { exportOnly } = config
  const audit = async (...events: AuditEvent[]): Promise<void> => {
    if (!exportOnly) return appendAuditEvents(db, events)
    for (const event of events) log.info({ audit_event: event }, 'audit log')
  }
  const limits = new KeyLimits(config, foundation.countingRedis)
  return {
    ...foundation,
    keys: databaseKeys(db),
    keyRequests: exportOnly ? undefined : new KeyRequestCounts(consoleDb, log, { timeZone: config.timeZone, now }),
    uses: new KeyUses(exportOnly ? undefined : db, log),
    limits,
    failures: new FailureThrottle(config.authFailuresPerMinute, foundation.countingRedis),
    tries: new SignInTries(config.authFailuresPerMinute, foundation.countingRedis),
    keyMaps: new KeyMaps(undefined, foundation.config.exportProfile),
    saves: new ProgramConcurrency(saveConcurrency(config.intakeConnections)),
    submissions: new ProgramConcurrency(submissionConcurrency(config.intakeConnections)),
    exports: exportsOf(foundation),
    feedStarts: new PinnedStarts(config.feedSnapshotMs, foundation.countingRedis),
    lostHistory: new LostHistory(exportOnly ? undefined : db, log),
    auditLog: new ExportAuditLog({
      append: events => audit(...events),
      log,
      now,
      required: config.auditRequired,
      pagesMax: () => config.exportsAtATime,
    }),
    audit,
    watch: new ChangeWatch(db),
    fileStore: openFileStore(config),
    fileSpace: new FileSpace(db, config.filesBytesMax),
  }
}

function exportsOf({ config, db, exportDb, readDb, isDistributed, log, metrics }: Foundation): Exports {
  const count = metrics.countRead.bind(metrics)
  const readServer =
    readDb &&
    new ReadServer({
      connections: new ReadConnections(readDb, config.exportConnections),
      primary: db,
      isDistributed,
      log,
      count,
    })
  return new Exports(exportDb, config.exportConnections, { areDistributed: isDistributed, readServer })
}
