// Page tokens (contract D8): the state of a walk, sealed so that clients can neither read nor change it.
// A token grants no permission; every page is authorized again.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { base62Length, decodeBase62, encodeBase62 } from '../../../domain/values/base62.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { countNumbers, packFilters, unpackFilters } from '../filters/packed-filters.ts'
import { exportFormats, pageFormats } from '../framings/all-framings.ts'
import type { PageToken } from './walk.ts'

// Bytes of a token: version, key ID, nonce, sealed contents, tag. Contents are flags, the walk's ID, and numbers of seven bytes, which hold
// any safe integer. Their size is fixed, so the length reveals only how many questions were chosen and which kinds of filters are set.
/**
 * Layout versions of the contents. A layout stays readable for the lifetime of its tokens. The second has another number for the flags
 * beyond the first byte, and is issued only if one of them is set, because release 1.0.0 reads only the first.
 */
type Layout = 1 | 2
const keyIdBytes = 4
const nonceBytes = 12
const tagBytes = 16
const headBytes = 1 + keyIdBytes

/** Keys to open a token, and the facts it must match. */
export interface TokenOpening {
  keys: readonly Buffer[]
  now: Micros
  ttlMs: number
  programId: number
}

const flagsAndWalkBytes = 1 + 8
const numberBytes = 7

/** Number of numbers in every token. */
const plainNumbers = 13
/** Maximum number of chosen questions in a token. */
export const fieldsMax = 100

/** Maximum number of numbers for filters and further flags. */
const furtherNumbersMax = 10

const tokenBytes = (more: number): number =>
  headBytes + nonceBytes + flagsAndWalkBytes + (plainNumbers + more) * numberBytes + tagBytes

/** Contents by their count of additional numbers. */
const tokenLengths = Array.from({ length: fieldsMax + furtherNumbersMax + 1 }, (_, more) =>
  base62Length(tokenBytes(more)),
)

/** Tolerated clock difference between machines of an installation. */
const clockSkewMicros = 60_000_000

/**
 * Seals contents with the first of `keys` (32 bytes each) into a token for `openPageToken`.
 * AES-256-GCM with a random nonce is safe for about 2^32 tokens per key. Two tokens for the same contents differ.
 */
export function sealPageToken(contents: PageToken, keys: readonly Buffer[]): string {
  const key = keys[0]
  if (key === undefined) throw new Error('no key is configured for page tokens')
  const { layout, plain } = pack(contents)
  const head = Buffer.concat([Buffer.of(layout), keyId(key)])
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(head)
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return encodeBase62(Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]))
}

/**
 * The contents of a token sealed with any of `keys`. Throws Problem `invalid_request` with one of these codes for the parameter:
 * - `page_token_invalid`: altered, or issued under a key that is no longer configured;
 * - `page_token_of_another_program`;
 * - `page_token_expired`: issued more than `ttlMs` milliseconds before `now`;
 * - `page_token_issued_ahead`: issued more than a minute after `now`, by an instance whose clock is ahead of this one.
 */
export function openPageToken(text: string, opening: TokenOpening, parameter = 'nextPageToken'): PageToken {
  const { keys, ...expected } = opening
  const unusable = (code: string, what: string, internal: string) => unusableToken(parameter, code, what, internal)
  const more = tokenLengths.indexOf(text.length)
  const bytes = more === -1 ? undefined : decodeBase62(text, tokenBytes(more))
  if (bytes === undefined) throw unreadableToken(parameter)
  const contents = bytes[0] === 1 || bytes[0] === 2 ? unseal(bytes[0], bytes, keys) : undefined
  if (contents === undefined) {
    throw unusable('page_token_invalid', 'was not issued by this service or has been altered', 'token_not_authentic')
  }
  if (contents.programId !== expected.programId) {
    throw unusable('page_token_of_another_program', 'was issued for another program', 'token_of_another_program')
  }
  const age = expected.now - contents.issuedAt
  if (age > expected.ttlMs * 1000) throw unusable('page_token_expired', 'has expired', 'token_expired')
  if (age < -clockSkewMicros) throw issuedAhead(parameter)
  return contents
}

