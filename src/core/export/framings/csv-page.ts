// A page as CSV (RFC 4180, UTF-8) that spreadsheets open safely: the records of `csv-rows`, with a column for the token in front.
//
// CSV that is cut off between two records looks complete. Therefore a page ends with a record that contains only `next_page_token`: the
// token, or `none` on the last page. A page without that record is incomplete.
//
// It starts with a byte order mark, because without one Excel misreads UTF-8 and garbles names that are not ASCII.

import { byteOrderMark, endOfRecord } from '../../../base/csv-text.ts'
import { CsvRows, oncePerKeyMap } from './csv-rows.ts'
import type { PageFormat } from './page-framing.ts'

const tokenColumn = 'next_page_token'

export const csvPage = oncePerKeyMap(questions => {
  const rows = new CsvRows(questions, false)
  const emptyCells = ','.repeat(rows.columns.length)
  return {
    opening: Buffer.from(`${byteOrderMark}${[tokenColumn, ...rows.columns].join(',')}`),
    rows,
    between: Buffer.alloc(0),
    end: nextPageToken => `${endOfRecord}"${nextPageToken ?? 'none'}"${emptyCells}${endOfRecord}`,
  }
})

export const csv = {
  types: ['text/csv'],
  parameters: '; charset=utf-8; header=present',
  inToken: 3,
  description:
    'RFC 4180 in UTF-8, with a byte order mark and a header record. Columns: next_page_token, the fields of an application, and ' +
    'question_key.field for each field of each top-level answer. List items are joined by semicolons; for an enumerator, ' +
    'there is only its number of entities. The last record contains only next_page_token: the token, or none on the last page. A page ' +
    'without this record is incomplete. Text that a spreadsheet could take for a formula, or that starts with an apostrophe, ' +
    'is prefixed with an apostrophe.',
  framing: csvPage,
} as const satisfies PageFormat
