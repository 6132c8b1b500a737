// Page tokens (contract D8): what a client carries from one page to the next, sealed so that it can neither read nor change it.
// A token grants nothing: every page is authorized again.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { base62Length, decodeBase62, encodeBase62 } from '../domain/values/base62.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { Problem, type ProblemItem } from '../problem.ts'
import { isOlder, release } from '../release.ts'
import type { PageToken } from './walk.ts'

// The bytes of a token: version, key id, nonce, sealed contents, tag. Contents are of one size, so that the length tells
// nothing but how many questions its client chose. Numbers are doubles, in which every safe integer is exact.
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes

/** How contents are laid out. A layout that tokens were issued in is read for as long as such a token may live. */
interface Layout {
  version: number
  /** The first release that reads it. While an earlier one may run, tokens are issued in a layout that it reads too. */
  since: string
  tokenBytes: number
  /** How many chosen questions it has room for: exactly as many as there are, or none where nothing was chosen. */
  fields: number
  unpack(bytes: Buffer): OpenedToken
}

/** What a token is opened with, and what it must match. */
export interface TokenOpening {
  keys: readonly Buffer[]
  now: Micros
  ttlMs: number
  programId: number
}

/**
 * A token of the first layout says nothing of the questions its walk began with, nor of its last application; its walk goes on with
 * what the next page finds, and is held to that from there on.
 */
export type OpenedToken = Omit<PageToken, 'questionsAsOf'> & { questionsAsOf: Micros | undefined }

const flagsAndWalkBytes = 1 + 8
const tokenBytesOf = (numbers: number): number => headBytes + nonceBytes + flagsAndWalkBytes + numbers * 8 + tagBytes

/** How many numbers the first layout has. */
const firstNumbers = 10

/** How many chosen questions a token can name at most. */
export const fieldsMax = 100

/** The newest first; then that with chosen questions, one for each number of them. */
const layouts: readonly Layout[] = [
  { version: 2, since: '0.1.0', tokenBytes: tokenBytesOf(13), fields: 0, unpack },
  { version: 1, since: '0.0.0', tokenBytes: tokenBytesOf(firstNumbers), fields: 0, unpack: unpackFirst },
  ...Array.from({ length: fieldsMax }, (_, i): Layout => {
    return { version: 3, since: '0.1.0', tokenBytes: tokenBytesOf(14 + i), fields: i + 1, unpack: unpackWithFields }
  }),
]

/** What `newestLayout` found before; the oldest release stays the same for the life of a process. */
const layoutsFor = new Map<string, Layout | undefined>()

function layoutFor(oldestRelease: string, chosen: number): Layout | undefined {
  const name = chosen === 0 ? oldestRelease : `${oldestRelease} ${chosen}`
  if (layoutsFor.has(name)) return layoutsFor.get(name)
  const layout = newestLayout(oldestRelease, chosen)
  layoutsFor.set(name, layout)
  return layout
}

/** The newest layout for so many chosen questions that this release and the oldest that may run beside it both read. */
const newestLayout = (oldestRelease: string, chosen: number): Layout | undefined =>
  layouts.find(
    ({ since, fields }) => fields === chosen && !isOlder(release.version, since) && !isOlder(oldestRelease, since),
  )

/** Whether a walk over chosen questions can go on from any release that may run. */
export const canCarryFields = (oldestRelease: string): boolean => layoutFor(oldestRelease, 1) !== undefined

/** How far the clocks of two machines of one installation may be apart. */
const clockSkewMicros = 60_000_000

const revisionStates = [undefined, 'CURRENT', 'OBSOLETE'] as const

/**
 * A token that `openPageToken` turns back into the contents, sealed with the first of `keys` (32 bytes each).
 * AES-256-GCM with a random nonce: good for some 2^32 tokens of one key. Two tokens for the same contents differ.
 * `oldestRelease` is the oldest that may get to see it.
 */
