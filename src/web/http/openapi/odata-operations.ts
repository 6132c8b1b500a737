// OpenAPI descriptions of the OData feed.

import { feedProperties } from '../../../core/export/filters/all-filters.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, headerParameter, listOf, object, pathParameter, queryParameter, text } from './described-parts.ts'
import { keyErrors, requestId, retryAfter } from './export-operations.ts'
import { programSlugParameter, token } from './export-parameters.ts'

const feedError = {
  title: 'FeedError',
  ...object({
    error: object({
      code: { ...text, description: 'Machine-readable kind of problem.' },
      message: { ...text, description: 'Human-readable explanation of how to fix the request.' },
      details: listOf(
        object({ code: text, target: { ...text, description: 'Name of the query option or header.' }, message: text }, [
          'code',
          'message',
        ]),
      ),
      innererror: object({ request_id: { ...text, description: 'Value of X-Request-Id.' } }),
    }),
  }),
}

const version = { 'OData-Version': { schema: text, description: '4.0' } }

const refused = (description: string, headers: JsonSchema = {}) => ({
  description,
  headers: { ...requestId, ...version, ...headers },
  content: { 'application/json': { schema: feedError } },
})

const refusals = {
  400: refused('A query option or header is invalid, or a link has expired.'),
  401: refused(keyErrors[401].description as string, keyErrors[401].headers as JsonSchema),
  406: refused('No available format matches $format or the Accept header.'),
  429: refused(keyErrors[429].description as string, keyErrors[429].headers as JsonSchema),
  503: refused(keyErrors[503].description as string, retryAfter),
}

const context = { ...text, description: 'Address of $metadata.' }

const answered = (description: string, type: string, schema: JsonSchema) => ({
  description,
  headers: { ...requestId, ...version },
  content: { [type]: { schema } },
})

const tableParameter = pathParameter('entitySet', 'Name of the table in the service document.')
const filterParameter = queryParameter(
  '$filter',
  `${feedProperties.map(({ possible }) => possible).join('; ')}. Join conditions with and.`,
)
const countedAnyway = (name: string) => queryParameter(name, 'Does not change the count.')

const snapshotTime = {
  schema: { type: 'string', format: 'date-time' },
  description: 'On the first page: the walk contains everything submitted before this time and nothing later.',
}

const notInFeed = {
  404: refused('The feed has no table with this name.'),
  501: refused('The feed does not support this OData feature.'),
}

export const feedServiceOperation = {
  operationId: 'readFeedService',
  summary: 'OData feed: list tables',
  description:
    'Enter this address in Excel (From OData feed), Power BI or Tableau. Each table is an entity set: Applications, and one for each ' +
    'enumerator, with the entities of all applications.',
  ...byKey('Export'),
  parameters: [programSlugParameter, queryParameter('$format', 'json.')],
  responses: {
    200: answered('The service document.', 'application/json', {
      title: 'FeedService',
      ...object({
        '@odata.context': context,
        value: listOf(
          object({
            name: text,
            kind: { ...text, examples: ['EntitySet'] },
            url: { ...text, examples: ['applications'] },
          }),
        ),
      }),
    }),
    ...refusals,
  },
}

export const feedMetadataOperation = {
  operationId: 'readFeedMetadata',
  summary: 'OData feed: describe columns',
  description: 'Returns CSDL 4.0 with the questions that the key can see.',
  ...byKey('Export'),
  parameters: [programSlugParameter, queryParameter('$format', 'xml.')],
  responses: { 200: answered('The metadata document.', 'application/xml', text), ...refusals },
}

export const feedCountOperation = {
  operationId: 'countFeedTable',
  summary: 'OData feed: count rows of a table',
  description: 'Returns the number of rows that a walk starting now would return. For the table Applications only.',
  ...byKey('Export'),
  parameters: [programSlugParameter, tableParameter, filterParameter, countedAnyway('$top'), countedAnyway('$orderby')],
  responses: {
    200: {
      ...answered('The number of rows.', 'text/plain', { type: 'string', pattern: '^[0-9]+$' }),
      headers: { ...requestId, ...version, 'Snapshot-Time': snapshotTime },
    },
    ...refusals,
    ...notInFeed,
  },
}

export const feedSetOperation = {
  operationId: 'readFeedTable',
  summary: 'OData feed: read rows of a table',
  description:
    'Returns a page of a walk. Follow @odata.nextLink until it is absent to get each row exactly once, even while applications are ' +
    'submitted. Tables that a key starts to read within five minutes share one snapshot. Rows are in order of submission. Times are ' +
    'compared in whole seconds, as shown.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    tableParameter,
    queryParameter('$select', 'Column names, separated by commas. The key column is always included.'),
    queryParameter('$top', 'Maximum number of rows across all pages.', { type: 'integer', minimum: 0 }),
    queryParameter('$count', 'Whether to include the total number of applications. For the table Applications only.', {
      type: 'boolean',
    }),
    filterParameter,
    queryParameter('$orderby', 'submit_time, which is also the default.', {
      ...text,
      enum: ['submit_time', 'submit_time asc'],
    }),
    queryParameter('$skiptoken', 'Set by @odata.nextLink.', token),
    queryParameter('$format', 'json.'),
    headerParameter('Prefer', '`odata.maxpagesize=100` limits a page to the rows of 100 applications.'),
  ],
  responses: {
    200: {
      ...answered('A page of rows.', 'application/json', {
        title: 'FeedPage',
        ...object(
          {
            '@odata.context': context,
            '@odata.count': { type: 'integer', description: 'With $count=true: number of rows across all pages.' },
            value: listOf({ type: 'object', description: 'A row with the columns in $metadata or $select.' }),
            '@odata.nextLink': { ...text, description: 'Address of the next page; absent on the last page.' },
          },
          ['@odata.context', 'value'],
        ),
      }),
      headers: {
        ...requestId,
        ...version,
        'Preference-Applied': { schema: text, description: 'The odata.maxpagesize that was applied.' },
        'Snapshot-Time': snapshotTime,
      },
    },
    ...refusals,
    ...notInFeed,
  },
}
