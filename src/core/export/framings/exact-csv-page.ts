// A page as CSV for software (RFC 4180, UTF-8): the records of `csv-rows` with values exactly as they are, and nothing else.
//
// It has no place for the next page's token or for a sign that it is complete, because software would read either as an application. So
// both are in the response headers, before the first byte: the number of records, and the token. Only the parameter `format` selects it,
// because `Accept: text/csv` means CSV for spreadsheets.

import { endOfRecord } from '../../../base/csv-text.ts'
import { CsvRows, oncePerKeyMap } from './csv-rows.ts'
import type { PageFormat } from './page-framing.ts'

const exactCsvPage = oncePerKeyMap(questions => {
  const rows = new CsvRows(questions, true)
  return {
    opening: Buffer.from(rows.columns.join(',')),
    rows,
    between: Buffer.alloc(0),
    isAnnounced: true,
    end: () => endOfRecord,
  }
})

export const exactCsv = {
  types: ['text/csv'],
  parameters: '; charset=utf-8; header=present',
  inToken: 4,
  isByNameOnly: true,
  description:
    '`exact-csv` is CSV for software: values exactly as they are, without a byte order mark, apostrophes, next_page_token or last record. Its ' +
    'pages have the headers Application-Count and Next-Page-Token. Without pageSize or nextPageToken, it returns 400 (more_than_one_page) ' +
    'if the applications do not fit on one page.',
  framing: exactCsvPage,
} as const satisfies PageFormat
