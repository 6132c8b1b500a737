// Records what was acknowledged, done and seen during a soak, to compare it with what the installation reports.

import type { Members, SentApplication } from './contents.ts'
import { type Difference, differences } from './walk-promises.ts'

/** Maximum number of remembered checked applications, so that long runs use no more memory. */
const checkedMax = 200_000

/** A change of status, note or both by an administrator. Its note is unique. */
export interface Annotation {
  note: string
  /** Undefined if only the note was changed. */
  status: string | undefined
  /** When the status was set, as exported. */
  time: string
  /** False if the connection was lost: it is unknown whether it was committed. */
  isSure: boolean
}

export interface FollowedChange {
  change: number
  kind: string
  application_id: number
  status?: string | null
  application_note?: string | null
}

export class Ledger {
  /** By application, in the order of acknowledgment. */
  readonly submissions = new Map<number, SentApplication>()
  /** By application, in order. */
  readonly annotations = new Map<number, Annotation[]>()
  /** Applications that may be erased, and those that are. */
  readonly maybeErased = new Set<number>()
  readonly erased = new Set<number>()
  /** The received applications, window by window. */
  readonly polled: number[] = []
  readonly followed: FollowedChange[] = []
  /** A copy of the program maintained from the change feed (D39), by application. */
  readonly copy = new Map<number, Members>()
  readonly broken: string[] = []
  walks = 0
  pages = 0
  feedWalks = 0
  messages = 0
  publications = 0
  readonly note = (what: string): void => {
    if (this.broken.length < 100) this.broken.push(what)
  }

  /** Records each of these kinds of difference, with an example. */
  compare<T>(what: string, got: readonly T[], expected: readonly T[], kinds: readonly Difference<T>['kind'][]): void {
    const found = Map.groupBy(differences(got, expected), ({ kind }) => kind)
    for (const kind of kinds) {
      const own = found.get(kind)
      if (own !== undefined) this.note(`${what}: ${own.length} ${kind}, such as ${own[0]!.of}`)
    }
  }

  readonly #checked = new Set<string>()
  /** Whether an application was already compared with what was sent, in a view. */
  isChecked(view: string, digest: number | bigint): boolean {
    const name = `${view} ${digest}`
    if (this.#checked.has(name)) return true
    if (this.#checked.size > checkedMax) this.#checked.clear()
    this.#checked.add(name)
    return false
  }

  /** Without those that may have been erased. */
  readonly remaining = (ids: Iterable<number>): number[] => [...ids].filter(id => !this.maybeErased.has(id))

  /** Remaining applications whose status was set. */
  readonly withStatus = (): number[] =>
    this.remaining(this.annotations.keys()).filter(id =>
      this.annotations.get(id)!.some(({ status, isSure }) => status !== undefined && isSure),
    )
}
