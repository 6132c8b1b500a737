// Masks the CSRF token of a session's forms differently on each page, so that the length of a compressed page reveals nothing about it
// (BREACH).

import { randomBytes } from 'node:crypto'

/** `<mask>.<token under the mask>`; nothing without a token. */
export function maskedToken(token: string): string {
  if (token === '') return ''
  const mask = randomBytes(Buffer.byteLength(token))
  return `${mask.toString('base64url')}.${xor(Buffer.from(token), mask).toString('base64url')}`
}

/** The token of a masked one; any other text as it is. */
export function unmaskedToken(text: string): string {
  const [mask, rest, ...more] = text.split('.').map(part => Buffer.from(part, 'base64url'))
  if (rest === undefined || more.length > 0 || mask!.length !== rest.length) return text
  return xor(rest, mask!).toString()
}

const xor = (one: Buffer, other: Buffer): Buffer => Buffer.from(one.map((byte, i) => byte ^ other[i]!))
