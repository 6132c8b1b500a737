// The standbys that pages are read from: which of them are there, how far each has come, and how busy it is. Where applications are
// distributed it is the nodes of the cluster instead (cluster-map).
// That a standby has what a walk needs is decided by no one here: every cursor asks its server (db/walks). This is about taking one
// that probably has it, and about how old a status or a note may be.

import type { Sql } from '../db/client.ts'
import { type NodeView, readNodeView, type Shard } from '../db/shard-places.ts'
import { readWalPosition, type WalPosition } from '../db/wal-position.ts'
import type { Log } from '../log.ts'
import { settledWithin } from '../settled-within.ts'
import { ClusterMap } from './cluster-map.ts'

/** How often the servers are asked how far they have come, and how long an answer may take. */
const lookEveryMs = 1000
const answerWithinMs = 2000
/** How long a standby that failed is left alone at least. */
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
  /** Its number among the nodes of a cluster; undefined for a standby. */
  node: number | undefined
}

interface StandbysSettings {
  /** The primary, asked how far it has come. */
  primary: Sql
  /** A standby further behind is not read. */
  lagMaxMs: number
  log: Log
  nowMs?: () => number
}

export class Standby implements ExportServer {
  reading = 0
  reads = 0
  readonly name: string
  readonly sql: Sql
  readonly watch: Sql
  /** It has everything that the primary had committed by then. */
  #asOfMs = Number.NEGATIVE_INFINITY
  #node: number | undefined
  #lagBytes: number | undefined
  #answers = false
  #awayUntilMs = Number.NEGATIVE_INFINITY
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(
    pool: StandbyPool,
    private readonly nowMs: () => number,
  ) {
    this.name = pool.name
    this.sql = pool.sql
    this.watch = pool.watch
  }

  /** A page could not be read from it: it is left alone until it has answered again, and for a while at least. */
  noteFailure(): void {
    this.#failedAtMs = this.nowMs()
    this.#awayUntilMs = this.#failedAtMs + awayMs
    this.#answers = false
  }

  /** It could not be asked, or is not one of the primary's. */
  noteSilence(): void {
    this.#answers = false
    this.#lagBytes = undefined
  }

