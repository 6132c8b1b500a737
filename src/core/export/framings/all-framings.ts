// All export formats, by their names in the log and the audit log.

import { csv } from './csv-page.ts'
import { cutRows, cutterOf } from './cut-text.ts'
import { exactCsv } from './exact-csv-page.ts'
import { ndjson } from './ndjson-page.ts'
import type { PageFormat, PageFraming, WalkQuestions } from './page-framing.ts'
import { splicedRows } from './splice.ts'

/** The JSON object of the specification. Source: spec, "Export page". */
export const jsonPage: PageFraming = {
  opening: Buffer.from('{"payload":['),
  rows: splicedRows,
  between: Buffer.from(','),
  end: nextPageToken => `],"nextPageToken":${JSON.stringify(nextPageToken)}}`,
}

/** Default first. */
export const pageFormats = {
  json: { types: ['application/json'], parameters: '', inToken: 1, framing: () => jsonPage },
  ndjson,
  csv,
  'exact-csv': exactCsv,
} as const satisfies Record<string, PageFormat>

export type ExportFormat = keyof typeof pageFormats

/** Default first. */
export const exportFormats = Object.keys(pageFormats) as ExportFormat[]

/** Whether only the parameter `format` selects it. */
export const isByNameOnly = (format: ExportFormat): boolean => (pageFormats[format] as PageFormat).isByNameOnly ?? false

/** Formats that the Accept header can select. Default first. */
export const acceptedFormats = exportFormats.filter(format => !isByNameOnly(format))

/** The framing of a format, for a walk over these questions. */
export function framingOf(format: ExportFormat, questions: WalkQuestions): PageFraming {
  return visibleOnly(pageFormats[format].framing(questions), questions)
}

/** The framing, limited to visible questions. */
export function visibleOnly<Framing extends PageFraming>(framing: Framing, questions: WalkQuestions): Framing {
  const cutter = cutterOf(questions)
  return cutter === undefined ? framing : { ...framing, rows: cutRows(framing.rows, cutter) }
}
