// Constants that operators need not change, with reasons. They are beside the settings so that tests can override them.

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const constants = {
  /** Seven days, as EXPORT.md promises every client of every installation. */
  pageTokenTtlMs: 7 * dayMs,
  /** The longest that Excel or Power BI may take to begin the last table of a refresh. All tables come from one snapshot. */
  feedSnapshotMs: 5 * minuteMs,
  /** How long a write may wait before the export returns its connection. Reopening a cursor costs a few milliseconds. */
  releaseAfterMs: 1000,
  /** The console's statements are short, because people send one request at a time. */
  consoleConnections: 4,
  /** Far more than a form with hundreds of questions needs. */
  intakeBodyBytesMax: 2_097_152,
  /**
   * Maximum size of a form with all its files, and the time it may take to arrive. A 10 MB photo takes three minutes over a slow mobile connection.
   */
  uploadBytesMax: 104_857_600,
  uploadMsMax: 300_000,
  /** How long the file storage may take to respond. Without this limit, a request to a bucket that doesn't respond fails after six minutes. */
  storageSilenceMs: 30_000,
  /** How often a worker looks for missing or expired data. A round with nothing to do costs a few index reads. */
  sweepIntervalMs: minuteMs,
  /**
   * How far the clocks of CiviForm's servers may lag behind its database's: more than NTP allows; where they lag further, `clock-allowance` adds
   * time. Applications are followed this much later, so it is also the interval between rounds.
   */
  civiformClockSlackMs: 2000,
  /**
   * Applications compared in each round of following a CiviForm, to detect changes without an event: a short statement there, and millions of
   * applications a day.
   */
  civiformScanRows: 5000,
  /** How often every application of a CiviForm is read and compared in full. Nightly idle times come once a day. */
  civiformReconcileMs: dayMs,
} as const satisfies Readonly<Record<string, number>>

type Constants = { [K in keyof typeof constants]: number }

/** Settings that are derived from others. */
interface Deciding {
  statementTimeoutMs: number
  responseTimeoutMs: number
  enumeratorDepthMax: number
}

interface Following {
  /** How long PostgreSQL may take to respond. Longer than the statement timeout, so that PostgreSQL itself ends statements that are only slow. */
  silenceTimeoutMs: number
  /** How long an export may wait for a connection and its first applications: part of a request's time limit for its first byte. */
  exportQueueTimeoutMs: number
  /** How long the read server may take to respond: half of that, so that the primary gets the other half. */
  readSilenceTimeoutMs: number
  /** How long one request reads IDs for a receipt; the next request continues. Well below the time limit for a response. */
  receiptMs: number
  /**
   * Deepest nesting of JSON at intake. It must allow an answer to the innermost question: an answer in an enumerator is inside its question object,
   * the list of entities and an entity.
   */
  intakeDepthMax: number
}

const following = (config: Deciding): Following => ({
  silenceTimeoutMs: Math.ceil((config.statementTimeoutMs * 4) / 3),
  exportQueueTimeoutMs: Math.ceil(config.responseTimeoutMs / 2),
  readSilenceTimeoutMs: Math.ceil(config.responseTimeoutMs / 4),
  receiptMs: Math.ceil(config.responseTimeoutMs / 2),
  intakeDepthMax: Math.max(64, 4 + 3 * config.enumeratorDepthMax),
})

/** The process configuration apart from its settings. */
export type Derived = Constants & Following

export const derivedFrom = (config: Deciding): Derived => ({ ...constants, ...following(config) })
