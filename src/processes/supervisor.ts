// Keeps the processes of one service running: starts them, starts again what dies, replaces them one by one, ends them.
// It must not serve a request or open the database, so that little can make it fail.

import type { Log } from '../log.ts'
import type { ToldMetric } from '../metrics/process-sums.ts'
import { settledWithin } from '../settled-within.ts'
import type { Readiness, ToProcess, ToSupervisor } from './process-messages.ts'
import type { ProcessPlace } from './process-share.ts'

/** A process as the operating system started it. */
export interface Started {
  readonly pid: number
  readonly exited: Promise<number>
  /** The signal that ended it, if one did. */
  readonly endedBy: string | number | null
  send(message: ToProcess): void
  kill(signal: 'SIGKILL'): void
}

interface Options {
  count: number
  /** The port of the service; 0 to have one picked. */
  port: number
  start(place: ProcessPlace, hear: (message: ToSupervisor) => void): Started
  log: Log
  /** What one process counted until it ended. */
  keep(metrics: readonly ToldMetric[]): void
  /** A process cannot be started. Called once; the others still run. */
  giveUp(): void
  /** The pause before a process is started again, doubled with each that did not live long. */
  pauseMs?: number
}

interface Member {
  readonly number: number
  readonly process: Started
  listening: Promise<void>
  isListening: boolean
  /** It was asked to end. */
  leaving: boolean
  /** What it told last; kept in case it ends without telling more. */
  metrics: readonly ToldMetric[]
}

const longLifeMs = 60_000
const pauseMaxMs = 10_000
/** How often in a row a process may end before it listens. With the pauses between, that takes most of a minute. */
const failuresMax = 10
const answerMs = 2000

export class Supervisor {
  restarts = 0
  readonly #members = new Map<number, Member>()
  readonly #questions = new Map<number, (message: ToSupervisor) => void>()
  #asked = 0
  #port: number
  #url = ''
  #ending = false
  #replacing = false

  constructor(private readonly options: Options) {
    this.#port = options.port
  }

  /** Processes that take requests. */
  get running(): number {
    return this.#listeners().length
  }

