// OpenAPI of the intake API.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import { byKey, json, listOf, object, pathParameter, text, textOrNull, time } from './described-parts.ts'
import { keyRefusals, problemAnswer } from './export-operations.ts'

const common = byKey('Intake')
const slug = pathParameter('slug', 'The slug of the program.')
const applicantId = pathParameter('applicantId', 'As given when the applicant was registered.', {
  type: 'integer',
  minimum: 1,
})

const answered = (description: string, schema: JsonSchema) => ({ description, content: json(schema) })
const body = (schema: JsonSchema) => ({ required: true, content: json({ ...schema, additionalProperties: false }) })

const id: JsonSchema = { type: 'integer' }
const language: JsonSchema = { type: 'string', description: 'BCP 47.', examples: ['en-US'] }
const answers: JsonSchema = {
  type: 'object',
  description: 'By question key: the question object as the export of the program has it.',
  additionalProperties: { $ref: '#/components/schemas/Question' },
}
const applicant = object({ applicant_id: id, language })
const saved = object({
  applicant_id: id,
  program_name: text,
  create_time: {
    ...time,
    type: ['string', 'null'],
    description: 'When the first answer was saved since the last submission; null before that.',
  },
  answers,
})
const submission = object({
  application_id: id,
  program_version_id: id,
  create_time: time,
  submit_time: time,
  revision_state: { type: 'string', examples: ['CURRENT', 'OBSOLETE'] },
})

const refusals = {
  400: problemAnswer('The request is invalid; every error is named by its path.'),
  ...keyRefusals,
}
const bodyRefusals = {
  ...refusals,
  413: problemAnswer('The body is too long.'),
  415: problemAnswer('The body is not JSON in UTF-8.'),
  417: problemAnswer('Expect is anything but 100-continue.'),
}
const noApplicant = { 404: problemAnswer('The front end of the API key has no such applicant.') }

/** Details of the routes. */
export const intakeOperations = {
  readProgram: {
    ...common,
    operationId: 'readProgram',
    parameters: [slug],
    summary: 'Read what a program asks',
    description: 'The active version: its questions in the order in which they are asked, its screens and conditions.',
    responses: {
      200: answered(
        'The active version.',
        object({
          program_name: text,
          program_version_id: id,
          screens: listOf({ type: 'object' }),
          questions: listOf(
            object({
              question_id: id,
              question_key: text,
              kind: text,
              question_type: { ...textOrNull, description: 'As exported; null for a text to read.' },
              enumerator_id: { type: ['integer', 'null'], description: 'The question it is repeated under.' },
              settings: { type: 'object', description: 'Text, help, options and bounds.' },
            }),
          ),
          intake_state: {
            type: 'string',
            description: 'OPEN, or PAUSED, CLOSED or ARCHIVED: then submissions are refused, and saved answers kept.',
            examples: ['OPEN', 'PAUSED', 'CLOSED', 'ARCHIVED'],
          },
          intake_text: { ...textOrNull, description: 'What to say to applicants while it is not open.' },
        }),
      ),
      ...refusals,
      404: problemAnswer('The program has no active version.'),
    },
  },
  registerApplicant: {
    ...common,
    operationId: 'registerApplicant',
    requestBody: body(object({ language })),
    summary: 'Register an applicant',
    responses: { 201: answered('Registered.', applicant), ...bodyRefusals },
  },
  changeLanguage: {
    ...common,
    operationId: 'changeLanguage',
    parameters: [applicantId],
    requestBody: body(object({ language })),
    summary: "Change an applicant's language",
    responses: { 200: answered('Changed.', applicant), ...bodyRefusals, ...noApplicant },
  },
  saveAnswers: {
    ...common,
    operationId: 'saveAnswers',
    parameters: [slug, applicantId],
    summary: 'Save answers in progress',
    description:
      'Questions that are named replace what was saved of them; null removes. All others stay. After a submission, the answers start as a copy of the last application, without what is no longer asked or valid; `create_time` is then the first save after it.',
    requestBody: body(object({ answers: { ...answers, additionalProperties: { type: ['object', 'null'] } } })),
    responses: { 200: answered('All that is saved now.', saved), ...bodyRefusals, ...noApplicant },
  },
  readAnswers: {
    ...common,
    operationId: 'readAnswers',
    parameters: [slug, applicantId],
    summary: 'Read answers in progress',
    description:
      'After a submission and before the next save, these are the answers that the next application starts with: those of the last application that are still asked and valid. `create_time` is null then.',
    responses: {
      200: answered('All that is saved, or what the next application starts with.', saved),
      ...refusals,
      404: problemAnswer('The applicant does not exist, or has neither answers nor an application.'),
    },
  },
  submit: {
    ...common,
    operationId: 'submitApplication',
    summary: 'Submit an application',
    description:
      'What was saved becomes an application, and the one the applicant submitted before becomes OBSOLETE. The answers in progress then start over as a copy of it. Only a first application may have no answers. An installation may take intermediaries only that it has listed; a submission by any other is then refused (400), naming `/submitter/organization` or `/submitter/email`.',
    parameters: [
      slug,
      applicantId,
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: true,
        description: 'New for each submission, the same when it is sent again: then there is still one application.',
        schema: { type: 'string', minLength: 1, maxLength: 200 },
      },
    ],
    requestBody: body(
      object({
        submitter: {
          oneOf: [
            { ...object({ type: { const: 'APPLICANT' } }), additionalProperties: false },
            {
              ...object({
                type: { const: 'TRUSTED_INTERMEDIARY' },
                email: text,
                organization: text,
              }),
              additionalProperties: false,
            },
          ],
        },
      }),
    ),
    responses: {
      200: answered('It was submitted before, with the same key.', submission),
      201: answered('Submitted.', submission),
      ...bodyRefusals,
      ...noApplicant,
      409: problemAnswer(
        'Nothing was saved since the last submission (`nothing_saved`, with that submission as `receipt`), the key was used for another submission, or the program is closed (`program_closed`, with what to say to applicants).',
        {},
        { receipt: submission },
      ),
    },
  },
}