/** Error for a token whose walk cannot continue because the database no longer has all its applications (G13). */
export function walkIsLost(cause: unknown, parameter = 'nextPageToken'): Problem {
  return unusableToken(
    parameter,
    'walk_of_another_history',
    'belongs to an export of submissions that the database has lost, for example because it was restored from a backup',
    'walk_of_another_history',
    cause,
  )
}

/** Error for a database that lags behind a walk (G13). Retrying helps, unless the database was restored to an earlier state. */
export function databaseIsBehind(cause: unknown): Problem {
  return new Problem('unavailable', {
    detail:
      'The database has not caught up with this export. Try again in a few seconds. ' +
      'If the database was restored from a backup, start the export again without a token.',
    retryAfterSeconds: 5,
    internal: 'behind_walk',
    cause,
  })
}

/** Whether an error means that the database lacks part of a walk, because it lags or has lost it. */
export const isOfLostWalk = (error: unknown): boolean =>
  error instanceof Problem && ['walk_of_another_history', 'behind_walk'].includes(String(error.internal))

/** Error for a walk whose questions have changed since it started. */
export function questionsAreLost(cause: unknown): Problem {
  return unusableToken(
    'nextPageToken',
    'walk_of_another_history',
    'belongs to an export whose questions have changed since, for example because the database was restored from a backup',
    'questions_of_another_history',
    cause,
  )
}

/** Not the client's fault: the token is valid for instances whose clock is correct. */
function issuedAhead(parameter: string): Problem {
  const detail =
    'was issued by an instance of this service whose clock is ahead. Send the token again; ' +
    'if that keeps failing, ask the operator of the service to synchronize its clocks.'
  return refusedToken({ parameter, code: 'page_token_issued_ahead', detail }, 'token_issued_ahead')
}

/** Error for a text that cannot be a token. */
export const unreadableToken = (parameter: string): Problem =>
  unusableToken(parameter, 'page_token_invalid', 'is not a token that this service issued', 'token_malformed')

function unusableToken(parameter: string, code: string, what: string, internal: string, cause?: unknown): Problem {
  const detail = `${what}. Start again at the first page, without a token.`
  return refusedToken({ parameter, code, detail }, internal, cause)
}

const refusedToken = (item: ProblemItem, internal: string, cause?: unknown): Problem =>
  new Problem('invalid_request', { detail: 'The page token cannot be used.', errors: [item], internal, cause })

function unseal(layout: Layout, bytes: Buffer, keys: readonly Buffer[]): PageToken | undefined {
  const head = bytes.subarray(0, headBytes)
  const nonce = bytes.subarray(headBytes, headBytes + nonceBytes)
  const sealed = bytes.subarray(headBytes + nonceBytes, bytes.length - tagBytes)
  for (const key of keys) {
    if (!keyId(key).equals(head.subarray(1))) continue
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(head)
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes))
    const opened = decipher.update(sealed)
    try {
      decipher.final()
    } catch {
      continue
    }
    return unpack(layout, opened)
  }
  return undefined
}

const keyIds = new WeakMap<Buffer, Buffer>()

/** Identifies a key without revealing it. */
function keyId(key: Buffer): Buffer {
  let id = keyIds.get(key)
  if (id === undefined) {
    id = createHash('sha256').update(key).digest().subarray(0, keyIdBytes)
    keyIds.set(key, id)
  }
  return id
}

/** The flags that do not belong to a filter. The format's number takes three bits. */
const hasLastChange = 16
const formatUnit = 2 ** 10
const formatNumbers = 8
const hasCurrentQuestions = 2 ** 13

