// The format of API key credentials: generating, parsing, hashing and comparing them, and patterns for secret scanners.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62Alphabet, encodeBase62 } from '../../domain/values/base62.ts'
import { isOriginKeyId } from '../../domain/values/origin-key-id.ts'

/** What a client receives once. `apiSecretToken` is the Base64 of `username:password` (spec, "Authentication" 3). */
export interface Credential {
  /** The API key's id. */
  username: string
  /** The secret. */
  password: string
  apiSecretToken: string
}

// Prefixes of 6 bytes become 8 whole Base64 characters. The username with its colon is 27 bytes, a multiple of 3, so the password's prefix is
// recognizable in Base64, too (contract D24).
const usernamePrefix = 'tribk_'
const usernameRandomLength = 20
const passwordPrefix = 'tribs_'
const adminTokenPrefix = 'tribat_'
/** 62^43 > 2^256. */
const passwordRandomLength = 43

/** Maximum length of an Authorization header that is parsed. Ours are 118 characters. */
const headerLengthMax = 1024

/** For secret scanners: patterns for a credential as printed, and for its API Secret Token. */
export const scannerPatterns = {
  username: /\btribk_[0-9A-Za-z]{20}\b/,
  password: /\btribs_[0-9A-Za-z]{49}\b/,
  apiSecretToken: /dHJpYmtf[0-9A-Za-z+/]{27}6dHJpYnNf[0-9A-Za-z+/]{65}[AQgw]==/,
  passwordBase64: /dHJpYnNf[0-9A-Za-z+/]{65}[AQgw]==/,
  adminToken: /\btribat_[0-9A-Za-z]{20}_[0-9A-Za-z]{49}\b/,
} as const

export function mintCredential(): Credential {
  const username = usernamePrefix + randomBase62(usernameRandomLength)
  const random = randomBase62(passwordRandomLength)
  const password = passwordPrefix + random + checksum(random)
  return { username, password, apiSecretToken: apiSecretToken(username, password) }
}

export function apiSecretToken(username: string, password: string): string {
  return Buffer.from(`${username}:${password}`).toString('base64')
}

/** An administrator's token: its ID, which may be public, and the whole token, which is the secret. */
export function mintAdminToken(): { tokenId: string; token: string } {
  const tokenId = adminTokenPrefix + randomBase62(usernameRandomLength)
  const random = randomBase62(passwordRandomLength)
  return { tokenId, token: `${tokenId}_${random}${checksum(random)}` }
}

/** Whether a text has the format of a generated token, including the checksum. */
export function isAdminToken(text: string): boolean {
  const match = /^tribat_[0-9A-Za-z]{20}_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text)
  return match !== null && checksum(match[1]!) === match[2]
}

/** Whether a text could be an API key's ID. Other texts are never looked up. */
export function isApiKeyId(text: string): boolean {
  return /^tribk_[0-9A-Za-z]{20}$/.test(text) || isOriginKeyId(text)
}

/**
 * Whether a text has the format of a generated secret, including the checksum: then a wrong secret was not truncated or mistyped, but belongs to
 * another key.
 */
export function isWholePassword(text: string): boolean {
  const match = /^tribs_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/.exec(text)
  return match !== null && checksum(match[1]!) === match[2]
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type HeaderError = 'no_header' | 'oversized_header' | 'wrong_scheme' | 'bad_base64' | 'bad_utf8' | 'no_colon'

/**
 * The user and password of an Authorization header (RFC 7617), or why it has none. The scheme is compared ignoring case; Base64 must be canonical,
 * with or without padding, or in its URL form; the first colon is the separator.
 */
export function parseAuthorization(
  header: string | null,
): { username: string; password: string } | { error: HeaderError } {
  if (header === null || header === '') return { error: 'no_header' }
  if (header.length > headerLengthMax) return { error: 'oversized_header' }
  const match = /^([^ ]+)(?: +([^ ]*))?$/.exec(header)
  if (match?.[1]?.toLowerCase() !== 'basic') return { error: /^basic /i.test(header) ? 'bad_base64' : 'wrong_scheme' }
  const encoded = match[2] ?? ''
  const bytes = Buffer.from(encoded, 'base64')
  const canonical = bytes.toString('base64')
  const sent = encoded.replaceAll('-', '+').replaceAll('_', '/')
  if (sent === '' || (sent !== canonical && sent !== canonical.replace(/=+$/, ''))) return { error: 'bad_base64' }
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch {
    return { error: 'bad_utf8' }
  }
  const colon = text.indexOf(':')
  if (colon === -1) return { error: 'no_colon' }
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The stored form of a secret: HMAC-SHA-256 under the pepper, 32 bytes. */
export function hashPassword(pepper: string, password: string): Buffer {
  return createHmac('sha256', pepper).update(password).digest()
}

/** Replaces the hash of a key that does not exist, so that an unknown ID takes the same steps as a known one. */
const placeholderHash = Buffer.alloc(32)

/** Whether a secret's hash equals the stored one, in constant time, and in the same time if none is stored. */
export function hashMatches(hash: Buffer, storedHash: Buffer | undefined): boolean {
  const equal = timingSafeEqual(hash, storedHash ?? placeholderHash)
  return equal && storedHash !== undefined
}

/** Evenly distributed: bytes beyond the last whole multiple of 62 are discarded. */
function randomBase62(length: number): string {
  const evenBelow = 256 - (256 % base62Alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < evenBelow && text.length < length) text += base62Alphabet[byte % base62Alphabet.length]
    }
  }
  return text
}

/** CRC-32 of the random part in base 62, 6 characters: lets a scanner distinguish a key from a lookalike. */
function checksum(random: string): string {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(random))
  return encodeBase62(sum)
}
