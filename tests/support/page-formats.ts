// One reader for each format of an export: what a client has of a page.

import { type ExportFormat, exportFormats, pageFormats } from '../../src/core/export/framings/all-framings.ts'
import { csvRecordOf, readCsvPage, readExactCsvPage, textOf } from './csv-page.ts'
import type { ExportedApplication, ExportPage } from './export-client.ts'
import { readNdjsonPage } from './ndjson-page.ts'

interface Reader {
  /** Throws if the page is incomplete. Only CSV for software uses the headers. */
  read(text: string, headers: Headers): { items: unknown[]; nextPageToken: string | null }
  /** An application as an item of this format. */
  itemOf(application: ExportedApplication): unknown
}

/** A format as a client reads it. The header of one that only the parameter selects gets the format that comes closest. */
export interface Format extends Reader {
  name: ExportFormat
  accept: string
}

const asItIs = (application: ExportedApplication): unknown => application

const readers: Record<ExportFormat, Reader> = {
  json: {
    read: text => {
      const { payload, nextPageToken } = JSON.parse(text) as ExportPage
      return { items: payload, nextPageToken }
    },
    itemOf: asItIs,
  },
  ndjson: {
    read: text => {
      const { applications, nextPageToken } = readNdjsonPage(text)
      return { items: applications, nextPageToken }
    },
    itemOf: asItIs,
  },
  csv: {
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
    read: (text, headers) => {
      const { records, nextPageToken } = readExactCsvPage(text, headers)
      return { items: records, nextPageToken }
    },
    itemOf: csvRecordOf,
  },
}

export const formats = Object.fromEntries(
  exportFormats.map(name => [name, { name, accept: pageFormats[name].types[0], ...readers[name] }]),
) as Record<ExportFormat, Format>
/** Those with columns: an item has the cells of the top level. */
export const tables = exportFormats.filter(name => readers[name].itemOf === csvRecordOf)