export function sealPageToken(
  contents: PageToken,
  keys: readonly Buffer[],
  oldestRelease: string = release.version,
): string {
  const layout = layoutFor(oldestRelease, contents.fields?.length ?? 0)
  if (layout === undefined) throw new Error(`there is no layout of page tokens that release ${oldestRelease} reads`)
  const key = keys[0]
  if (key === undefined) throw new Error('there is no key to seal page tokens with')
  const head = Buffer.concat([Buffer.of(layout.version), keyId(key)])
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(head)
  const sealed = Buffer.concat([cipher.update(pack(contents, layout)), cipher.final()])
  return encodeBase62(Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]))
}

/**
 * What a token holds, sealed with any of `keys`. Throws Problem `invalid_request` naming the parameter, code
 * - `page_token_invalid`: not as it was issued, or issued under a key that is no longer known;
 * - `page_token_of_another_program`;
 * - `page_token_expired`: issued more than `ttlMs` milliseconds before `now`;
 * - `page_token_issued_ahead`: issued more than a minute after `now`, so by an instance whose clock is ahead of this one's.
 */
export function openPageToken(text: string, opening: TokenOpening, parameter = 'nextPageToken'): OpenedToken {
  const { keys, ...expected } = opening
  const unusable = (code: string, what: string, internal: string) => unusableToken(parameter, code, what, internal)
  const sized = layouts.find(({ tokenBytes }) => base62Length(tokenBytes) === text.length)
  const bytes = sized && decodeBase62(text, sized.tokenBytes)
  if (bytes === undefined) throw unusable('page_token_invalid', 'is not a token of this service', 'token_malformed')
  // Layouts may be of one size.
  const layout = layouts.find(({ tokenBytes, version }) => tokenBytes === bytes.length && version === bytes[0])
  const contents = layout && unseal(bytes, layout, keys)
  if (contents === undefined) {
    throw unusable('page_token_invalid', 'is not a token as this service issued it', 'token_not_authentic')
  }
  if (contents.programId !== expected.programId) {
    throw unusable('page_token_of_another_program', 'was issued for another program', 'token_of_another_program')
  }
  const age = expected.now - contents.issuedAt
  if (age > expected.ttlMs * 1000) throw unusable('page_token_expired', 'has expired', 'token_expired')
  if (age < -clockSkewMicros) throw issuedAhead(parameter)
  return contents
}

/** The refusal of a token whose walk cannot go on: the applications it was frozen to are not in this database any more (G13). */
export function walkIsLost(cause: unknown, parameter = 'nextPageToken'): Problem {
  return unusableToken(
    parameter,
    'walk_of_another_history',
    'belongs to a walk over submissions that the database has lost since, for instance because it was restored from a backup',
    'walk_of_another_history',
    cause,
  )
}

/** The questions of the walk are not those it began with, whatever its applications are. */
export function questionsAreLost(cause: unknown): Problem {
  return unusableToken(
    'nextPageToken',
    'walk_of_another_history',
    'belongs to a walk over questions that are other ones since, for instance because the database was restored from a backup',
    'questions_of_another_history',
    cause,
  )
}

/** No fault of the client, and the token is good for every instance whose clock is right. */
function issuedAhead(parameter: string): Problem {
  const detail =
    'was issued by an instance of this service whose clock is ahead of the one that answers. The walk is not lost: send the token ' +
    'again, and if it stays refused, ask the operator of the service to set the clocks of its machines.'
  return refusedToken({ parameter, code: 'page_token_issued_ahead', detail }, 'token_issued_ahead')
}

function unusableToken(parameter: string, code: string, what: string, internal: string, cause?: unknown): Problem {
  const detail = `${what}. Start again from the first page, without a token.`
  return refusedToken({ parameter, code, detail }, internal, cause)
}

const refusedToken = (item: ProblemItem, internal: string, cause?: unknown): Problem =>
  new Problem('invalid_request', { detail: 'The page token cannot be used.', errors: [item], internal, cause })

