// Accepts a page of NDJSON only when all of it has arrived: one application per line, and a last line that verifies the page.
//
// Nothing is handed over before the last line has been read. It contains the next page's token, the number of applications, and the
// SHA-256 of all bytes before it. So a gateway's error page, a page cut between two lines, or one altered in transit is never mistaken
// for applications. NDJSON, because line breaks are found at memory speed; finding where applications end in a JSON page means examining
// every byte, which took twice as long as parsing.

/** A page that cannot be complete: it broke off or is not what was announced. */
export class BrokenPage extends Error {
  override name = 'BrokenPage'
}

/** The facts of a page besides its applications. */
export interface PageEnd {
  nextPageToken: string | null
  /** Number of applications on the page. */
  applications: number
}

const lineFeed = 0x0a
/** Maximum length of a line. A line is parsed as a whole, which takes many times its length in memory. */
const lineBytesMax = 32 * 1024 * 1024

/**
 * The applications, each as the bytes of its JSON, `bytes` with all of them, each followed by a line feed, and the end of the page. Rejects with
 * BrokenPage unless the page is complete. Copies nothing: all of them are views of the page.
 */
export async function readWholePage(
  page: Uint8Array<ArrayBuffer>,
): Promise<{ applications: Uint8Array[]; bytes: Uint8Array; end: PageEnd }> {
  const { lines, bytes, last } = await readWholeLines(page)
  const { nextPageToken } = last
  if (nextPageToken !== null && typeof nextPageToken !== 'string')
    throw new BrokenPage('The page is incomplete, or lacks a valid nextPageToken.')
  return { applications: lines, bytes, end: { nextPageToken, applications: lines.length } }
}

/** All lines except the last, as bytes, and the parsed last line. Rejects with BrokenPage unless it confirms that the page is complete. */
export async function readWholeLines(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ lines: Uint8Array[]; bytes: Uint8Array; last: Readonly<Record<string, unknown>> }> {
  if (bytes.at(-1) !== lineFeed) throw new BrokenPage('The page is incomplete.')
  const ended = bytes.length > 1 ? bytes.lastIndexOf(lineFeed, bytes.length - 2) + 1 : 0
  if (bytes.length - ended > lineBytesMax) throw new RangeError(`A line is longer than ${lineBytesMax} bytes.`)
  const last = lastLine(bytes.subarray(ended, -1))
  const { count, sha256 } = last
  const before = bytes.subarray(0, ended)
  const lines = linesOf(before)
  if (typeof count !== 'number') throw new BrokenPage('The page is incomplete, or lacks a valid nextPageToken.')
  if (count !== lines.length)
    throw new BrokenPage(`The page has ${lines.length} lines, but its last line states ${count}.`)
  if (sha256 !== (await sha256Of(before)))
    throw new BrokenPage('The page was altered in transit: its SHA-256 does not match the one in its last line.')
  return { lines, bytes: before, last }
}

/** Decodes UTF-8. A page without its last bytes may end in the middle of a character. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, from)
    if (end - from > lineBytesMax) throw new RangeError(`A line is longer than ${lineBytesMax} bytes.`)
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
    throw new BrokenPage('The page is incomplete, or is not NDJSON.')
  }
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
}
