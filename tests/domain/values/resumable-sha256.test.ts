import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { ResumableSha256, sha256StateBytes } from '../../../src/domain/values/resumable-sha256.ts'

const sha256 = (pieces: readonly Uint8Array[]): string =>
  createHash('sha256').update(Buffer.concat(pieces)).digest('hex')

test('a digest of any pieces is SHA-256, even if its state is stored and restored between them', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), pieces => {
      let hash = new ResumableSha256()
      for (const piece of pieces) {
        hash.add(piece)
        const state = hash.state()
        expect(state).toHaveLength(sha256StateBytes)
        hash = ResumableSha256.resume(state)!
      }
      expect(hash.digest()).toBe(sha256(pieces))
    }),
  )
})

test('each length around a block boundary is padded as in the standard, and only the given part of a buffer counts', () => {
  const bytes = Buffer.from(Array.from({ length: 200 }, (_, i) => i))
  for (let length = 0; length < 130; length++) {
    const hash = new ResumableSha256()
    hash.add(bytes, 3, 3 + length)
    expect(hash.digest()).toBe(sha256([bytes.subarray(3, 3 + length)]))
  }
})

test('an invalid state is rejected', () => {
  expect(ResumableSha256.resume(Buffer.alloc(sha256StateBytes - 1))).toBeUndefined()
  expect(ResumableSha256.resume(Buffer.alloc(sha256StateBytes, 0xff))).toBeUndefined()
})
