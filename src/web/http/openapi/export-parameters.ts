// Describes the parameters of exports. Other operations that return applications share some of them.

import { filterParameters } from '../../../core/export/filters/all-filters.ts'
import {
  type ExportFormat,
  exportFormats,
  isByNameOnly,
  pageFormats,
} from '../../../core/export/framings/all-framings.ts'
import type { PageFormat } from '../../../core/export/framings/page-framing.ts'
import { headerParameter, pathParameter, queryParameter, text } from './described-parts.ts'

/** Description of a format's pages; undefined if the media type says everything. */
export const describePage = (format: ExportFormat): string | undefined =>
  (pageFormats[format] as PageFormat).description

/** The program slug as a path parameter. */
export const programSlugParameter = pathParameter(
  'programSlug',
  'Slug of the program; equals program_name in its applications.',
)

/** Parameter of every operation that returns applicants' answers. */
export const fieldsParameter = queryParameter(
  'fields',
  'Question keys to include, separated by commas. Prefix a repeated question with the keys of its enumerators, separated by dots: ' +
    '<question>,<enumerator>.<question>. All questions are included by default. Members outside application are always included.',
)

/** Parameter of the same operations (contract D58). */
export const questionsParameter = queryParameter(
  'questions',
  '`current` includes only the questions of the newest published version, as of the first page. By default, every question that the ' +
    'program has ever had is included.',
  { ...text, enum: ['current'] },
)

/** Parameter of operations with several formats (contract D49). */
export const formatParameter = (formats: readonly ExportFormat[]) =>
  queryParameter(
    'format',
    ['Format of the response. Overrides the Accept header.', ...formats.filter(isByNameOnly).map(describePage)].join(
      ' ',
    ),
    { ...text, enum: [...formats] },
  )

/** Schema of a page token. */
export const token = { ...text, pattern: '^[0-9A-Za-z]+$' } as const

/** Parameters of an export, without the program. */
export const exportParameters = [
  ...filterParameters.map(({ name, description, schema }) => queryParameter(name, description, schema)),
  queryParameter(
    'pageSize',
    'Maximum number of applications per page. Defaults to, and is capped at, the service maximum.',
    {
      type: 'integer',
      minimum: 1,
    },
  ),
  fieldsParameter,
  questionsParameter,
  formatParameter(exportFormats),
  queryParameter(
    'nextPageToken',
    'The nextPageToken of the previous page. Other parameters can then be omitted; if sent, they must not change.',
    token,
  ),
  headerParameter(
    'If-None-Match',
    'ETag of an earlier first page. Without nextPageToken, the response is 304 if nothing has changed.',
  ),
  headerParameter('Prefer', '`handling=strict` rejects unknown parameters instead of ignoring them (RFC 7240).'),
] as const
