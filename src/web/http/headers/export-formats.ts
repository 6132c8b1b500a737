// Selects the media type of an export by the Accept header.

import { Problem } from '../../../base/problem.ts'
import { type ChangesFormat, isChangesFormat } from '../../../core/export/changes/feed-framings.ts'
import { type ExportFormat, pageFormats } from '../../../core/export/framings/all-framings.ts'
import { acceptableType } from './negotiation.ts'

export interface OfferedFormat<Format = ExportFormat> {
  format: Format
  contentType: string
}

const formats = Object.keys(pageFormats) as ExportFormat[]
export type ExportType = (typeof pageFormats)[ExportFormat]['types'][0]
/** Default first. */
export const exportTypes = formats.map(format => pageFormats[format].types[0])

/** Media type of the OData feed. */
export const feedType = 'application/json;odata.metadata=minimal'

/** Formats by media type, aliases last. */
function offered<Format extends ExportFormat>(formats: readonly Format[]): Map<string, OfferedFormat<Format>> {
  const types = formats.flatMap(format => {
    const { types, parameters } = pageFormats[format]
    return types.map((type, nth) => ({ type, nth, offer: { format, contentType: `${type}${parameters}` } }))
  })
  return new Map(types.sort((a, b) => Math.sign(a.nth) - Math.sign(b.nth)).map(({ type, offer }) => [type, offer]))
}

const exported = offered(formats)
const inFeed = offered(formats.filter(isChangesFormat))

/** Page format for an Accept header. Throws Problem `not_acceptable` if no available format matches. */
export const acceptedFormat = (accept: string | null): OfferedFormat => accepted(accept, exported)

/** Change feed format for an Accept header. Throws Problem `not_acceptable`. */
export const acceptedChangesFormat = (accept: string | null): OfferedFormat<ChangesFormat> => accepted(accept, inFeed)

function accepted<Format>(accept: string | null, formats: ReadonlyMap<string, Format>): Format {
  const [type, ...more] = formats.keys()
  const format = formats.get(acceptableType(accept, [type!, ...more]) ?? '')
  if (format !== undefined) return format
  const known = exportTypes.filter(name => formats.has(name))
  const detail = `must accept one of ${known.join(', ')}.`
  throw new Problem('not_acceptable', {
    detail: 'No export format matches the Accept header.',
    errors: [{ parameter: 'Accept', code: 'not_acceptable', detail }],
  })
}
