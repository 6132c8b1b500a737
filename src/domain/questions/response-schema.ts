// Describes export pages in JSON Schema 2020-12, derived from a program's key map.

import {
  anyText,
  type FollowedShape,
  type JsonSchema,
  openEnum,
  orNull,
  type SchemaStyle,
} from '../fields/field-schema.ts'
import { anyQuestionSchema, objectSchema, questionsSchema } from './answer-schema.ts'
import type { KeyMap } from './key-map.ts'

interface ResponseSchemaOptions {
  slug: string
  /** Absolute URI that identifies the schema. */
  id: string
  closed?: boolean
  followed?: FollowedShape | undefined
}

/**
 * The schema document of a program's export page. Whatever may grow according to the specification is open: enumerated values and option ids are
 * `examples`, never a closed `enum`, and an unknown member of `application` or of an entity must be a question object. Source: spec, "Resources and
 * their fields", "Question objects", "Versioning" 2 and 5.
 */
export function responseSchema(keyMap: KeyMap, options: ResponseSchemaOptions): JsonSchema {
  const style: SchemaStyle = { definitionsAt: '#/$defs/', closed: options.closed, followed: options.followed }
  const { ExportPage, ...definitions } = responseDefinitions(keyMap, options.slug, style)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: options.id,
    ...ExportPage,
    $defs: definitions,
  }
}

/** The same document with every reference replaced by its definition, for tools that don't follow `$ref`. No definition refers to itself. */
export function inlined({ $defs, ...schema }: JsonSchema): JsonSchema {
  const definitions = new Map(Object.entries($defs as object).map(([name, value]) => [`#/$defs/${name}`, value]))
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    // A property with this name is a schema, not a text.
    if (typeof $ref === 'string') return resolve(definitions.get($ref))
    return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, resolve(value)]))
  }
  return resolve(schema) as JsonSchema
}

/** The named definitions of a program's export page, or of any program's without a slug and with an empty key map. */
export function responseDefinitions(
  keyMap: KeyMap,
  slug: string | undefined,
  style: SchemaStyle,
): { ExportPage: JsonSchema } & Record<string, JsonSchema> {
  return {
    ExportPage: {
      title: 'Export page',
      description: 'A page of an export.',
      ...objectSchema(pageFields(style), style),
    },
    Application: {
      title: 'Application',
      description: 'An application with its answers at submission.',
      ...objectSchema(applicationFields(style.followed?.programName ?? slug, style), style),
    },
    Answers: {
      title: 'Answers',
      description: 'Answers by question key. Includes every question the program has ever had, even if unanswered.',
      ...questionsSchema({}, keyMap, style),
    },
    Question: anyQuestionSchema(style),
  }
}

const pageFields = (style: SchemaStyle): Record<string, JsonSchema> => ({
  payload: {
    type: 'array',
    description: 'The applications on this page, in order of submission.',
    items: { $ref: `${style.definitionsAt}Application` },
  },
  nextPageToken: orNull('string', {
    pattern: '^[0-9A-Za-z]+$',
    description: 'Pass it as nextPageToken to get the next page; null on the last page.',
  }),
})

/** Source: spec, "Application object". */
const applicationFields = (slug: string | undefined, style: SchemaStyle): Record<string, JsonSchema> => ({
  applicant_id: { type: 'integer', description: 'Unique ID of the applicant.' },
  application_id: { type: 'integer', description: 'Unique ID of this application.' },
  create_time: time('Time the applicant first answered a question in this program.'),
  language: {
    type: 'string',
    description: 'IETF language tag of the applicant’s preferred language.',
    examples: ['en-US'],
  },
  program_name: {
    ...(slug === undefined ? { type: 'string' } : { type: 'string', const: slug }),
    description: 'Slug of the program.',
  },
  program_version_id: {
    type: 'integer',
    description:
      'ID of the program version it was submitted to. Every change to the program or its questions creates a version.',
  },
  revision_state: openEnum(
    'CURRENT: the applicant’s latest application. OBSOLETE: the applicant has submitted a newer one.',
    ['CURRENT', 'OBSOLETE'],
    style,
  ),
  status: anyText('Status set by an administrator.'),
  status_last_modified_time: { ...time('Time the status was last set.'), type: ['string', 'null'] },
  application_note: anyText('Note by an administrator.'),
  submit_time:
    style.followed === undefined
      ? time('Time of submission.')
      : {
          ...time('Time of submission; null if unknown, as for some of the oldest applications.'),
          type: ['string', 'null'],
        },
  submitter_type: openEnum(
    'Who submitted it: the applicant, or a trusted intermediary on the applicant’s behalf.',
    ['APPLICANT', 'TRUSTED_INTERMEDIARY'],
    style,
  ),
  ti_email: anyText('Email address of the intermediary; null if the applicant submitted.'),
  ti_organization: anyText('Organization of the intermediary; null if the applicant submitted.'),
  application: { $ref: `${style.definitionsAt}Answers` },
})

const time = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description: `${description} In whole seconds, with the service’s time zone offset at that time.`,
})
