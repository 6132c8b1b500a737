// OpenAPI of the docs.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, json, pathParameter, queryParameter, text } from './described-parts.ts'
import { fieldsParameter, keyRefusals, noParameters, problemAnswer, programSlugParameter } from './export-operations.ts'

const html = { 'text/html': { schema: text } }
const object = json({ type: 'object' })
/** A browser gets a page. */
const orPage = (answer: JsonSchema): JsonSchema => ({ ...answer, content: { ...(answer.content as object), ...html } })
const docsRefusals = { ...keyRefusals, 401: orPage(keyRefusals[401]) }
const nothingThere = (description: string): JsonSchema => orPage(problemAnswer(description))
const notFound = nothingThere('There is no active version or draft of this number.')
const version = pathParameter('version', 'ID of the active version or of the draft, or the word active or draft.', {
  ...text,
  examples: ['active', 'draft'],
})
const inline = queryParameter('inline', '1 for a schema without $ref, for tools that follow none.')

/** Details of the routes, by what they show. */
export const docsOperations = {
  index: {
    operationId: 'listDocumentedPrograms',
    ...byKey('Docs'),
    summary: 'List the programs whose docs you may see',
    description:
      'A short example response of each active and each draft version, with links to the whole. HTML; JSON when Accept prefers it. 20 programs a page.',
    parameters: [
      queryParameter('q', 'Only programs with this in their slug or name.'),
      queryParameter('after', 'The slug after which the list continues, as in next_url of the page before.'),
    ],
    responses: {
      200: { description: 'Active and draft programs, by slug.', content: { ...html, ...object } },
      400: problemAnswer('A parameter is wrong: `after` is no slug.'),
      ...docsRefusals,
    },
  },
  program: {
    operationId: 'showProgramDocs',
    ...byKey('Docs'),
    parameters: [programSlugParameter],
    summary: 'Show the docs of one program',
    description: 'Example response, question keys, option IDs and code samples. HTML; JSON when Accept prefers it.',
    responses: {
      200: { description: 'Its active version and its draft.', content: { ...html, ...object } },
      ...noParameters,
      ...docsRefusals,
    },
  },
  version: {
    operationId: 'showProgramVersionDocs',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version],
    summary: 'Show the docs of the active version, or what the draft changes',
    description: 'The page of a draft shows its differences from the active version; as JSON, it is described whole.',
    responses: {
      200: { description: 'One version.', content: { ...html, ...object } },
      ...noParameters,
      ...docsRefusals,
      404: notFound,
    },
  },
  schema: {
    operationId: 'downloadResponseSchema',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version, fieldsParameter, inline],
    summary: 'Download the JSON Schema of an export page',
    description: 'With fields, of an export with the same fields.',
    responses: {
      200: { description: 'JSON Schema 2020-12.', content: object },
      400: problemAnswer('A field is not a question of the program, or inline is not 1.'),
      ...docsRefusals,
      404: notFound,
    },
  },
  openApi: {
    operationId: 'downloadProgramOpenApi',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version],
    summary: 'Download the OpenAPI document of the export of one program',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: object },
      ...noParameters,
      ...docsRefusals,
      404: notFound,
    },
  },
  sample: {
    operationId: 'downloadCodeSample',
    ...byKey('Docs'),
    summary: 'Download a code sample that exports the program',
    parameters: [programSlugParameter, pathParameter('fileName', 'As the docs name it.')],
    responses: {
      200: { description: 'Source code.', content: { 'text/plain': { schema: text } } },
      ...noParameters,
      ...docsRefusals,
      404: nothingThere('There is no such code sample.'),
    },
  },
}
