// Records what was acknowledged, done and seen during a soak, to compare it with what the installation reports.

import type { Members, SentApplication } from './contents.ts'
import { type Difference, differences } from './walk-promises.ts'

/** How many checked applications are remembered, so that a long run holds no more. */
const checkedMax = 200_000

/** A change of status, note or both that an administrator asked for. Its note is its own. */
export interface Annotation {
  note: string
  /** Undefined where only the note was changed. */
  status: string | undefined
  /** When the status was set, as exports have it. */
  time: string
  /** False when the connection was lost: whether it was committed is not known. */
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
  /** By application, in the order in which they were acknowledged. */
  readonly submissions = new Map<number, SentApplication>()
  /** By application, in order. */
  readonly annotations = new Map<number, Annotation[]>()
  /** Applications that may be gone, and those that are. */
  readonly maybeErased = new Set<number>()
  readonly erased = new Set<number>()
  /** The applications that arrived, window by window. */
  readonly polled: number[] = []
  readonly followed: FollowedChange[] = []
  /** A copy of the program as the change feed makes it (D39), by application. */
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

  /** Notes each of these kinds of difference, with an example. */
  compare<T>(what: string, got: readonly T[], expected: readonly T[], kinds: readonly Difference<T>['kind'][]): void {
    const found = Map.groupBy(differences(got, expected), ({ kind }) => kind)
    for (const kind of kinds) {
      const own = found.get(kind)
      if (own !== undefined) this.note(`${what}: ${own.length} ${kind}, such as ${own[0]!.of}`)
    }
  }

  readonly #checked = new Set<string>()
  /** Whether an application was held against what was sent before, as a view has it. */
  isChecked(view: string, digest: number | bigint): boolean {
    const name = `${view} ${digest}`
    if (this.#checked.has(name)) return true
    if (this.#checked.size > checkedMax) this.#checked.clear()
    this.#checked.add(name)
    return false
  }

  /** Without those that may have been erased. */
  readonly remaining = (ids: Iterable<number>): number[] => [...ids].filter(id => !this.maybeErased.has(id))
}
