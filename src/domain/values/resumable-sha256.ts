// SHA-256 (FIPS 180-4) whose state can be exported and resumed elsewhere, which the runtime's hashes do not support.
// Written in JavaScript and slow (about 150 MB/s): use it to digest numbers, not content.

const blockBytes = 64
/** Eight words, the length in bytes, and the bytes that don't yet fill a block. */
export const sha256StateBytes = 32 + 8 + (blockBytes - 1)

/** The first 32 bits of the fractional part of a root of each of the first primes. */
const rootsOfPrimes = (count: number, root: (prime: number) => number): Uint32Array => {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n)
  return Uint32Array.from(primes, prime => Math.floor((root(prime) % 1) * 2 ** 32))
}
const initialWords = rootsOfPrimes(8, Math.sqrt)
const constants = rootsOfPrimes(64, Math.cbrt)

const schedule = new Int32Array(64)

export class ResumableSha256 {
  readonly #words = Int32Array.from(initialWords)
  readonly #block = Buffer.alloc(blockBytes)
  #bytes = 0

  /** Undefined for anything `state` did not return. */
  static resume(state: Buffer): ResumableSha256 | undefined {
    if (state.length !== sha256StateBytes) return undefined
    const hash = new ResumableSha256()
    for (let i = 0; i < 8; i++) hash.#words[i] = state.readInt32BE(4 * i)
    hash.#bytes = Number(state.readBigUInt64BE(32))
    state.copy(hash.#block, 0, 40)
    return Number.isSafeInteger(hash.#bytes) ? hash : undefined
  }

  add(bytes: Uint8Array, from = 0, to = bytes.length): void {
    let filled = this.#bytes % blockBytes
    this.#bytes += to - from
    for (let at = from; at < to; at++) {
      this.#block[filled++] = bytes[at]!
      if (filled < blockBytes) continue
      compress(this.#words, this.#block)
      filled = 0
    }
  }

  /** The state from which `resume` continues. */
  state(): Buffer {
    const state = Buffer.alloc(sha256StateBytes)
    for (let i = 0; i < 8; i++) state.writeInt32BE(this.#words[i]!, 4 * i)
    state.writeBigUInt64BE(BigInt(this.#bytes), 32)
    this.#block.copy(state, 40, 0, this.#bytes % blockBytes)
    return state
  }

  /** In hexadecimal. Nothing may be added afterwards. */
  digest(): string {
    const bits = Buffer.alloc(8)
    bits.writeBigUInt64BE(BigInt(this.#bytes) * 8n)
    const used = (this.#bytes + 1 + bits.length) % blockBytes
    const padding = Buffer.alloc(1 + ((blockBytes - used) % blockBytes))
    padding[0] = 0x80
    this.add(padding)
    this.add(bits)
    return this.state().toString('hex', 0, 32)
  }
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** Processes one block, with the standard's variable names. */
function compress(words: Int32Array, block: Buffer): void {
  for (let i = 0; i < 16; i++) schedule[i] = block.readInt32BE(4 * i)
  for (let i = 16; i < 64; i++) {
    const early = schedule[i - 15]!
    const late = schedule[i - 2]!
    const spread =
      (rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)) + (rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10))
    schedule[i] = schedule[i - 16]! + schedule[i - 7]! + spread
  }
  let [a, b, c, d, e, f, g, h] = words as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g)
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + chosen + constants[i]! + schedule[i]!) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) words[i]! += word
}
