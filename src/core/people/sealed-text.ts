// Encrypts text that only this service can read (AES-256-GCM), with a key derived from the pepper and the purpose.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const keyOf = (pepper: string, binding: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', pepper, binding, 'sealed text', 32))

/** It only opens with the same `binding`. */
export function sealText(text: string, pepper: string, binding: Buffer): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(pepper, binding), iv)
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Undefined for a text that was not sealed here with this binding. */
export function openText(sealed: Buffer, pepper: string, binding: Buffer): string | undefined {
  if (sealed.length < 28) return undefined
  try {
    const opener = createDecipheriv('aes-256-gcm', keyOf(pepper, binding), sealed.subarray(0, 12))
    opener.setAuthTag(sealed.subarray(-16))
    return Buffer.concat([opener.update(sealed.subarray(12, -16)), opener.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