  noteAnswer(askedAtMs: number, { position }: WalPosition, primary: readonly PrimaryPosition[]): void {
    const replayed = primary.findLast(sample => sample.position <= position)
    if (replayed !== undefined) this.#asOfMs = Math.max(this.#asOfMs, replayed.atMs)
    const newest = primary.at(-1)
    this.#lagBytes = newest === undefined ? undefined : Math.max(0, newest.position - position)
    if (askedAtMs > this.#failedAtMs) this.#answers = true
  }

  /** It is a node that knew of no older places than the coordinator had by then. */
  noteNode(askedAtMs: number, node: number): void {
    this.#node = node
    this.#asOfMs = askedAtMs
    this.#lagBytes = undefined
    if (askedAtMs > this.#failedAtMs) this.#answers = true
  }

  get node(): number | undefined {
    return this.#node
  }

  /** How old the oldest is that it may answer with, at most. */
  get lagMs(): number {
    return this.nowMs() - this.#asOfMs
  }

  isUsable(lagMaxMs: number): boolean {
    return this.#answers && this.nowMs() >= this.#awayUntilMs && this.lagMs <= lagMaxMs
  }

  state(lagMaxMs: number): StandbyState {
    const { name, reads, lagMs, node } = this
    const lagSeconds = Number.isFinite(lagMs) ? lagMs / 1000 : undefined
    return { name, isUsed: this.isUsable(lagMaxMs), lagSeconds, lagBytes: this.#lagBytes, reads, node }
  }
}

interface PrimaryPosition {
  atMs: number
  position: number
}

export class Standbys {
  readonly all: readonly Standby[]
  readonly #nowMs: () => number
  #positions: PrimaryPosition[] = []
  #system: string | undefined
  #cluster: ClusterMap | undefined
  readonly #wasUsed = new Map<Standby, boolean>()
  #timer: Timer | undefined

  constructor(
    pools: readonly StandbyPool[],
    private readonly settings: StandbysSettings,
  ) {
    const nowMs = settings.nowMs ?? (() => performance.now())
    this.#nowMs = nowMs
    this.all = pools.map(pool => new Standby(pool, nowMs))
  }

  /** Where the program's applications are, when that is not where the primary is. */
  shardOf(programId: number): Shard | undefined {
    return this.#cluster?.shardOf(programId)
  }

  /** Those that pages may be read from now, the least busy first: standbys, or the node that has the shard. */
  usable(shard?: Shard): Standby[] {
    return this.all
      .filter(standby => standby.isUsable(this.settings.lagMaxMs) && standby.node === shard?.node)
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
   * what a standby has replayed of a position was committed before the primary was asked for it. Never rejects.
   */
  async look(): Promise<void> {
    if (this.all.length === 0) return
    const askedAtMs = this.#nowMs()
    const primary = await answerOf(readWalPosition(this.settings.primary))
    if (!(primary instanceof Error)) this.#notePrimary(askedAtMs, primary)
    if (this.#cluster === undefined) await Promise.all(this.all.map(standby => this.#lookAt(standby)))
    else await this.#lookAtNodes(this.#cluster)
  }

  #notePrimary(atMs: number, { position, system, distributed }: WalPosition): void {
    // Never undone.
    if (distributed) this.#cluster ??= new ClusterMap()
    // Another server has taken over, and what was replayed of the old one's later log says nothing of its own.
    if (position < (this.#positions.at(-1)?.position ?? 0)) this.#positions = []
    this.#positions.push({ atMs, position })
    if (this.#positions.length > positionsKept) this.#positions.shift()
    this.#system = system
  }

  async #lookAt(standby: Standby): Promise<void> {
    const askedAtMs = this.#nowMs()
    const answer = await answerOf(readWalPosition(standby.watch))
    const fault = answer instanceof Error ? answer : this.#strangeness(answer)
    if (fault === undefined) standby.noteAnswer(askedAtMs, answer as WalPosition, this.#positions)
    else standby.noteSilence()
    this.#tell(standby, fault)
  }

  /** The coordinator is asked first, as a primary is: what a node knows is then no older. */
  async #lookAtNodes(cluster: ClusterMap): Promise<void> {
    const askedAtMs = this.#nowMs()
    const coordinator = await answerOf(readNodeView(this.settings.primary))
    if (coordinator instanceof Error) {
      for (const node of this.all) this.#tell(node, coordinator)
      return
    }
    cluster.note(coordinator)
    const lookAt = async (node: Standby): Promise<void> => {
      const answer = await answerOf(readNodeView(node.watch))
      const fault = answer instanceof Error ? answer : cluster.strangeness(answer)
      if (fault === undefined) node.noteNode(askedAtMs, (answer as NodeView).node)
      else node.noteSilence()
      this.#tell(node, fault)
    }
    await Promise.all(this.all.map(lookAt))
  }

  #strangeness({ system }: WalPosition): Error | undefined {
    if (this.#system === undefined || this.#system === system) return undefined
    return new Error('this server is no standby of the one in DATABASE_URL')
  }

  /** Once, when it changes. */
  #tell(standby: Standby, fault: Error | undefined): void {
    const { isUsed, lagSeconds, lagBytes, name, node } = standby.state(this.settings.lagMaxMs)
    if (this.#wasUsed.get(standby) === isUsed) return
    this.#wasUsed.set(standby, isUsed)
    const facts = { standby: name, node, lag_seconds: lagSeconds, lag_bytes: lagBytes }
    const what = this.#cluster === undefined ? 'a standby' : 'a node of the cluster'
    if (isUsed) this.settings.log.info(facts, `pages are read from ${what}`)
    else this.settings.log.warn({ ...facts, err: fault }, `no pages are read from ${what}`)
  }
}

/** What a server answers, or why it did not. */
async function answerOf<T>(answer: Promise<T>): Promise<T | Error> {
  try {
    if (await settledWithin(answerWithinMs, answer)) return await answer
    return new Error('no answer')
  } catch (error) {
    return error as Error
  }
}