  /** Starts all of them. Rejects when one ends before it listens; the others have ended then, too. */
  async begin(): Promise<{ port: number; url: string }> {
    const places = Array.from({ length: this.options.count }, (_, i) => i + 1)
    try {
      // The first brings the database to this release and picks the port.
      for (const part of [places.slice(0, 1), places.slice(1)])
        await Promise.all(part.map(number => this.#start(number).listening))
    } catch (error) {
      await this.end(0)
      throw error
    }
    for (const member of this.#members.values()) void this.#watch(member, 0)
    return { port: this.#port, url: this.#url }
  }

  /** Replaces one after the other: each new one listens before the old one is asked to end, and the next waits for that end. */
  async replaceAll(): Promise<void> {
    const { log } = this.options
    if (this.#replacing || this.#ending) return
    this.#replacing = true
    try {
      for (const old of [...this.#members.values()]) {
        if (this.#ending) return
        if (this.#members.get(old.number) !== old) continue
        const fresh = this.#start(old.number)
        try {
          await fresh.listening
        } catch {
          log.error(
            { process: old.number },
            'a process could not be replaced: those that run go on, and no more are replaced',
          )
          if (this.#ending) return
          if (old.isListening) this.#members.set(old.number, old)
          else void this.#watch(this.#start(old.number), 1)
          return
        }
        void this.#watch(fresh, 0)
        old.leaving = true
        old.process.send({ order: 'drain' })
        await old.process.exited
      }
      log.info('all processes were replaced')
    } finally {
      this.#replacing = false
    }
  }

  /** Asks all of them to end, and ends those that have not within so many milliseconds. Resolves when none is left. */
  async end(withinMs: number): Promise<void> {
    this.#ending = true
    const members = [...this.#members.values()]
    for (const member of members) {
      member.leaving = true
      member.process.send({ order: 'drain' })
    }
    const ended = Promise.all(members.map(({ process }) => process.exited))
    if (await settledWithin(withinMs, ended)) return
    this.kill()
    await ended
  }

  /** Ends all of them at once. */
  kill(): void {
    for (const { process } of this.#members.values()) process.kill('SIGKILL')
  }

  /** Of all of them together: ready as long as one is, since connections come to those that listen alone. */
  async readiness(): Promise<Readiness> {
    const answers = await this.#ask('readiness')
    const told = answers.flatMap(answer => ('readiness' in answer ? [answer.readiness] : []))
    const first = told.find(({ ready }) => ready && !this.#ending) ?? { ready: false, lines: told[0]?.lines ?? [] }
    return {
      ready: first.ready,
      lines: [`${told.filter(({ ready }) => ready).length} of ${this.options.count} processes`, ...first.lines],
    }
  }

  /** What each process counted; of one that does not answer in time, what it told last. */
  async metrics(): Promise<(readonly ToldMetric[])[]> {
    await this.#ask('metrics', (member, answer) => {
      if ('metrics' in answer) member.metrics = answer.metrics
    })
    return [...this.#members.values()].map(({ metrics }) => metrics)
  }

  #listeners(): Member[] {
    return [...this.#members.values()].filter(({ isListening }) => isListening)
  }

  #start(number: number): Member {
    const listening = Promise.withResolvers<void>()
    const { count, start } = this.options
    const process = start({ number, of: count, port: this.#port }, message => {
      if ('answer' in message) this.#questions.get(message.answer)?.(message)
      else if (message.says === 'listening') {
        this.#port = message.port
        this.#url = message.url
        member.isListening = true
        listening.resolve()
      } else if (message.says === 'ending') member.metrics = message.metrics
    })
    const member: Member = {
      number,
      process,
      listening: listening.promise,
      isListening: false,
      leaving: false,
      metrics: [],
    }
    this.#members.set(number, member)
    listening.promise.catch(() => {})
    void process.exited.then(() => {
      this.options.keep(member.metrics)
      member.metrics = []
      member.isListening = false
      listening.reject(new Error(`process ${number} ended before it listened`))
    })
    return member
  }

  /** Starts a process again, and again, when it ends unasked. `failures`: how many in a row did not live long. */
  async #watch(member: Member, failures: number): Promise<void> {
    const { log, giveUp, pauseMs = 100 } = this.options
    const startedMs = performance.now()
    const listened = await member.listening.then(
      () => true,
      () => false,
    )
    const code = await member.process.exited
    if (member.leaving || this.#ending) return
    const inARow = performance.now() - startedMs > longLifeMs ? 1 : failures + 1
    const { number, process } = member
    log.error(
      { process: number, pid: process.pid, status: code, ended_by: process.endedBy, listened },
      'a process ended unasked',
    )
    if (!listened && inARow >= failuresMax) {
      log.fatal({ process: number }, 'a process cannot be started: the service ends')
      giveUp()
      return
    }
    await Bun.sleep(Math.min(pauseMaxMs, pauseMs * 2 ** (inARow - 1)))
    if (this.#ending || this.#members.get(number) !== member) return
    this.restarts++
    void this.#watch(this.#start(number), inARow)
  }

  async #ask(
    question: 'readiness' | 'metrics',
    take: (member: Member, answer: ToSupervisor) => void = () => {},
  ): Promise<ToSupervisor[]> {
    const answers: ToSupervisor[] = []
    const all = this.#listeners().map(member => {
      const number = ++this.#asked
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#questions.set(number, answer => {
        answers.push(answer)
        take(member, answer)
        resolve()
      })
      member.process.send({ question, number })
      return settledWithin(answerMs, Promise.race([promise, member.process.exited])).finally(() =>
        this.#questions.delete(number),
      )
    })
    await Promise.all(all)
    return answers
  }
}
