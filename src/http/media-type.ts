// Which of several media types a client would rather have (RFC 9110, section 12.5.1).

interface MediaRange {
  type: string
  subtype: string
  quality: number
}

/**
 * The offered type with the highest quality in an Accept header; of equals the one that is named more exactly, then the one
 * offered first. The first offered, too, when there is no header or nothing in it is acceptable. Parameters other than `q` and
 * `charset` make a range another type than any that is offered.
 */
export function preferredType<T extends string>(accept: string | null, offered: readonly [T, ...T[]]): T {
  const ranges = parseAccept(accept ?? '*/*')
  let best: { type: T; quality: number; exactness: number } | undefined
  for (const type of offered) {
    const { quality, exactness } = qualityOf(type, ranges)
    if (quality === 0) continue
    if (best === undefined || quality > best.quality || (quality === best.quality && exactness > best.exactness))
      best = { type, quality, exactness }
  }
  return best?.type ?? offered[0]
}

/** By the most exact range that takes the type in, whatever its quality. */
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

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const rangePattern = new RegExp(`^(${token})/(${token})$`)
const qualityPattern = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/
/** Splits at commas that are not within a quoted string. */
const listItem = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g

/** What is not well-formed is passed over. */
function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (const item of header.toLowerCase().match(listItem) ?? []) {
    const [name = '', ...parameters] = item.split(';').map(part => part.trim())
    const match = rangePattern.exec(name)
    if (match === null || (match[1] === '*' && match[2] !== '*')) continue
    let quality: number | undefined = 1
    for (const parameter of parameters) {
      const [key, value = ''] = parameter.split('=').map(part => part.trim())
      if (key === 'q') quality = qualityPattern.test(value) ? Number(value) : undefined
      else if (key !== 'charset' && key !== '') quality = undefined
      if (quality === undefined) break
    }
    if (quality !== undefined) ranges.push({ type: match[1]!, subtype: match[2]!, quality })
  }
  return ranges
}

/** Whether JSON is wanted where a page is there too: without a wish, the page is sent. */
export const prefersJson = (request: Request): boolean =>
  preferredType(request.headers.get('accept'), ['text/html', 'application/json']) === 'application/json'
