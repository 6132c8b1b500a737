// Shortens names that are too long for their destination. A digest of the full name at the end keeps each unique and stable.

import { createHash } from 'node:crypto'

/** `written` is the name as it would be written. It is kept if it has at most this many bytes; otherwise it is cut, with a digest of `name`. */
export function shortName(name: string, bytesMax: number, written = name): string {
  if (Buffer.byteLength(written) <= bytesMax) return written
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  let kept = ''
  for (const sign of written) {
    if (Buffer.byteLength(kept + sign) > bytesMax - digest.length - 1) break
    kept += sign
  }
  return `${kept}_${digest}`
}