function unseal(bytes: Buffer, layout: Layout, keys: readonly Buffer[]): OpenedToken | undefined {
  const head = bytes.subarray(0, headBytes)
  const nonce = bytes.subarray(headBytes, headBytes + nonceBytes)
  const sealed = bytes.subarray(headBytes + nonceBytes, layout.tokenBytes - tagBytes)
  for (const key of keys) {
    if (!keyId(key).equals(head.subarray(1))) continue
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(head)
    decipher.setAuthTag(bytes.subarray(layout.tokenBytes - tagBytes))
    const opened = decipher.update(sealed)
    try {
      decipher.final()
    } catch {
      continue
    }
    return layout.unpack(opened)
  }
  return undefined
}

const keyIds = new WeakMap<Buffer, Buffer>()

/** Names a key without revealing anything of it. */
function keyId(key: Buffer): Buffer {
  let id = keyIds.get(key)
  if (id === undefined) {
    id = createHash('sha256').update(key).digest().subarray(0, keyIdBytes)
    keyIds.set(key, id)
  }
  return id
}

/** Bits of the first byte, beside the two of the revision state. */
const has = { from: 4, to: 8, lastApplication: 16 }

/** In the newest layout, one that only has more room, or the first, which is the beginning of both. */
function pack(token: PageToken, layout: Layout): Buffer {
  const { from, to, lastApplication } = token
  const numbers = [
    token.programId,
    token.horizon,
    token.after.submit_time,
    token.after.submit_seq,
    from ?? 0,
    to ?? 0,
    token.pageSize,
    token.pageSizeMax,
    token.applications,
    token.issuedAt,
    token.questionsAsOf,
    lastApplication?.submit_time ?? 0,
    lastApplication?.submit_seq ?? 0,
    ...(token.fields ?? []),
  ]
  const bytes = Buffer.alloc(layout.tokenBytes - headBytes - nonceBytes - tagBytes)
  bytes[0] =
    revisionStates.indexOf(token.revisionState) |
    (from === undefined ? 0 : has.from) |
    (to === undefined ? 0 : has.to) |
    (lastApplication === undefined ? 0 : has.lastApplication)
  if (!/^[0-9a-f]{16}$/.test(token.walkId)) throw new Error('a walk id has 16 hexadecimal digits')
  bytes.write(token.walkId, 1, 'hex')
  const held = layout.version === 1 ? numbers.slice(0, firstNumbers) : numbers
  held.forEach((number, i) => {
    if (!Number.isSafeInteger(number)) throw new Error(`a page token holds safe integers only, not ${number}`)
    bytes.writeDoubleBE(number, flagsAndWalkBytes + 8 * i)
  })
  return bytes
}

const numberAt = (bytes: Buffer, i: number): number => bytes.readDoubleBE(flagsAndWalkBytes + 8 * i)

function unpack(bytes: Buffer): OpenedToken {
  const hasLast = (bytes[0]! & has.lastApplication) !== 0
  return {
    ...unpackFirst(bytes),
    questionsAsOf: numberAt(bytes, 10),
    lastApplication: hasLast ? { submit_time: numberAt(bytes, 11), submit_seq: numberAt(bytes, 12) } : undefined,
  }
}

function unpackWithFields(bytes: Buffer): OpenedToken {
  const length = (bytes.length - flagsAndWalkBytes) / 8 - 13
  return { ...unpack(bytes), fields: Array.from({ length }, (_, i) => numberAt(bytes, 13 + i)) }
}

/** Layout 1, which the newest one begins with. To go when `PAGE_TOKEN_TTL` has passed since the last of them was issued. */
function unpackFirst(bytes: Buffer): OpenedToken {
  const flags = bytes[0]!
  const number = (i: number): number => numberAt(bytes, i)
  return {
    programId: number(0),
    walkId: bytes.toString('hex', 1, 9),
    horizon: number(1),
    after: { submit_time: number(2), submit_seq: number(3) },
    from: flags & has.from ? number(4) : undefined,
    to: flags & has.to ? number(5) : undefined,
    revisionState: revisionStates[flags & 3],
    pageSize: number(6),
    pageSizeMax: number(7),
    applications: number(8),
    issuedAt: number(9),
    fields: undefined,
    questionsAsOf: undefined,
    lastApplication: undefined,
  }
}
