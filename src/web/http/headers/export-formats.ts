// The media types of exports, and which of them a request gets.

import { Problem } from '../../../base/problem.ts'
import type { ExportFormat } from '../../../core/export/framings/all-framings.ts'
import { acceptableType } from './negotiation.ts'

export interface OfferedFormat {
  format: ExportFormat
  contentType: string
}

/** By media type, the default first. */
export const exportFormats = {
  'application/json': { format: 'json', contentType: 'application/json' },
  'application/x-ndjson': { format: 'ndjson', contentType: 'application/x-ndjson; charset=utf-8' },
  'text/csv': { format: 'csv', contentType: 'text/csv; charset=utf-8; header=present' },
} as const satisfies Record<string, OfferedFormat>

export type ExportType = keyof typeof exportFormats
export const exportTypes = Object.keys(exportFormats) as [ExportType, ...ExportType[]]

/** Of the OData feed. */
export const feedType = 'application/json;odata.metadata=minimal'

/** Other names of a format, in which it is sent to those who ask by them. */
const aliases = {
  'application/jsonl': { format: 'ndjson', contentType: 'application/jsonl; charset=utf-8' },
  'application/ndjson': { format: 'ndjson', contentType: 'application/ndjson; charset=utf-8' },
} as const satisfies Record<string, OfferedFormat>

const offered = { ...exportFormats, ...aliases }

/** Those of the change feed: it has no columns, since each kind of change has members of its own. */
const { 'text/csv': _, ...withoutColumns } = offered
export type OfferedChangesFormat = (typeof withoutColumns)[keyof typeof withoutColumns]

/** The format of a page for an Accept header. Throws Problem `not_acceptable` when it accepts none of ours. */
export const acceptedFormat = (accept: string | null): OfferedFormat => accepted(accept, offered)

/** The same, of the change feed. */
export const acceptedChangesFormat = (accept: string | null): OfferedChangesFormat => accepted(accept, withoutColumns)

function accepted<Format>(accept: string | null, formats: Readonly<Record<string, Format>>): Format {
  const [type, ...more] = Object.keys(formats)
  const format = formats[acceptableType(accept, [type!, ...more]) ?? '']
  if (format !== undefined) return format
  const known = exportTypes.filter(name => name in formats)
  const detail = `names no available format. Available are ${known.join(', ')}.`
  throw new Problem('not_acceptable', {
    detail: 'No export format matches the Accept header.',
    errors: [{ parameter: 'Accept', code: 'not_acceptable', detail }],
  })
}
