// Which of the codings we can send a client would rather have (RFC 9110, section 12.5.3).

/** In the order we prefer them. */
const codings = ['zstd', 'gzip'] as const
export type Coding = (typeof codings)[number]

/**
 * The coding for an answer to this Accept-Encoding; undefined for none. The one with the highest quality; of equals the one we
 * prefer, and a coding rather than none. None, too, without a header, and when nothing we can send is acceptable: what is not
 * coded can be read by everybody, so a client that refuses even that is better served than refused.
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

const itemPattern = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$/

/** Quality by coding. What is not well-formed is passed over; of what is named twice, the first counts. */
function parseAcceptEncoding(field: string): Map<string, number> {
  const accepted = new Map<string, number>()
  for (const item of field.toLowerCase().split(',')) {
    const match = itemPattern.exec(item.trim())
    if (match === null) continue
    const coding = match[1] === 'x-gzip' ? 'gzip' : match[1]!
    if (!accepted.has(coding)) accepted.set(coding, Number(match[2] ?? 1))
  }
  return accepted
}
