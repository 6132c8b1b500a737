// Count and digest of a walk's applications: SHA-256 over their ids in the order of the walk, each in decimal digits and followed by a
// line feed, as `jq .application_id applications.ndjson | sha256sum` computes it. The service computes the same two for a walk.

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

  /** Of what was added so far; more may be added. */
  receipt(): IdReceipt {
    return { count: this.count, digest: this.hash.copy().digest('hex') }
  }
}

/** Ids as the state keeps them: 8 bytes each. */
export function packIds(ids: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(ids.length * 8)
  for (const [i, id] of ids.entries()) bytes.writeBigUInt64BE(BigInt(id), i * 8)
  return bytes
}

export function unpackIds(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / 8 }, (_, i) => Number(view.getBigUint64(i * 8)))
}
