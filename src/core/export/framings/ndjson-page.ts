// A page in NDJSON: one application per line, with the same objects as in JSON, and a last line that completes the page.
//
// A page that is cut off between two lines looks complete. Therefore a page ends with a line that cannot be mistaken for an application: the
// next page token or null, the number of applications, and the SHA-256 of all bytes before it. A page without this line is incomplete; if
// its digest differs, it was changed in transit, for example by a proxy that terminates TLS. Browsers support SHA-256 too; it takes 0.2 s of
// processor time for 100,000 applications of 4 KB. JSON text contains no raw line feed, so no answer can end a line.

import { rowsInOneLine } from './one-line.ts'
import type { PageFormat, PageFraming } from './page-framing.ts'
import { splicedRows } from './splice.ts'

export const ndjsonPage: PageFraming = {
  opening: Buffer.alloc(0),
  rows: rowsInOneLine(splicedRows),
  between: Buffer.from('\n'),
  isDigested: true,
  end: (nextPageToken, count, digest) => lastLine({ nextPageToken }, count, digest),
}

export const ndjson = {
  types: ['application/x-ndjson', 'application/jsonl', 'application/ndjson'],
  parameters: '; charset=utf-8',
  inToken: 2,
  description:
    'One application per line, as in payload, and a last line {"nextPageToken": …, "count": …, "sha256": …} with the number of ' +
    'applications and the hexadecimal SHA-256 of all bytes before it. A page without this line is incomplete; ' +
    'if its digest differs, it was changed in transit.',
  framing: () => ndjsonPage,
} as const satisfies PageFormat

/** The end of the previous line, then the last line: `facts`, the number of lines before it, and their digest. */
export function lastLine(facts: object, count: number, digest: (text: string) => string): string {
  const lineEnd = count > 0 ? '\n' : ''
  return `${lineEnd}${JSON.stringify({ ...facts, count, sha256: digest(lineEnd) })}\n`
}
