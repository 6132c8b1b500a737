// A page as lines: an application a line, the very objects of the JSON page, and a last line that makes it whole.
//
// A stream of lines that is cut between two of them looks like a shorter one. So a page ends with a line that no application can be
// taken for: the token of the next page, null on the last, and how many applications came before. A page without it is not whole.
// JSON text has no raw line feed, so no answer can be taken for the end of a line.

import type { PageFraming } from '../page-framing.ts'
import { splicedRows } from '../splice.ts'

export const ndjsonPage: PageFraming = {
  opening: Buffer.alloc(0),
  rows: splicedRows,
  between: Buffer.from('\n'),
  end: (nextPageToken, count) => `${count > 0 ? '\n' : ''}${JSON.stringify({ nextPageToken, count })}\n`,
}
