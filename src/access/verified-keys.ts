// Remembers credentials that were found good a moment ago, so that the next request with one costs no lookup.
// It must not let anybody in: what it remembers is judged afresh for each request, as if it had just been looked up.
//
// What it is for: answers that tell the bearer of a credential about that credential. Whoever reads applications or changes
// anything is looked up each time, so that a key that was retired opens not one page more; this may lag behind by a second.
//
// Only good credentials are remembered, so that everything else is looked up, an unknown id like a wrong secret, and takes the
// same time; and nobody without a key can fill the memory. It holds digests: neither a secret nor a header. An entry is
// dropped when any key changes, which the database announces; since an announcement may be lost, it also ages, and while
// nothing can be heard nothing is remembered.

import type { NoticeHandlers } from '../db/notices.ts'
import { type Admission, type Attempt, type Identity, identify, judge } from './admission.ts'
import type { KeySource } from './key-source.ts'

/** "Retiring or editing takes effect on every instance within 1 s" (contract section 3), whatever becomes of a notice. */
const ageMaxMs = 1000
const entriesMax = 10_000

interface Entry {
  identity: Identity
  /** When its lookup was begun, which is when it was certainly true. */
  sinceMs: number
}

export class VerifiedKeys implements NoticeHandlers {
  readonly #entries = new Map<string, Entry>()
  #hears = false
  /** How often everything was forgotten; a lookup that was under way meanwhile may have seen what was before. */
  #forgotten = 0

  constructor(
    private readonly keys: KeySource,
    private readonly pepper: string,
    /** A clock that is never set back, in milliseconds. */
    private readonly clockMs: () => number = () => performance.now(),
  ) {}

  /** As `admit`, as of now or of at most a second ago. At once when the credential is remembered. */
  admit(attempt: Attempt): Admission | Promise<Admission> {
    const { authorization } = attempt
    if (authorization === null || !this.#hears) return this.#lookUp(attempt, undefined)
    const digest = Bun.SHA256.hash(authorization, 'base64')
    const entry = this.#entries.get(digest)
    if (entry === undefined || this.clockMs() >= entry.sinceMs + ageMaxMs) return this.#lookUp(attempt, digest)
    return judge(entry.identity, attempt)
  }

  onListening(): void {
    this.#forget()
    this.#hears = true
  }

  onNotice(): void {
    this.#forget()
  }

  onDeaf(): void {
    this.#forget()
    this.#hears = false
  }

  /** Everything, not one key: changes are rare, and to look all up again is one statement each. */
  #forget(): void {
    this.#entries.clear()
    this.#forgotten++
  }

  async #lookUp(attempt: Attempt, digest: string | undefined): Promise<Admission> {
    const sinceMs = this.clockMs()
    const forgotten = this.#forgotten
    const identity = await identify(this.keys, this.pepper, attempt)
    const isGood = 'matches' in identity && identity.matches
    if (isGood && digest !== undefined && forgotten === this.#forgotten && isWrittenPlainly(attempt.authorization!)) {
      if (this.#entries.size >= entriesMax) this.#entries.clear()
      this.#entries.set(digest, { identity, sinceMs })
    }
    return judge(identity, attempt)
  }
}

/** Of the many ways to write one credential (case, spaces) only this one is remembered: one key is then one entry. */
const isWrittenPlainly = (authorization: string): boolean => /^Basic [^ ]/.test(authorization)
