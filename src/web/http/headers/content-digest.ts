// `Content-Digest` for clients that request it (RFC 9530): a digest of the bytes as sent, after compression.
// It is a header, so it can only be sent if the whole body is known first.

import { createHash } from 'node:crypto'

/** Algorithms by their registered names, preferred first. */
const algorithms = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const
export type DigestAlgorithm = keyof typeof algorithms

const itemPattern = /^([a-z*][a-z0-9_.*-]*)[ \t]*=[ \t]*([0-9]{1,2})(?:[ \t]*;.*)?$/

/** The preferred algorithm of a `Want-Content-Digest` header; undefined if there is none. Ignores malformed items. */
export function wantedDigest(field: string | null): DigestAlgorithm | undefined {
  if (field === null) return undefined
  let best: { algorithm: DigestAlgorithm; preference: number } | undefined
  for (const item of field.split(',')) {
    const [, name, preference] = itemPattern.exec(item.trim()) ?? []
    const algorithm = (Object.keys(algorithms) as DigestAlgorithm[]).find(key => key === name)
    // 0 is "not acceptable", 10 the most preferred.
    if (algorithm === undefined || Number(preference) === 0 || Number(preference) > 10) continue
    if (best === undefined || Number(preference) > best.preference) best = { algorithm, preference: Number(preference) }
  }
  return best?.algorithm
}

/** The value of `Content-Digest`. */
export const contentDigest = (algorithm: DigestAlgorithm, bytes: Uint8Array): string =>
  `${algorithm}=:${createHash(algorithms[algorithm]).update(bytes).digest('base64')}:`
