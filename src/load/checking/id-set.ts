// A set of ids that takes a bit for each where they lie close together, as ids do that were given out one after the other.

/** Ids of one page lie in so many words of 32 bits. */
const pageWords = 16
const pageIds = pageWords * 32

export class IdSet {
  /** Where the words of each page begin. */
  readonly #pages = new Map<number, number>()
  #words = new Uint32Array(64 * pageWords)

  has(id: number): boolean {
    const at = this.#pages.get(Math.floor(id / pageIds))
    return at !== undefined && (this.#words[at + wordOf(id)]! & bitOf(id)) !== 0
  }

  /** Adds an id, a safe integer from 0. False when it was there. */
  add(id: number): boolean {
    const word = this.#at(Math.floor(id / pageIds)) + wordOf(id)
    if ((this.#words[word]! & bitOf(id)) !== 0) return false
    this.#words[word]! |= bitOf(id)
    return true
  }

  #at(page: number): number {
    const known = this.#pages.get(page)
    if (known !== undefined) return known
    const at = this.#pages.size * pageWords
    if (at === this.#words.length) {
      const larger = new Uint32Array(at * 2)
      larger.set(this.#words)
      this.#words = larger
    }
    this.#pages.set(page, at)
    return at
  }
}

const wordOf = (id: number): number => Math.floor((id % pageIds) / 32)
const bitOf = (id: number): number => 1 << (id % 32)
