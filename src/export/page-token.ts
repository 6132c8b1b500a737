// Page tokens (contract D8): what a client carries from one page to the next, sealed so that it can neither read nor change it.
// It must not know how a page is read. A token grants nothing: who carries it is authorized afresh.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { base62Length, decodeBase62, encodeBase62 } from '../domain/values/base62.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { Problem } from '../problem.ts'

/** Where a walk stands: what its first page fixed, and behind which application the next page starts. */
export interface PageTokenContents {
  program_id: number
  /** 16 hexadecimal digits, random, to tell walks apart in the log and the audit trail. */
  walk_id: string
  /** The submission number the walk is frozen to (S of contract G1 to G6). */
  horizon: number
  after: { submit_time: Micros; submit_seq: number }
  from: Micros | undefined
  to: Micros | undefined
  revision_state: 'CURRENT' | 'OBSOLETE' | undefined
  /** The effective page size, and the maximum it was held to on the first page. */
  page_size: number
  page_size_max: number
  /** Applications handed out on all pages before the next one. */
  applications: number
  issued_at: Micros
}

// The bytes of a token: version, key id, nonce, sealed contents, tag. Contents are of one size, so that the length tells
// nothing. Numbers are doubles, in which every safe integer is exact.
const version = 1
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes
const contentBytes = 1 + 8 + 10 * 8
const tokenBytes = headBytes + nonceBytes + contentBytes + tagBytes

/** Every token has exactly so many characters, of `0-9A-Za-z`. */
export const tokenLengthMax = base62Length(tokenBytes)

/** How far the clocks of two machines of one installation may be apart. */
const clockSkewMicros = 60_000_000

const revisionStates = [undefined, 'CURRENT', 'OBSOLETE'] as const

/**
 * A token that `openPageToken` turns back into the contents, sealed with the first of `keys` (32 bytes each).
 * AES-256-GCM with a random nonce: good for some 2^32 tokens of one key. Two tokens for the same contents differ.
 */
export function sealPageToken(contents: PageTokenContents, keys: readonly Buffer[]): string {
  const key = keys[0]
  if (key === undefined) throw new Error('there is no key to seal page tokens with')
  const head = Buffer.concat([Buffer.of(version), keyId(key)])
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(head)
  const sealed = Buffer.concat([cipher.update(pack(contents)), cipher.final()])
  return encodeBase62(Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]))
}

/**
 * What a token holds, sealed with any of `keys`. Throws Problem `invalid_request` naming `nextPageToken`, code
 * - `page_token_invalid`: not as it was issued, or issued under a key that is no longer known;
 * - `page_token_of_another_program`;
 * - `page_token_expired`: issued more than `ttlMs` milliseconds before `now`, or more than a minute after it.
 */
export function openPageToken(
  text: string,
  keys: readonly Buffer[],
  expected: { now: Micros; ttlMs: number; program_id: number },
): PageTokenContents {
  const bytes = decodeBase62(text, tokenBytes)
  if (bytes === undefined) throw unusable('page_token_invalid', 'is not a token of this service', 'token_malformed')
  const contents = unseal(bytes, keys)
  if (contents === undefined) {
    throw unusable('page_token_invalid', 'is not a token as this service issued it', 'token_not_authentic')
  }
  if (contents.program_id !== expected.program_id) {
    throw unusable('page_token_of_another_program', 'was issued for another program', 'token_of_another_program')
  }
  const age = expected.now - contents.issued_at
  if (age > expected.ttlMs * 1000 || age < -clockSkewMicros) {
    throw unusable('page_token_expired', 'has expired', 'token_expired')
  }
  return contents
}

function unusable(code: string, what: string, internal: string): Problem {
  const detail = `${what}. Start again from the first page, without a token.`
  return new Problem('invalid_request', {
    detail: 'The page token cannot be used.',
    errors: [{ parameter: 'nextPageToken', code, detail }],
    internal,
  })
}

function unseal(bytes: Buffer, keys: readonly Buffer[]): PageTokenContents | undefined {
  const head = bytes.subarray(0, headBytes)
  const nonce = bytes.subarray(headBytes, headBytes + nonceBytes)
  const sealed = bytes.subarray(headBytes + nonceBytes, tokenBytes - tagBytes)
  if (head[0] !== version) return undefined
  for (const key of keys) {
    if (!keyId(key).equals(head.subarray(1))) continue
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(head)
    decipher.setAuthTag(bytes.subarray(tokenBytes - tagBytes))
    const opened = decipher.update(sealed)
    try {
      decipher.final()
    } catch {
      continue
    }
    return unpack(opened)
  }
  return undefined
}

/** Tells keys apart without telling anything about them. */
function keyId(key: Buffer): Buffer {
  return createHash('sha256').update(key).digest().subarray(0, keyIdBytes)
}

function pack(contents: PageTokenContents): Buffer {
  const bytes = Buffer.alloc(contentBytes)
  const { from, to } = contents
  bytes[0] = revisionStates.indexOf(contents.revision_state) | (from === undefined ? 0 : 4) | (to === undefined ? 0 : 8)
  if (bytes.write(contents.walk_id, 1, 'hex') !== 8 || contents.walk_id.length !== 16) {
    throw new Error('a walk id has 16 hexadecimal digits')
  }
  const numbers = [
    contents.program_id,
    contents.horizon,
    contents.after.submit_time,
    contents.after.submit_seq,
    from ?? 0,
    to ?? 0,
    contents.page_size,
    contents.page_size_max,
    contents.applications,
    contents.issued_at,
  ]
  numbers.forEach((number, i) => {
    if (!Number.isSafeInteger(number)) throw new Error(`a page token holds safe integers only, not ${number}`)
    bytes.writeDoubleBE(number, 9 + 8 * i)
  })
  return bytes
}

function unpack(bytes: Buffer): PageTokenContents {
  const flags = bytes[0]!
  const number = (i: number): number => bytes.readDoubleBE(9 + 8 * i)
  return {
    program_id: number(0),
    walk_id: bytes.toString('hex', 1, 9),
    horizon: number(1),
    after: { submit_time: number(2), submit_seq: number(3) },
    from: flags & 4 ? number(4) : undefined,
    to: flags & 8 ? number(5) : undefined,
    revision_state: revisionStates[flags & 3],
    page_size: number(6),
    page_size_max: number(7),
    applications: number(8),
    issued_at: number(9),
  }
}
