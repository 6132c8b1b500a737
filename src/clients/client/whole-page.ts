// A page of lines once all of it has arrived: an application a line, and a last line that makes the page whole.
//
// Nothing of a page is handed over before its last line was read: it says whether another page comes, how many applications this one has,
// and the SHA-256 of all bytes before it. So what a gateway answers in the place of the service, what was cut between two lines,
// and what was changed on the way is never taken for an application. Lines, because their ends are found at the speed of memory: to find
// the ends of applications in a JSON page, every byte must be looked at, which took twice the time of parsing them.

/** A page that cannot be whole: it broke off, or it is not what was promised. */
export class BrokenPage extends Error {
  override name = 'BrokenPage'
}

/** What a page says besides its applications. */
export interface PageEnd {
  nextPageToken: string | null
  /** How many applications the page had. */
  applications: number
}

const lineFeed = 0x0a
/** A line is parsed as a whole, which takes many times its length in memory. */
const lineBytesMax = 32 * 1024 * 1024

/**
 * The applications, each as the bytes of its JSON, `bytes` with all of them, each followed by a line feed, and the end of the page.
 * Rejects with BrokenPage unless the page is whole. Copies nothing: all are views of the page.
 */
export async function readWholePage(
  page: Uint8Array<ArrayBuffer>,
): Promise<{ applications: Uint8Array[]; bytes: Uint8Array; end: PageEnd }> {
  const { lines, bytes, last } = await readWholeLines(page)
  const { nextPageToken } = last
  if (nextPageToken !== null && typeof nextPageToken !== 'string')
    throw new BrokenPage('The page broke off, or does not say whether another follows.')
  return { applications: lines, bytes, end: { nextPageToken, applications: lines.length } }
}

/** All lines but the last, as their bytes, and what the last one says. Rejects with BrokenPage unless it says that they are all. */
export async function readWholeLines(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ lines: Uint8Array[]; bytes: Uint8Array; last: Readonly<Record<string, unknown>> }> {
  if (bytes.at(-1) !== lineFeed) throw new BrokenPage('The page broke off.')
  const ended = bytes.length > 1 ? bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1 : 0
  if (bytes.length - ended > lineBytesMax) throw new RangeError(`A line has more than ${lineBytesMax} bytes.`)
  const last = lastLine(bytes.subarray(ended, -1))
  const { count, sha256 } = last
  const before = bytes.subarray(0, ended)
  const lines = linesOf(before)
  if (typeof count !== 'number') throw new BrokenPage('The page broke off, or does not say whether another follows.')
  if (count !== lines.length) throw new BrokenPage(`The page had ${lines.length} lines, and says that it has ${count}.`)
  if (sha256 !== (await sha256Of(before)))
    throw new BrokenPage('The page was changed on the way: it does not have the SHA-256 that it says.')
  return { lines, bytes: before, last }
}

/** Of UTF-8; a page without its last bytes may end within a character. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, from)
    if (end - from > lineBytesMax) throw new RangeError(`A line has more than ${lineBytesMax} bytes.`)
    lines.push(bytes.subarray(from, end))
    from = end + 1
  }
  return lines
}

function lastLine(line: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    throw new BrokenPage('The page broke off, or is not made of lines of JSON.')
  }
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}
