// Maintenance tasks of a worker, at start and on a timer: request missing derived data, erase applications past their retention and files
// that no answer refers to, seal the audit log, and send heartbeats. If one fails, the others still run.

import type { Log } from '../src/base/log.ts'
import type { OtherConfig } from '../src/config/all-settings.ts'
import { eraseExpired } from '../src/core/applications/erase.ts'
import { sealAuditLog } from '../src/core/audit/seal-audit.ts'
import { sweepDerived } from '../src/core/derived/sweep.ts'
import { eraseUnneededFiles } from '../src/core/files/erase-files.ts'
import type { FileStore } from '../src/core/files/file-store.ts'
import type { Sql } from '../src/db/client.ts'
import { historyNoted, noteHistory } from '../src/db/database-history.ts'
import { recordWorkerHeartbeat, removeWorkerHeartbeat } from '../src/db/derived/worker-heartbeats.ts'
import type { MaintenanceTask } from './worker-metrics.ts'

/** Heartbeat interval of a worker, several times shorter than the time after which readMaintenanceState considers it gone. */
const heartbeatMs = 15_000

interface MaintenanceOptions {
  db: Sql
  log: Log
  fileStore: FileStore | undefined
  config: Pick<OtherConfig, 'sweepIntervalMs' | 'storageSilenceMs'>
  /** Called after each successful task. */
  through: (task: MaintenanceTask) => void
}

interface Maintenance {
  /** Resolves when each task was attempted once. */
  first: Promise<void>
  /** Resolves when the running tasks have ended. */
  stop(): Promise<void>
}

export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { db, log, config, through } = options
  const workerId = crypto.randomUUID()
  const heartbeat = (): Promise<void> =>
    Promise.all([recordWorkerHeartbeat(db, workerId), noteHistory(db)]).then(
      ([, isNews]) => {
        if (isNews) log.warn(historyNoted)
      },
      error => log.warn({ err: error }, 'the heartbeat could not be written'),
    )
  const all = async (): Promise<void> => {
    for (const { name, run, failing } of tasks(options)) {
      try {
        await run()
        through(name)
      } catch (error) {
        log.warn({ err: error }, failing)
      }
    }
  }
  // A round may take longer than the interval.
  let underWay = Promise.all([heartbeat(), all()]).then(() => {})
  let busy = true
  const first = underWay
  void first.then(() => {
    busy = false
  })
  const again = setInterval(() => {
    if (busy) return
    busy = true
    underWay = all().finally(() => {
      busy = false
    })
  }, config.sweepIntervalMs)
  const heartbeats = setInterval(() => void heartbeat(), heartbeatMs)
  return {
    first,
    stop: async () => {
      clearInterval(again)
      clearInterval(heartbeats)
      await underWay
      await removeWorkerHeartbeat(db, workerId).catch(() => {})
    },
  }
}

interface Task {
  name: MaintenanceTask
  run: () => Promise<void>
  /** Log message for a failure. */
  failing: string
}

const tasks = ({ db, log, fileStore, config }: MaintenanceOptions): Task[] => [
  {
    name: 'sweep',
    run: async () => {
      const asked = await sweepDerived(db)
      if (asked.length > 0) log.info({ asked: asked.length }, 'the sweep requested missing derived data')
    },
    failing: 'the sweep failed; it runs again on its timer',
  },
  {
    name: 'retention',
    run: async () => {
      for (const { slug, applications, inProgress } of await eraseExpired(db))
        log.info({ program: slug, applications, in_progress: inProgress }, 'erased applications past their retention')
    },
    failing: 'applications past their retention could not be erased; the next sweep tries again',
  },
  {
    name: 'files',
    run: async () => {
      const files = await eraseUnneededFiles(db, fileStore, config.storageSilenceMs)
      if (files > 0) log.info({ files }, 'erased uploaded files that no answer refers to')
    },
    failing: 'uploaded files that no answer refers to could not be erased; the next attempt is in ten minutes',
  },
  {
    name: 'audit_seal',
    run: async () => void (await sealAuditLog(db)),
    failing: 'the audit log could not be sealed; the next round tries again',
  },
]
