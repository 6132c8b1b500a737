// OpenAPI descriptions of the docs.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, json, pathParameter, queryParameter, text } from './described-parts.ts'
import { keyErrors, noParameters, problemResponse } from './export-operations.ts'
import { fieldsParameter, programSlugParameter, questionsParameter } from './export-parameters.ts'

const html = { 'text/html': { schema: text } }
const object = json({ type: 'object' })
/** Adds the HTML page that browsers receive. */
const orPage = (answer: JsonSchema): JsonSchema => ({ ...answer, content: { ...(answer.content as object), ...html } })
const docsErrors = { ...keyErrors, 401: orPage(keyErrors[401]) }
const nothingThere = (description: string): JsonSchema => orPage(problemResponse(description))
const notFound = nothingThere('The program has no active version or draft with this ID.')
const questionHistory: JsonSchema = {
  type: 'object',
  required: ['changes', 'earlier'],
  properties: {
    changes: {
      type: 'array',
      description: 'Changes after the first version with the question, newest first.',
      items: {
        type: 'object',
        required: ['version', 'program_version_id', 'code', 'detail'],
        properties: {
          version: { type: 'integer', description: 'Number of the version with the change.' },
          program_version_id: { type: 'integer' },
          code: { ...text, examples: ['option_added', 'optional_changed', 'question_moved'] },
          detail: text,
        },
      },
    },
    earlier: { type: 'integer', description: 'Number of older changes left out.' },
  },
}
const version = pathParameter('version', 'ID of the active version or draft, or `active` or `draft`.', {
  ...text,
  examples: ['active', 'draft'],
})
const language = queryParameter(
  'language',
  'Language of the program’s texts, such as `es`. Falls back to the default language. Keys and IDs don’t depend on it.',
)
const documentedVersion: JsonSchema = {
  type: 'object',
  properties: {
    language: { ...text, description: 'Language of the texts.' },
    languages: { type: 'array', items: text, description: 'The program’s languages, with the default first.' },
    history_since: { type: 'integer', description: 'Number of the oldest version whose changes are listed.' },
    questions: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          first_version: { type: 'integer', description: 'Number of the first version with the question.' },
          last_version: {
            type: ['integer', 'null'],
            description: 'Number of the last version with the question. Null if this version has it.',
          },
          history: questionHistory,
        },
      },
    },
  },
}
const inline = queryParameter('inline', '1 returns a schema without $ref, for tools that cannot resolve references.')

/** Operations by what they show. */
export const docsOperations = {
  index: {
    operationId: 'listDocumentedPrograms',
    ...byKey('Docs'),
    summary: 'List programs with docs',
    description:
      'Returns the programs you can access, 20 per page, with a short example response for each active and draft version and links to the full docs. HTML, or JSON if Accept prefers it.',
    parameters: [
      queryParameter('q', 'Text to find in the slug or name.'),
      queryParameter('after', 'Slug after which the list continues; part of next_url of the previous page.'),
    ],
    responses: {
      200: { description: 'Active and draft programs, sorted by slug.', content: { ...html, ...object } },
      400: problemResponse('`after` must be a program slug.'),
      ...docsErrors,
    },
  },
  program: {
    operationId: 'showProgramDocs',
    ...byKey('Docs'),
    parameters: [programSlugParameter, language],
    summary: 'Show the docs of one program',
    description:
      'Returns an example response, question keys, option IDs and code samples. HTML, or JSON if Accept prefers it.',
    responses: {
      200: { description: 'The active version and the draft.', content: { ...html, ...object } },
      400: problemResponse('`language` must be a language tag.'),
      ...docsErrors,
    },
  },
  version: {
    operationId: 'showProgramVersionDocs',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version, language],
    summary: 'Show the docs of one program version',
    description:
      'The HTML page of a draft shows its differences from the active version; JSON describes it in full, including how each question changed from version to version.',
    responses: {
      200: { description: 'The program version.', content: { ...html, ...json(documentedVersion) } },
      400: problemResponse('`language` must be a language tag.'),
      ...docsErrors,
      404: notFound,
    },
  },
  schema: {
    operationId: 'downloadResponseSchema',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version, fieldsParameter, questionsParameter, inline],
    summary: 'Download the JSON Schema of export pages',
    description: 'With fields or questions, describes the pages of an export with the same parameters.',
    responses: {
      200: { description: 'JSON Schema 2020-12.', content: object },
      400: problemResponse(
        '`fields` names a question that is not in the program, `questions` is not current, or `inline` is not 1.',
      ),
      ...docsErrors,
      404: notFound,
    },
  },
  openApi: {
    operationId: 'downloadProgramOpenApi',
    ...byKey('Docs'),
    parameters: [programSlugParameter, version],
    summary: 'Download the OpenAPI document of a program’s export',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: object },
      ...noParameters,
      ...docsErrors,
      404: notFound,
    },
  },
  sample: {
    operationId: 'downloadCodeSample',
    ...byKey('Docs'),
    summary: 'Download a code sample that exports the program',
    parameters: [programSlugParameter, pathParameter('fileName', 'File name shown in the docs.')],
    responses: {
      200: { description: 'Source code.', content: { 'text/plain': { schema: text } } },
      ...noParameters,
      ...docsErrors,
      404: nothingThere('No code sample has this file name.'),
    },
  },
}
