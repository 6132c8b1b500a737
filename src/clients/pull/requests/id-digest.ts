// Count and digest of a walk's applications. The digest is the SHA-256 of their IDs in the order of the walk, in decimal with a line feed
// after each, as computed by `jq .application_id applications.ndjson | sha256sum`. The service computes the same two values.

import { createHash } from 'node:crypto'

export interface IdReceipt {
  count: number
  /** SHA-256 in hexadecimal. */
  digest: string
}

export class IdDigest {
  private readonly hash = createHash('sha256')
  count = 0

  add(ids: readonly number[]): void {
    if (ids.length > 0) this.hash.update(`${ids.join('\n')}\n`)
    this.count += ids.length
  }

  /** The receipt of everything added so far; more may be added. */
  receipt(): IdReceipt {
    return { count: this.count, digest: this.hash.copy().digest('hex') }
  }
}

/** A set of IDs: in memory, one bit each where they are close to one another. */
export class IdSet {
  private readonly blocks = new Map<number, Uint32Array>()

  has(id: number): boolean {
    const word = this.blocks.get(Math.floor(id / 1024))?.[(id % 1024) >>> 5] ?? 0
    return (word & (1 << (id % 32))) !== 0
  }

  /** False if it already has the ID. */
  add(id: number): boolean {
    const at = Math.floor(id / 1024)
    const block = this.blocks.get(at) ?? new Uint32Array(32)
    this.blocks.set(at, block)
    const [word, bit] = [(id % 1024) >>> 5, 1 << (id % 32)]
    const isNew = (block[word]! & bit) === 0
    block[word]! |= bit
    return isNew
  }
}

/** IDs as stored in the state: 8 bytes each. */
export function packIds(ids: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(ids.length * 8)
  for (let i = 0; i < ids.length; i++) {
    bytes.writeUInt32BE(Math.floor(ids[i]! / 2 ** 32), i * 8)
    bytes.writeUInt32BE(ids[i]! % 2 ** 32, i * 8 + 4)
  }
  return bytes
}

export function unpackIds(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 8 }, (_, i) => Number(view.getBigUint64(i * 8)))
}
