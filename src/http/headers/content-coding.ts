// Which of the codings we can send a client would rather have (RFC 9110, section 12.5.3).

import { listItems, quality, token } from './header-list.ts'

/** In the order we prefer them. */
const codings = ['zstd', 'gzip'] as const
export type Coding = (typeof codings)[number]

/**
 * The coding for an answer to this Accept-Encoding: the one with the highest quality, of equals the one we prefer. Undefined, for no
 * coding, without a header and when the client accepts nothing that we can send: every client can read what is not coded.
 */
export function preferredCoding(acceptEncoding: string | null): Coding | undefined {
  if (acceptEncoding === null) return undefined
  const accepted = parseAcceptEncoding(acceptEncoding)
  const otherwise = accepted.get('*') ?? 0
  let best: { coding?: Coding; quality: number } = { quality: accepted.get('identity') ?? otherwise }
  for (const coding of codings.toReversed()) {
    const quality = accepted.get(coding) ?? otherwise
    if (quality > 0 && quality >= best.quality) best = { coding, quality }
  }
  return best.coding
}

const itemPattern = new RegExp(`^(${token})(?:[ \\t]*;[ \\t]*q=(${quality}))?$`)

/** Quality by coding. Malformed items are ignored; of a coding that is named twice, the first counts. */
function parseAcceptEncoding(field: string): Map<string, number> {
  const accepted = new Map<string, number>()
  for (const item of listItems(field.toLowerCase())) {
    const match = itemPattern.exec(item.trim())
    if (match === null) continue
    const coding = match[1] === 'x-gzip' ? 'gzip' : match[1]!
    if (!accepted.has(coding)) accepted.set(coding, Number(match[2] ?? 1))
  }
  return accepted
}
