// The standbys that serve pages: their availability, lag and load. Where applications are
// distributed it is nodes of the cluster instead: each finds what the coordinator finds, as long as it knows of the same shards.
// This is a heuristic: every cursor verifies on its own server that it has what the walk needs (db/walks/walks). It picks a standby
// that probably has it, and bounds the age of a status or note.

import type { Sql } from '../../db/client.ts'
import { historyNoted, noteHistory } from '../../db/database-history.ts'
import { hasWaited, isLostConnection } from '../../db/passing-errors.ts'
import { readClusterView, strangenessOfNode } from '../../db/walks/cluster-view.ts'
import { hasTakenOver, readWalPosition, strangenessOfStandby, type WalPosition } from '../../db/walks/wal-position.ts'
import type { Log } from '../../log.ts'
import { settledWithin } from '../../settled-within.ts'

/** Poll interval and time-out for the servers' positions. */
const lookEveryMs = 1000
const answerWithinMs = 2000
/** Shortest time that a failed standby is excluded. */
const awayMs = 5000
/** Of the primary's positions, the newest so many are kept. What has replayed none of these is as old as it was known to be. */
const positionsKept = 600

/** A server that pages can be read from, and how many are being read from it or wait to be. */
export interface ExportServer {
  readonly name: string
  readonly sql: Sql
  reading: number
}

export interface StandbyPool {
  /** For the log, metrics and readiness: host and port. */
  name: string
  /** Connections for pages. */
  sql: Sql
  /** A connection that no page keeps waiting. */
  watch: Sql
}

/** How a standby is, for metrics and readiness. What is not known is undefined. */
export interface StandbyState {
  name: string
  /** Whether pages are read from it. */
  isUsed: boolean
  lagSeconds: number | undefined
  lagBytes: number | undefined
  /** Cursors that were opened on it. */
  reads: number
  /** Why it is no standby of the primary; undefined when it is, or did not answer. */
  strangeness: string | undefined
}

/** A server that answered, and is no standby of the primary: it has another history, or more of it. */
class StrangeServer extends Error {}

/** One without the tables of the primary is not one of its standbys. */
const errorOf = (error: Error): Error =>
  (error as { code?: unknown }).code === '42P01'
    ? new StrangeServer('this server is no standby of the one in DATABASE_URL', { cause: error })
    : error

interface StandbysSettings {
  /** The primary, asked how far it has come. */
  primary: Sql
  /** Whether applications are distributed over a cluster: then the primary is its coordinator, and the others are nodes of it. */
  isDistributed: boolean
  /** A standby that lags more is not read. */
  lagMaxMs: number
  log: Log
}

export class Standby implements ExportServer {
  reading = 0
  reads = 0
  readonly name: string
  readonly sql: Sql
  readonly watch: Sql
  /** It has everything that the primary had committed by then. */
  #asOfMs = Number.NEGATIVE_INFINITY
  #lagBytes: number | undefined
  #answers = false
  /** Why it was not taken for one of the primary's when it was last asked; undefined when it was. */
  error: Error | undefined
  #awayUntilMs = Number.NEGATIVE_INFINITY
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(pool: StandbyPool) {
    this.name = pool.name
    this.sql = pool.sql
    this.watch = pool.watch
  }

  /** A page could not be read from it: excludes it until it responds again, and for a minimum time. */
  noteFailure(): void {
    this.#failedAtMs = performance.now()
    this.#awayUntilMs = this.#failedAtMs + awayMs
    this.#answers = false
  }

  /** It did not answer, or is not one of the primary's. */
  noteSilence(error: Error): void {
    this.#answers = false
    this.#lagBytes = undefined
    this.error = error
  }