function pack(token: PageToken): { layout: Layout; plain: Buffer } {
  const { lastChange, fields = [] } = token
  if (fields.length > fieldsMax) throw new Error(`a page token can name at most ${fieldsMax} questions`)
  if (!/^[0-9a-f]{16}$/.test(token.walkId)) throw new Error('a walk ID has 16 hexadecimal digits')
  const { bits, slots, numbers } = packFilters(token.filters)
  const format = token.format === undefined ? 0 : pageFormats[token.format].inToken
  const flags =
    bits +
    (lastChange === undefined ? 0 : hasLastChange) +
    format * formatUnit +
    (token.questions === undefined ? 0 : hasCurrentQuestions)
  const further = Math.floor(flags / 256)
  const all = [
    token.programId,
    token.horizon,
    lastChange?.time ?? 0,
    lastChange?.application_id ?? 0,
    token.questionsAsOf,
    token.after.submit_time,
    token.after.submit_seq,
    ...slots,
    token.pageSize,
    token.pageSizeMax,
    token.applications,
    token.issuedAt,
    ...(further === 0 ? [] : [further]),
    ...numbers,
    ...fields,
  ]
  const parts = [Buffer.of(flags % 256), Buffer.from(token.walkId, 'hex'), ...all.map(packNumber)]
  return { layout: further === 0 ? 1 : 2, plain: Buffer.concat(parts) }
}

/** Reverses `pack`; undefined if malformed or if an unknown flag is set, because ignoring its filter would change the walk. */
function unpack(layout: Layout, bytes: Buffer): PageToken | undefined {
  const all = Array.from({ length: (bytes.length - flagsAndWalkBytes) / numberBytes }, (_, i) =>
    unpackNumber(bytes, flagsAndWalkBytes + i * numberBytes),
  )
  const rest = all.splice(plainNumbers)
  const further = layout === 1 ? 0 : rest.shift()
  if (further === undefined || (layout === 2 && further < 1)) return undefined
  const flags = bytes[0]! + 256 * further
  const lastChange = flags & hasLastChange ? { time: all[2]!, application_id: all[3]! } : undefined
  const formatNumber = Math.floor(flags / formatUnit) % formatNumbers
  const format = exportFormats.find(name => pageFormats[name].inToken === formatNumber)
  if (format === undefined && formatNumber > 0) return undefined
  const questions = Math.floor(flags / hasCurrentQuestions) % 2 === 1 ? 'current' : undefined
  const bits =
    flags -
    (lastChange === undefined ? 0 : hasLastChange) -
    formatNumber * formatUnit -
    (questions === undefined ? 0 : hasCurrentQuestions)
  const numbers = rest.splice(0, countNumbers(bits))
  const filters = unpackFilters({ bits, slots: [all[7]!, all[8]!], numbers })
  if (filters === undefined) return undefined
  return {
    programId: all[0]!,
    walkId: bytes.toString('hex', 1, flagsAndWalkBytes),
    horizon: all[1]!,
    lastChange,
    questionsAsOf: all[4]!,
    after: { submit_time: all[5]!, submit_seq: all[6]! },
    filters,
    pageSize: all[9]!,
    pageSizeMax: all[10]!,
    applications: all[11]!,
    issuedAt: all[12]!,
    fields: rest.length === 0 ? undefined : rest,
    questions,
    format,
  }
}

function packNumber(number: number): Buffer {
  if (!Number.isSafeInteger(number)) throw new Error(`a page token can contain only safe integers, not ${number}`)
  const bytes = Buffer.alloc(numberBytes)
  const high = Math.floor(number / 2 ** 32)
  bytes.writeIntBE(high, 0, 3)
  bytes.writeUInt32BE(number - high * 2 ** 32, 3)
  return bytes
}

const unpackNumber = (bytes: Buffer, at: number): number =>
  bytes.readIntBE(at, 3) * 2 ** 32 + bytes.readUInt32BE(at + 3)
