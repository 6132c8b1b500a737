// The media types an export is offered in, and which of them a request gets.

import type { ExportFormat } from '../../export/framings/all-framings.ts'
import { Problem } from '../../problem.ts'
import { acceptableType } from './negotiation.ts'

export interface OfferedFormat {
  format: ExportFormat
  contentType: string
}

/** By media type, the default first. */
export const exportFormats = {
  'application/json': { format: 'json', contentType: 'application/json' },
  'application/x-ndjson': { format: 'ndjson', contentType: 'application/x-ndjson' },
  'text/csv': { format: 'csv', contentType: 'text/csv; charset=utf-8; header=present' },
} as const satisfies Record<string, OfferedFormat>

export type ExportType = keyof typeof exportFormats
export const exportTypes = Object.keys(exportFormats) as [ExportType, ...ExportType[]]

/** Other names of a format, in which it is sent to those who ask by them. */
const aliases = {
  'application/jsonl': { format: 'ndjson', contentType: 'application/jsonl' },
  'application/ndjson': { format: 'ndjson', contentType: 'application/ndjson' },
} as const satisfies Record<string, OfferedFormat>

const offered = { ...exportFormats, ...aliases }
const offeredTypes = Object.keys(offered) as [keyof typeof offered, ...(keyof typeof offered)[]]

/** The format for an Accept header. Throws Problem `not_acceptable` when it takes none of those there are. */
export function acceptedFormat(accept: string | null): OfferedFormat {
  const type = acceptableType(accept, offeredTypes)
  if (type !== undefined) return offered[type]
  const detail = `names nothing that is offered here. Offered are ${exportTypes.join(', ')}.`
  throw new Problem('not_acceptable', {
    detail: 'An export cannot be sent in any format that the request accepts.',
    errors: [{ parameter: 'Accept', code: 'not_acceptable', detail }],
  })
}