  /** It has everything that the primary had committed at `asOfMs`, and lacks so many bytes of what was written since. */
  noteAnswer(askedAtMs: number, asOfMs: number, lagBytes: number | undefined): void {
    this.#asOfMs = Math.max(this.#asOfMs, asOfMs)
    this.#lagBytes = lagBytes
    this.error = undefined
    if (askedAtMs > this.#failedAtMs) this.#answers = true
  }

  /** How old the oldest is that it may answer with, at most. */
  get lagMs(): number {
    return performance.now() - this.#asOfMs
  }

  isUsable(lagMaxMs: number): boolean {
    return this.#answers && performance.now() >= this.#awayUntilMs && this.lagMs <= lagMaxMs
  }

  state(lagMaxMs: number): StandbyState {
    const { name, reads, lagMs, error } = this
    const isStrange = error instanceof StrangeServer
    // What another server had replayed says nothing of this primary.
    const lagSeconds = Number.isFinite(lagMs) && !isStrange ? lagMs / 1000 : undefined
    const strangeness = isStrange ? error.message : undefined
    return { name, isUsed: this.isUsable(lagMaxMs), lagSeconds, lagBytes: this.#lagBytes, reads, strangeness }
  }
}

interface PrimaryPosition {
  atMs: number
  position: number
}

export class Standbys {
  readonly all: readonly Standby[]
  #positions: PrimaryPosition[] = []
  /** As it last answered. */
  #primary: WalPosition | undefined
  /** Whether it was reported that a failover cannot be noted. */
  #isUnnoted = false
  /** Last reported state of each. */
  readonly #reported = new Map<Standby, string>()
  #timer: Timer | undefined

  constructor(
    pools: readonly StandbyPool[],
    private readonly settings: StandbysSettings,
  ) {
    this.all = pools.map(pool => new Standby(pool))
  }

  /** Whether what is read comes through a node of a cluster, from whichever server it is read. */
  get isDistributed(): boolean {
    return this.settings.isDistributed
  }

  /** Those that pages may be read from now, the least busy first. */
  usable(): Standby[] {
    return this.all
      .filter(standby => standby.isUsable(this.settings.lagMaxMs))
      .sort((a, b) => a.reading - b.reading || a.reads - b.reads)
  }

  states(): StandbyState[] {
    return this.all.map(standby => standby.state(this.settings.lagMaxMs))
  }

  /** Looks again and again, until `stop`. */
  start(): void {
    if (this.all.length === 0) return
    const again = (): void => {
      this.#timer = setTimeout(() => void this.look().then(again), lookEveryMs)
      this.#timer.unref()
    }
    again()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /**
   * Asks the primary how far it has come, then each standby. The order makes the lag an upper bound that needs no clock of a server:
   * what a standby has replayed of a position was committed before this asked the primary for it. Never rejects.
   */
  async look(): Promise<void> {
    if (this.all.length === 0) return
    if (this.isDistributed) return this.#lookAtNodes()
    const askedAtMs = performance.now()
    const primary = await answerOf(readWalPosition(this.settings.primary))
    if (!(primary instanceof Error)) this.#notePrimary(askedAtMs, primary)
    else if (isGone(primary)) return this.#leaveAll(primary)
    if (hasTakenOver(this.#primary)) await this.#noteTakeover()
    const standbysAskedAtMs = performance.now()
    const answers = await Promise.all(this.all.map(standby => answerOf(readWalPosition(standby.watch))))
    const written = await this.#written(answers)
    for (const [i, standby] of this.all.entries()) {
      const answer = answers[i]!
      if (answer instanceof Error) standby.noteSilence(errorOf(answer))
      else {
        const strangeness = this.#primary && strangenessOfStandby(answer, this.#primary, written)
        if (strangeness === undefined) this.#noteReplayed(standby, standbysAskedAtMs, answer)
        else standby.noteSilence(new StrangeServer(strangeness))
      }
      this.#report(standby)
    }
  }

  /**
   * A primary that went away may come back as another server, whose history lacks what a standby of the old one still has: none is read
   * until the primary answers. One that is only slow has gone nowhere.
   */
  #leaveAll(error: Error): void {
    for (const standby of this.all) {
      standby.noteSilence(error)
      this.#report(standby)
    }
  }

  #notePrimary(atMs: number, primary: WalPosition): void {
    const { position, history } = primary
    // Another server has taken over, and what was replayed of the old one's later log says nothing of its own.
    const isSame = history === this.#primary?.history && !hasTakenOver(primary)
    if (!isSame || position < (this.#positions.at(-1)?.position ?? 0)) this.#positions = []
    this.#positions.push({ atMs, position })
    if (this.#positions.length > positionsKept) this.#positions.shift()
    this.#primary = primary
  }

  #noteReplayed(standby: Standby, askedAtMs: number, { position }: WalPosition): void {
    const replayed = this.#positions.findLast(sample => sample.position <= position)
    const newest = this.#positions.at(-1)
    const lagBytes = newest === undefined ? undefined : Math.max(0, newest.position - position)
    standby.noteAnswer(askedAtMs, replayed?.atMs ?? Number.NEGATIVE_INFINITY, lagBytes)
  }

  /** Until it is noticed that the primary is another one, all standbys look alike, those of the old one too. */
  async #noteTakeover(): Promise<void> {
    const { log, primary } = this.settings
    try {
      if (await noteHistory(primary)) log.warn(historyNoted)
      this.#isUnnoted = false
      const noted = await answerOf(readWalPosition(primary))
      if (!(noted instanceof Error)) this.#notePrimary(performance.now(), noted)
    } catch (error) {
      if (!this.#isUnnoted)
        log.warn({ err: error }, 'it cannot be noted that another server has taken over, so no standby is read')
      this.#isUnnoted = true
    }
  }

  /** How far the primary has written; asked again where a standby has more than it had, for it may have gone on in the meantime. */
  async #written(answers: readonly (WalPosition | Error)[]): Promise<number | undefined> {
    const written = this.#primary?.position
    const most = Math.max(...answers.map(answer => (answer instanceof Error ? 0 : answer.position)))
    if (written === undefined || most <= written) return written
    const later = await answerOf(readWalPosition(this.settings.primary))
    return later instanceof Error ? written : later.position
  }

  /** Asks the coordinator first, as it would a primary: what a node knows is then no older. */
  async #lookAtNodes(): Promise<void> {
    const askedAtMs = performance.now()
    const coordinator = await answerOf(readClusterView(this.settings.primary))
    const lookAt = async (node: Standby): Promise<void> => {
      if (coordinator instanceof Error) return this.#report(node, coordinator)
      const answer = await answerOf(readClusterView(node.watch))
      if (answer instanceof Error) node.noteSilence(answer)
      else {
        const strangeness = strangenessOfNode(answer, coordinator)
        if (strangeness === undefined) node.noteAnswer(askedAtMs, askedAtMs, undefined)
        else node.noteSilence(new StrangeServer(strangeness))
      }
      this.#report(node)
    }
    await Promise.all(this.all.map(lookAt))
  }

  /** Once, when it changes. */
  #report(standby: Standby, error = standby.error): void {
    const { isUsed, lagSeconds, lagBytes, name, strangeness } = standby.state(this.settings.lagMaxMs)
    const reported = `${isUsed} ${strangeness}`
    if (this.#reported.get(standby) === reported) return
    this.#reported.set(standby, reported)
    const facts = { standby: name, lag_seconds: lagSeconds, lag_bytes: lagBytes }
    const what = this.isDistributed ? 'a node of the cluster' : 'a standby'
    if (isUsed) this.settings.log.info(facts, `pages are read from ${what}`)
    else this.settings.log.warn({ ...facts, err: error }, `no pages are read from ${what}`)
  }
}

const isGone = (error: Error): boolean => isLostConnection(error) && !hasWaited(error)

/** What a server answers, or why it did not. */
async function answerOf<T>(answer: Promise<T>): Promise<T | Error> {
  try {
    if (await settledWithin(answerWithinMs, answer)) return await answer
    return new Error('no answer')
  } catch (error) {
    return error as Error
  }
}
