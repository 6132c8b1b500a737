// The formats an export has, by the names the log and the audit log know them by.

import { csvPage } from './csv-page.ts'
import { cutRows, cutterOf } from './cut-text.ts'
import { ndjsonPage } from './ndjson-page.ts'
import type { PageFraming, WalkQuestions } from './page-framing.ts'
import { splicedRows } from './splice.ts'

/** The page as the specification has it: one JSON object. Source: spec, "Export page". */
export const jsonPage: PageFraming = {
  opening: Buffer.from('{"payload":['),
  rows: splicedRows,
  between: Buffer.from(','),
  end: nextPageToken => `],"nextPageToken":${JSON.stringify(nextPageToken)}}`,
}

const framings = {
  json: () => jsonPage,
  ndjson: () => ndjsonPage,
  csv: csvPage,
} as const satisfies Record<string, (questions: WalkQuestions) => PageFraming>

export type ExportFormat = keyof typeof framings

/** The framing of a format, for a walk over these questions. */
export function framingOf(format: ExportFormat, questions: WalkQuestions): PageFraming {
  return visibleOnly(framings[format](questions), questions)
}

/** The framing, of nothing but what is seen. */
export function visibleOnly<Framing extends PageFraming>(framing: Framing, questions: WalkQuestions): Framing {
  const cutter = cutterOf(questions)
  return cutter === undefined ? framing : { ...framing, rows: cutRows(framing.rows, cutter) }
}
