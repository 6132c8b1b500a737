// Constants that operators need not change, with reasons. They are beside the settings so that tests can override them.

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const constants = {
  /** Seven days: what EXPORT.md promises every client, on any installation. */
  pageTokenTtlMs: 7 * dayMs,
  /** As long as Excel or Power BI may take to begin with the last table of a refresh. All of them are of one snapshot. */
  feedSnapshotMs: 5 * minuteMs,
  /** How long a write may wait before the export gives its connection back: reopening a cursor costs a few milliseconds. */
  releaseAfterMs: 1000,
  /** People work in the console one at a time: their statements are short. */
  consoleConnections: 4,
  /** Far more than a form of hundreds of questions takes. */
  intakeBodyBytesMax: 2_097_152,
  /** Size of a form with all its files, and how long it may take to arrive. A 10 MB photo takes three minutes over a slow mobile connection. */
  uploadBytesMax: 104_857_600,
  uploadMsMax: 300_000,
  /** How long the file storage may take to respond. Left alone, a request to a silent bucket fails after six minutes. */
  storageSilenceMs: 30_000,
  /** How often a worker looks for what is missing, or is kept too long: a round with nothing to do is a few index reads. */
  sweepIntervalMs: minuteMs,
  /**
   * How far clocks of CiviForm's servers may lag its database's: more than those of servers that are set by NTP, and where they lag further,
   * more is allowed for (`clock-allowance`). An application is followed that much later, so this is also the pause between two looks.
   */
  civiformClockSlackMs: 2000,
  /** Compared in each round of following a CiviForm, for changes without an event: a short statement there, and millions of applications a day. */
  civiformScanRows: 5000,
  /** How often every application of a CiviForm is read whole and compared: at night, when it is idle, comes once a day. */
  civiformReconcileMs: dayMs,
} as const satisfies Readonly<Record<string, number>>

type Constants = { [K in keyof typeof constants]: number }

/** Settings that others follow from. */
interface Deciding {
  statementTimeoutMs: number
  responseTimeoutMs: number
  enumeratorDepthMax: number
}

interface Following {
  /** How long PostgreSQL may say nothing while it owes an answer. Longer than a statement may take, so that it ends itself what is only slow. */
  silenceTimeoutMs: number
  /** How long an export may wait for a connection and its first applications: part of what a request may wait for its first byte. */
  exportQueueTimeoutMs: number
  /** How long the read server may say nothing: half of that, so that the primary has the other half. */
  readSilenceTimeoutMs: number
  /** How long one request reads ids for a receipt; the next one continues. Well before it would have no answer in time. */
  receiptMs: number
  /**
   * Deepest nesting of JSON at intake. An application that answers the innermost question must be able to come in: an answer in an
   * enumerator lies in its question object, in the list of entities and in an entity.
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

/** The configuration of a process besides its settings. */
export type Derived = Constants & Following

export const derivedFrom = (config: Deciding): Derived => ({ ...constants, ...following(config) })
