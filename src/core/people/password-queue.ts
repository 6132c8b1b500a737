// Decides whose password is hashed next. Hashing is slow on purpose, so few passwords are hashed at a time and the others wait.
//
// A flood of wrong passwords must not keep people out. Browsers in which a person has signed in before, or is signed in, go ahead of all
// others. Within both groups, a client moves back one place for each of its recent failures, and for each password that it already has in
// the queue. A full queue rejects the client that would be served last, to make room for one with a better place.

import { Problem } from '../../base/problem.ts'

export interface PasswordClient {
  /** A known browser, a person, or the network of an address. */
  name: string
  /** Whether it has presented a session, the cookie of an earlier sign-in, or an invitation link. */
  isKnown: boolean
}

/** A person who has presented a session or an invitation link. */
export const knownPerson = ({ person_id }: { person_id: number }): PasswordClient => ({
  name: `person ${person_id}`,
  isKnown: true,
})

export const queueLimits = {
  runningMax: 2,
  /** Room for a first attempt from each of 200 addresses: in a flood from that many, none has failed before. */
  waitingMax: 256,
  waitMsMax: 10_000,
  /** Maximum number of passwords of one client, being hashed or waiting. */
  ofOneClientMax: 8,
  /** How long a failure counts. */
  failureMs: 15 * 60_000,
  /** Maximum number of clients whose failures are remembered; beyond that, the earliest are forgotten. */
  failedMax: 10_000,
} as const

interface Waiter {
  client: PasswordClient
  sinceMs: number
  begin: () => void
  refuse: (problem: Problem) => void
}

export class PasswordQueue {
  #running = 0
  readonly #runningOf = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  readonly #failed = new Map<string, { count: number; untilMs: number }>()

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Runs `work` when it is this client's turn. Rejects with Problem `unavailable` if the queue is full or the turn doesn't come in time. */
  async run<T>(client: PasswordClient, work: () => Promise<T>): Promise<T> {
    if (this.#heldBy(client) >= queueLimits.ofOneClientMax) throw tooManyAtOnce
    await new Promise<void>((begin, refuse) => {
      this.#waiting.add({ client, sinceMs: this.nowMs(), begin, refuse })
      this.#settle()
    })
    try {
      return await work()
    } finally {
      this.#countRunning(client, -1)
      this.#settle()
    }
  }

  /** Records a client's wrong password. */
  noteFailure({ name }: PasswordClient): void {
    const failed = { count: this.#failuresOf(name) + 1, untilMs: this.nowMs() + queueLimits.failureMs }
    // Deleted first, so that the map is in the order of the last failure.
    this.#failed.delete(name)
    this.#failed.set(name, failed)
    const [earliest] = this.#failed.keys()
    if (this.#failed.size > queueLimits.failedMax) this.#failed.delete(earliest!)
  }

  /** Rejects passwords that have waited too long, starts the next, and rejects the last of a queue that is too long. */
  #settle(): void {
    const expired = this.nowMs() - queueLimits.waitMsMax
    for (const waiter of this.#waiting) if (waiter.sinceMs <= expired) this.#refuse(waiter)
    while (this.#running < queueLimits.runningMax && this.#waiting.size > 0) this.#begin(this.#inOrder()[0]!)
    if (this.#waiting.size > queueLimits.waitingMax) this.#refuse(this.#inOrder().at(-1)!)
  }

  #inOrder(): Waiter[] {
    const held = new Map(this.#runningOf)
    const placed = [...this.#waiting].map(waiter => {
      const { name, isKnown } = waiter.client
      const ahead = held.get(name) ?? 0
      held.set(name, ahead + 1)
      return { waiter, group: isKnown ? 0 : 1, place: ahead + this.#failuresOf(name) }
    })
    // The sort is stable: of equal ones, the earlier comes first.
    return placed.sort((a, b) => a.group - b.group || a.place - b.place).map(({ waiter }) => waiter)
  }

  #begin(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    this.#countRunning(waiter.client, 1)
    waiter.begin()
  }

  #refuse(waiter: Waiter): void {
    this.#waiting.delete(waiter)
    waiter.refuse(tooManyAtOnce)
  }

  #countRunning({ name }: PasswordClient, change: 1 | -1): void {
    this.#running += change
    const running = (this.#runningOf.get(name) ?? 0) + change
    if (running > 0) this.#runningOf.set(name, running)
    else this.#runningOf.delete(name)
  }

  #heldBy({ name }: PasswordClient): number {
    const waiting = [...this.#waiting].filter(({ client }) => client.name === name)
    return (this.#runningOf.get(name) ?? 0) + waiting.length
  }

  #failuresOf(name: string): number {
    const failed = this.#failed.get(name)
    return failed === undefined || failed.untilMs <= this.nowMs() ? 0 : failed.count
  }
}

const tooManyAtOnce = new Problem('unavailable', {
  detail: 'Too many people are signing in right now. Try again in a few seconds.',
  retryAfterSeconds: 5,
  internal: 'password_queue',
})
