// OpenAPI of the OData feed.

import { feedProperties } from '../../../core/export/filters/all-filters.ts'
import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, headerParameter, listOf, object, pathParameter, queryParameter, text } from './described-parts.ts'
import { keyRefusals, programSlugParameter, requestId, retryAfter, token } from './export-operations.ts'

const feedError = {
  title: 'FeedError',
  ...object({
    error: object({
      code: { ...text, description: 'The kind of problem.' },
      message: { ...text, description: 'What was wrong, and what would be right.' },
      details: listOf(
        object({ code: text, target: { ...text, description: 'The query option or header.' }, message: text }, [
          'code',
          'message',
        ]),
      ),
      innererror: object({ request_id: { ...text, description: 'As in X-Request-Id.' } }),
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
  400: refused('A query option or header is not valid, or the token of a link is no longer.'),
  401: refused(keyRefusals[401].description as string, keyRefusals[401].headers as JsonSchema),
  406: refused('No available format matches $format or the Accept header.'),
  429: refused(keyRefusals[429].description as string, keyRefusals[429].headers as JsonSchema),
  503: refused(keyRefusals[503].description as string, retryAfter),
}

const context = { ...text, description: 'The address of $metadata.' }

const answered = (description: string, type: string, schema: JsonSchema) => ({
  description,
  headers: { ...requestId, ...version },
  content: { [type]: { schema } },
})

export const feedServiceOperation = {
  operationId: 'readFeedService',
  summary: 'OData feed: its tables',
  description:
    'The address that Excel (From OData feed), Power BI and Tableau are given. A table is an entity set: Applications, and one for each ' +
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
  summary: 'OData feed: columns of its tables',
  description: 'CSDL 4.0, with the questions that the key may see.',
  ...byKey('Export'),
  parameters: [programSlugParameter, queryParameter('$format', 'xml.')],
  responses: { 200: answered('The metadata document.', 'application/xml', text), ...refusals },
}

export const feedSetOperation = {
  operationId: 'readFeedTable',
  summary: 'OData feed: rows of a table',
  description:
    'A page of a walk: follow @odata.nextLink until there is none, and each row has come exactly once, whatever is submitted in the meantime. The ' +
    'tables that a key begins to read within five minutes are of one snapshot. Rows come in the order of submission. Times are compared ' +
    'as they are shown, in whole seconds.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    pathParameter('entitySet', 'As the service document names it.'),
    queryParameter('$select', 'Names of columns, with commas between. The key is always sent.'),
    queryParameter('$top', 'Rows at most, on all pages together.', { type: 'integer', minimum: 0 }),
    queryParameter('$count', 'Whether the number of all applications is sent; of Applications alone.', {
      type: 'boolean',
    }),
    queryParameter('$filter', `${feedProperties.map(({ possible }) => possible).join('; ')}; joined by and.`),
    queryParameter('$orderby', 'submit_time, which is the order anyway.', {
      ...text,
      enum: ['submit_time', 'submit_time asc'],
    }),
    queryParameter('$skiptoken', 'Part of @odata.nextLink.', token),
    queryParameter('$format', 'json.'),
    headerParameter('Prefer', '`odata.maxpagesize=100`: applications that a page is made of, at most.'),
  ],
  responses: {
    200: {
      ...answered('A page of rows.', 'application/json', {
        title: 'FeedPage',
        ...object(
          {
            '@odata.context': context,
            '@odata.count': { type: 'integer', description: 'With $count=true: of all pages.' },
            value: listOf({ type: 'object', description: 'A row, with the columns of $metadata or those of $select.' }),
            '@odata.nextLink': { ...text, description: 'The address of the next page. Absent on the last.' },
          },
          ['@odata.context', 'value'],
        ),
      }),
      headers: {
        ...requestId,
        ...version,
        'Preference-Applied': { schema: text, description: 'The odata.maxpagesize of Prefer, where it was followed.' },
        'Snapshot-Time': {
          schema: { type: 'string', format: 'date-time' },
          description: 'On the first page: everything submitted before this is in the walk, and nothing after it.',
        },
      },
    },
    ...refusals,
    404: refused('There is no such entity set.'),
    501: refused('OData has this, and the feed has not.'),
  },
}
