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
  /** Absolute URI by which the schema is known. */
  id: string
  closed?: boolean
  followed?: FollowedShape | undefined
}

/**
 * The schema document of a program's export page. What the specification lets grow is open: enumerated values and option ids
 * are `examples`, never a closed `enum`, and an unknown member of `application` or of an entity must be a question object.
 * Source: spec, "Resources and their fields", "Question objects", "Versioning" 2 and 5.
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

/** The same document with each definition in the place of what refers to it: for tools that follow no `$ref`. None refers to itself. */
export function inlined({ $defs, ...schema }: JsonSchema): JsonSchema {
  const definitions = new Map(Object.entries($defs as object).map(([name, one]) => [`#/$defs/${name}`, one]))
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    // A property of this name is a schema, and no text.
    if (typeof $ref === 'string') return resolve(definitions.get($ref))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolve(one)]))
  }
  return resolve(schema) as JsonSchema
}

/** The named definitions of a program's export page. Without slug and with an empty key map: of any program's. */
export function responseDefinitions(
  keyMap: KeyMap,
  slug: string | undefined,
  style: SchemaStyle,
): { ExportPage: JsonSchema } & Record<string, JsonSchema> {
  return {
    ExportPage: {
      title: 'Export page',
      description: 'One page of an export.',
      ...objectSchema(pageFields(style), style),
    },
    Application: {
      title: 'Application',
      description: 'One submission, with the answers as they were when it was submitted.',
      ...objectSchema(applicationFields(style.followed?.programName ?? slug, style), style),
    },
    Answers: {
      title: 'Answers',
      description: 'By question key: every question that was ever in the program, answered or not.',
      ...questionsSchema({}, keyMap, style),
    },
    Question: anyQuestionSchema(style),
  }
}

const pageFields = (style: SchemaStyle): Record<string, JsonSchema> => ({
  payload: {
    type: 'array',
    description: 'The applications on this page, oldest submission first.',
    items: { $ref: `${style.definitionsAt}Application` },
  },
  nextPageToken: orNull('string', {
    pattern: '^[0-9A-Za-z]+$',
    description: 'Sent as nextPageToken, it gets the page that follows. null on the last page.',
  }),
})

/** Source: spec, "Application object". */
const applicationFields = (slug: string | undefined, style: SchemaStyle): Record<string, JsonSchema> => ({
  applicant_id: { type: 'integer', description: 'Unique ID of the applicant.' },
  application_id: { type: 'integer', description: 'Unique ID of this application.' },
  create_time: time('When the applicant first answered a question in this program.'),
  language: { type: 'string', description: 'IETF tag of the language the applicant prefers.', examples: ['en-US'] },
  program_name: {
    ...(slug === undefined ? { type: 'string' } : { type: 'string', const: slug }),
    description: 'The program slug, as in the address of the request.',
  },
  program_version_id: {
    type: 'integer',
    description:
      'ID of the program version it was submitted to; every change of the program or its questions makes another.',
  },
  revision_state: openEnum(
    'CURRENT: the latest application of the applicant. OBSOLETE: a newer one was submitted.',
    ['CURRENT', 'OBSOLETE'],
    style,
  ),
  status: anyText('Status that an administrator gave it.'),
  status_last_modified_time: { ...time('When the status was last set or changed.'), type: ['string', 'null'] },
  application_note: anyText('Note of an administrator.'),
  submit_time:
    style.followed === undefined
      ? time('When it was submitted.')
      : {
          ...time('When it was submitted; null for some of the oldest, of which it is not known.'),
          type: ['string', 'null'],
        },
  submitter_type: openEnum(
    'Who submitted it: the applicant, or a trusted intermediary on behalf of the applicant.',
    ['APPLICANT', 'TRUSTED_INTERMEDIARY'],
    style,
  ),
  ti_email: anyText('E-mail address of the intermediary; null when the applicant submitted.'),
  ti_organization: anyText('Organization of the intermediary; null when the applicant submitted.'),
  application: { $ref: `${style.definitionsAt}Answers` },
})

const time = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  description: `${description} Whole seconds, with the offset of the service's time zone at that moment.`,
})
