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
  framing: exactCsvPage,
} as const satisfies PageFormat
