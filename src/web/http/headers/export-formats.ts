// Selects the media type of an export by the parameter `format` or the Accept header (contract D49).

import { Problem } from '../../../base/problem.ts'
import { type ChangesFormat, changesFormats } from '../../../core/export/changes/feed-framings.ts'
import { acceptedFormats, type ExportFormat, pageFormats } from '../../../core/export/framings/all-framings.ts'
import { acceptableType } from './negotiation.ts'

export interface OfferedFormat<Format = ExportFormat> {
  format: Format
  contentType: string
}

export type ExportType = (typeof pageFormats)[ExportFormat]['types'][0]
/** Default first. */
export const exportTypes = acceptedFormats.map(format => pageFormats[format].types[0])

/** Media type of the OData feed. */
export const feedType = 'application/json;odata.metadata=minimal'

/** Formats by media type, aliases last. */
function offered<Format extends ExportFormat>(formats: readonly Format[]): Map<string, OfferedFormat<Format>> {
  const types = formats.flatMap(format => {
    const { types } = pageFormats[format]
    return types.map((type, nth) => ({ type, nth, offer: { format, contentType: contentTypeOf(format, type) } }))
  })
  return new Map(types.sort((a, b) => Math.sign(a.nth) - Math.sign(b.nth)).map(({ type, offer }) => [type, offer]))
}

const exported = offered(acceptedFormats)
const inFeed = offered(changesFormats)

/** Page format named by the request, otherwise that of its Accept header. Throws Problem `not_acceptable` if none matches the header. */
export const requestedFormat = (named: ExportFormat | undefined, request: Request): OfferedFormat =>
  requested(named, request, exported)

/** Like `requestedFormat`, for the change feed. */
export const requestedChangesFormat = (
  named: ChangesFormat | undefined,
  request: Request,
): OfferedFormat<ChangesFormat> => requested(named, request, inFeed)

/** `Vary` of a response that may be compressed. */
export const varyOf = (named: ExportFormat | undefined): string =>
  named === undefined ? 'Accept, Accept-Encoding' : 'Accept-Encoding'

type OffersByType<Format> = ReadonlyMap<string, OfferedFormat<Format>>

const requested = <Format extends ExportFormat>(
  named: Format | undefined,
  { headers }: Request,
  formats: OffersByType<Format>,
): OfferedFormat<Format> =>
  named === undefined ? accepted(headers.get('accept'), formats) : { format: named, contentType: contentTypeOf(named) }

function contentTypeOf(format: ExportFormat, type: string = pageFormats[format].types[0]): string {
  return `${type}${pageFormats[format].parameters}`
}

function accepted<Format>(accept: string | null, formats: OffersByType<Format>): OfferedFormat<Format> {
  const [type, ...more] = formats.keys()
  const format = formats.get(acceptableType(accept, [type!, ...more]) ?? '')
  if (format !== undefined) return format
  throw noFormatAccepted(exportTypes.filter(name => formats.has(name)))
}

/** `types` are available. */
export const noFormatAccepted = (types: readonly string[]): Problem =>
  new Problem('not_acceptable', {
    detail: 'No export format matches the Accept header.',
    errors: [{ parameter: 'Accept', code: 'not_acceptable', detail: `must accept one of ${types.join(', ')}.` }],
  })
