// OpenAPI descriptions of the intake API.

import type { JsonSchema } from '../../../domain/fields/field-schema.ts'
import {
  byKey,
  headerParameter,
  json,
  listOf,
  object,
  pathParameter,
  queryParameter,
  text,
  textOrNull,
  time,
} from './described-parts.ts'
import { keyErrors, problemResponse } from './export-operations.ts'

const common = byKey('Intake')
const slug = pathParameter('slug', 'The slug of the program.')
const applicantId = pathParameter('applicantId', 'The applicant_id returned at registration.', {
  type: 'integer',
  minimum: 1,
})

const answered = (description: string, schema: JsonSchema) => ({ description, content: json(schema) })
const body = (schema: JsonSchema) => ({ required: true, content: json({ ...schema, additionalProperties: false }) })

const id: JsonSchema = { type: 'integer' }
const language: JsonSchema = { type: 'string', description: 'BCP 47 language tag.', examples: ['en-US'] }
const answers: JsonSchema = {
  type: 'object',
  description: 'Answers by question key, each a question object as in the program’s export.',
  additionalProperties: { $ref: '#/components/schemas/Question' },
}
const applicant = object({ applicant_id: id, language })
const saved = object({
  applicant_id: id,
  program_name: text,
  create_time: {
    ...time,
    type: ['string', 'null'],
    description: 'Time of the first save since the last submission; null if there is none.',
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
  400: problemResponse('The request is invalid; errors lists each invalid value with its path.'),
  ...keyErrors,
}
const bodyErrors = {
  ...refusals,
  413: problemResponse('The body is too large.'),
  415: problemResponse('The body is not JSON encoded in UTF-8.'),
  417: problemResponse('Expect has a value other than 100-continue.'),
}
const noApplicant = { 404: problemResponse('The API key’s front end has no applicant with this ID.') }

/** Operations by route. */
export const intakeOperations = {
  readProgram: {
    ...common,
    operationId: 'readProgram',
    parameters: [
      slug,
      queryParameter('language', 'Language of the texts, instead of `Accept-Language`.', language),
      headerParameter('Accept-Language', 'Languages the applicant reads.'),
    ],
    summary: 'Retrieve the questions of a program',
    description:
      'Returns the active version: its screens, its conditions, and its questions in the order they are asked. Texts are in the language of the program that best fits the request; `Content-Language` names it. Texts without a translation are in the default language.',
    responses: {
      200: answered(
        'The active version.',
        object({
          program_name: text,
          program_version_id: id,
          language: { ...language, description: 'The language of these texts.' },
          languages: { ...listOf(language), description: 'The program’s languages, with the default first.' },
          display_name: text,
          description: { ...textOrNull, description: 'Description of the program for applicants.' },
          confirmation: { ...textOrNull, description: 'What to show after a submission.' },
          status_details: {
            ...listOf(object({ status: text })),
            description: 'Statuses whose `public_name` is shown to applicants.',
          },
          screens: listOf({ type: 'object' }),
          questions: listOf(
            object({
              question_id: id,
              question_key: text,
              kind: text,
              question_type: {
                ...textOrNull,
                description: 'Type in exports; null for information text, which is not exported.',
              },
              enumerator_id: {
                type: ['integer', 'null'],
                description: 'ID of the enumerator that repeats this question, or null.',
              },
              settings: { type: 'object', description: 'Question text, help text, options and limits.' },
            }),
          ),
          intake_state: {
            type: 'string',
            description: 'Unless OPEN, submissions are rejected; saved answers are kept.',
            examples: ['OPEN', 'PAUSED', 'CLOSED', 'ARCHIVED'],
          },
          intake_text: { ...textOrNull, description: 'Message for applicants while the program is not open.' },
        }),
      ),
      ...refusals,
      404: problemResponse('The program has no active version.'),
    },
  },
  registerApplicant: {
    ...common,
    operationId: 'registerApplicant',
    requestBody: body(object({ language })),
    summary: 'Register an applicant',
    responses: { 201: answered('The registered applicant.', applicant), ...bodyErrors },
  },
  changeLanguage: {
    ...common,
    operationId: 'changeLanguage',
    parameters: [applicantId],
    requestBody: body(object({ language })),
    summary: "Change an applicant's language",
    responses: { 200: answered('The updated applicant.', applicant), ...bodyErrors, ...noApplicant },
  },
  saveAnswers: {
    ...common,
    operationId: 'saveAnswers',
    parameters: [slug, applicantId],
    summary: 'Save answers in progress',
    description:
      'Replaces the saved answers to the given questions; null removes an answer. Other answers are unchanged. After a submission, answers start as a copy of the last application, without those that are no longer asked or valid, and `create_time` is the time of the first save.',
    requestBody: body(object({ answers: { ...answers, additionalProperties: { type: ['object', 'null'] } } })),
    responses: { 200: answered('All saved answers.', saved), ...bodyErrors, ...noApplicant },
  },
  readAnswers: {
    ...common,
    operationId: 'readAnswers',
    parameters: [slug, applicantId],
    summary: 'Retrieve answers in progress',
    description:
      'After a submission and before the next save, returns the answers that the next application starts with: those of the last application that are still asked and valid. `create_time` is then null.',
    responses: {
      200: answered('All saved answers, or the answers that the next application starts with.', saved),
      ...refusals,
      404: problemResponse('The applicant does not exist, or has neither saved answers nor an application.'),
    },
  },
  submit: {
    ...common,
    operationId: 'submitApplication',
    summary: 'Submit an application',
    description:
      'Turns the saved answers into an application. The applicant’s previous application becomes OBSOLETE, and answers in progress start as a copy of the new one. Only a first application can have no answers. If the installation accepts listed intermediaries only, submissions from others fail with 400 and an error at `/submitter/organization` or `/submitter/email`.',
    parameters: [
      slug,
      applicantId,
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: true,
        description:
          'A unique value for each submission. To retry safely, repeat the request with the same value: it creates only one application.',
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
      200: answered('The application was already submitted with this Idempotency-Key.', submission),
      201: answered('The submitted application.', submission),
      ...bodyErrors,
      ...noApplicant,
      409: problemResponse(
        'Nothing was saved since the last submission (`nothing_saved`, with that submission as `receipt`), the Idempotency-Key was used for another submission, or the program is closed (`program_closed`, with the message for applicants).',
        {},
        { receipt: submission },
      ),
    },
  },
}
