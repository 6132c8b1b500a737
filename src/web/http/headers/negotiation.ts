// Content negotiation: media types and codings (RFC 9110, section 12.5), and the list syntax of their headers.

/** Regular expression source of a token. */
export const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** Regular expression source of a quality value (section 12.4.2). Older Java versions omit the zero before the point. */
export const quality = '(?:0?\\.[0-9]{1,3}|0\\.?|1(?:\\.0{0,3})?)'
/** Commas within quotes do not end an item. An unclosed quote extends to the end. */
const listItem = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g

/** The items of a header, including surrounding spaces. Items can be blank. */
export const listItems = (field: string | null): readonly string[] => field?.match(listItem) ?? []

interface MediaRange {
  type: string
  subtype: string
  quality: number
}

/** Like `acceptableType`, but returns the first offered type if none is acceptable. */
export const preferredType = <T extends string>(accept: string | null, offered: readonly [T, ...T[]]): T =>
  acceptableType(accept, offered) ?? offered[0]

/**
 * The offered type with the highest quality in an Accept header. Ties go to the more specific range, then to the type offered first.
 * Undefined if none is acceptable. Any type is acceptable without a header, or if nothing fits but an item is malformed, since its
 * meaning is unknown. A range with parameters other than `q`, `charset` and `header=present` matches no offered type.
 */
export function acceptableType<T extends string>(accept: string | null, offered: readonly [T, ...T[]]): T | undefined {
  // The header of most clients.
  if (accept === null || accept === '*/*') return offered[0]
  const { ranges, hasMalformed } = parseAccept(accept)
  if (ranges.length === 0) return offered[0]
  let best: { type: T; quality: number; exactness: number } | undefined
  for (const type of offered) {
    const { quality, exactness } = qualityOf(type, ranges)
    if (quality === 0) continue
    if (best === undefined || quality > best.quality || (quality === best.quality && exactness > best.exactness))
      best = { type, quality, exactness }
  }
  return best?.type ?? (hasMalformed ? offered[0] : undefined)
}

/** Quality of the most specific range that includes the type, even if another has a higher quality. */
function qualityOf(offered: string, ranges: readonly MediaRange[]): { quality: number; exactness: number } {
  const [type, subtype] = offered.split('/')
  let found = { quality: 0, exactness: -1 }
  for (const range of ranges) {
    if (range.type !== '*' && range.type !== type) continue
    if (range.subtype !== '*' && range.subtype !== subtype) continue
    const exactness = range.subtype !== '*' ? 2 : range.type !== '*' ? 1 : 0
    if (exactness > found.exactness) found = { quality: range.quality, exactness }
  }
  return found
}

const rangePattern = new RegExp(`^(${token})/(${token})$`)
const qualityPattern = new RegExp(`^${quality}$`)

/** Skips malformed items. Older Java versions send `*` for any type. */
function parseAccept(header: string): { ranges: MediaRange[]; hasMalformed: boolean } {
  const ranges: MediaRange[] = []
  let hasMalformed = false
  for (const item of listItems(header.toLowerCase())) {
    if (item.trim() === '') continue
    const [name = '', ...parameters] = item.split(';').map(part => part.trim())
    const match = rangePattern.exec(name === '*' ? '*/*' : name)
    if (match === null || (match[1] === '*' && match[2] !== '*')) {
      hasMalformed = true
      continue
    }
    const [, type, subtype] = match
    const range: MediaRange = { type: type!, subtype: subtype!, quality: 1 }
    let wellFormed = true
    for (const parameter of parameters) {
      const [key, value = ''] = parameter.split('=').map(part => part.trim())
      if (key === 'q') {
        wellFormed = qualityPattern.test(value)
        range.quality = Number(value)
      } else if (key !== 'charset' && key !== '' && parameter !== 'header=present') range.subtype += `;${parameter}`
      if (!wellFormed) break
    }
    if (wellFormed) ranges.push(range)
    else hasMalformed = true
  }
  return { ranges, hasMalformed }
}

/** Whether the client prefers JSON to an HTML page. The default is the page. */
export const prefersJson = (request: Request): boolean =>
  preferredType(request.headers.get('accept'), ['text/html', 'application/json']) === 'application/json'

/** In order of preference. `*` stands for the last one: a client that does not list its codings is unlikely to know zstd. */
const codings = ['zstd', 'gzip'] as const
export type Coding = (typeof codings)[number]

/**
 * The coding with the highest quality in an Accept-Encoding header; ties go to our preference. Undefined, for no coding, without a header
 * and if the client accepts no coding that we can send, because every client can read uncoded responses.
 */
export function preferredCoding(acceptEncoding: string | null): Coding | undefined {
  if (acceptEncoding === null) return undefined
  const accepted = parseAcceptEncoding(acceptEncoding)
  const otherwise = accepted.get('*') ?? 0
  let best: { coding?: Coding; quality: number } = { quality: accepted.get('identity') ?? otherwise }
  for (const coding of codings.toReversed()) {
    const quality = accepted.get(coding) ?? (coding === 'gzip' ? otherwise : 0)
    if (quality > 0 && quality >= best.quality) best = { coding, quality }
  }
  return best.coding
}

const itemPattern = new RegExp(`^(${token})(?:[ \\t]*;[ \\t]*q=(${quality}))?$`)

/** Quality by coding. Ignores malformed items; the first of repeated codings counts. */
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
