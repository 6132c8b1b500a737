// Masks the CSRF token of a session's forms differently on each page, so that the length of a compressed page reveals nothing about it
// (BREACH).

import { randomBytes } from 'node:crypto'

/** `<mask>.<masked token>`; nothing without a token. */
export function maskedToken(token: string): string {
  if (token === '') return ''
  const mask = randomBytes(Buffer.byteLength(token))
  return `${mask.toString('base64url')}.${xor(Buffer.from(token), mask).toString('base64url')}`
}

/** The token in a masked one; any other text is returned unchanged. */
export function unmaskedToken(text: string): string {
  const [mask, rest, ...more] = text.split('.').map(part => Buffer.from(part, 'base64url'))
  if (rest === undefined || more.length > 0 || mask!.length !== rest.length) return text
  return xor(rest, mask!).toString()
}

const xor = (bytes: Buffer, mask: Buffer): Buffer => Buffer.from(bytes.map((byte, i) => byte ^ mask[i]!))
