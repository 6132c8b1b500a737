// One reader for each format of an export: what a client has of a page.

import type { ExportFormat } from '../../src/core/export/framings/all-framings.ts'
import { csvRecordOf, readCsvPage, readExactCsvPage, textOf } from './csv-page.ts'
import type { ExportedApplication, ExportPage } from './export-client.ts'
import { readNdjsonPage } from './ndjson-page.ts'

/** A format as a client reads it. */
export interface Format {
  accept: string
  /** Throws where the page is not whole. Only CSV for software has something in the headers. */
  read(text: string, headers: Headers): { items: unknown[]; nextPageToken: string | null }
  /** An application as an item of this format. */
  itemOf(application: ExportedApplication): unknown
}

const asItIs = (application: ExportedApplication): unknown => application
export const formats = {
  json: {
    accept: 'application/json',
    read: text => {
      const { payload, nextPageToken } = JSON.parse(text) as ExportPage
      return { items: payload, nextPageToken }
    },
    itemOf: asItIs,
  },
  ndjson: {
    accept: 'application/x-ndjson',
    read: text => {
      const { applications, nextPageToken } = readNdjsonPage(text)
      return { items: applications, nextPageToken }
    },
    itemOf: asItIs,
  },
  csv: {
    accept: 'text/csv',
    read: text => {
      const { records, nextPageToken } = readCsvPage(text)
      const bare = records.map(record =>
        Object.fromEntries(Object.entries(record).map(([name, cell]) => [name, textOf(cell)])),
      )
      return { items: bare, nextPageToken }
    },
    itemOf: csvRecordOf,
  },
  'exact-csv': {
    // The header that comes closest: only the parameter selects the format.
    accept: 'text/csv',
    read: (text, headers) => {
      const { records, nextPageToken } = readExactCsvPage(text, headers)
      return { items: records, nextPageToken }
    },
    itemOf: csvRecordOf,
  },
} as const satisfies Record<ExportFormat, Format>
