// The document that defines a program: its TypeScript type and its TypeBox schema, which is also the published JSON Schema.
// It must not know what the question bank holds; checks beyond the document's form are in program-definition-check.

import { Type } from 'typebox'
import { comparisonOperators } from './program-version.ts'
import { type QuestionKind, type QuestionSettings, questionKinds } from './question.ts'

/** Where the schema of this release says it lives; nothing is fetched from there. */
export const programDefinitionSchemaId = 'https://tributary.example/schemas/program-definition.schema.json'

/** As `Condition` of program-version, naming questions by admin name. */
export type NamedCondition =
  | { all: NamedCondition[] }
  | { any: NamedCondition[] }
  | { not: NamedCondition }
  | { question: string; operator: 'answered' }
  | {
      question: string
      field: string
      operator: (typeof comparisonOperators)[number]
      value: string | number | string[] | number[]
    }

/** A question and its settings, flat. `enumerator` is the admin name of the question it is repeated under. */
export interface QuestionDefinition extends QuestionSettings {
  admin_name: string
  kind: QuestionKind
  enumerator?: string
}

export interface PlacementDefinition {
  question: string
  optional?: boolean
  visible_when?: NamedCondition | null
}

export interface ScreenDefinition {
  name: string
  visible_when?: NamedCondition | null
  questions: PlacementDefinition[]
}

/** A program as an administrator writes it. A question used on a screen is defined here or already in the bank. */
export interface ProgramDefinition {
  $schema?: string
  slug: string
  display_name: string
  statuses: string[]
  questions: QuestionDefinition[]
  screens: ScreenDefinition[]
}

const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
const slugLengthMax = 100

/** Whether a program could have this slug. */
export function isSlug(text: unknown): text is string {
  return typeof text === 'string' && text.length <= slugLengthMax && new RegExp(slugPattern).test(text)
}

const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description })

const adminName = (description: string) => line(200, description)
const count = (minimum: 0 | 1, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: 1_000_000, description }))
const integer = (description: string) =>
  Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description }))

const closed = { additionalProperties: false } as const

const conditionRef = Type.Unsafe<NamedCondition>({ $ref: '#/$defs/condition' })

const condition = Type.Union(
  [
    Type.Object(
      { all: Type.Array(conditionRef, { minItems: 1, maxItems: 100 }) },
      { ...closed, title: 'All', description: 'True when every one of these is.' },
    ),
    Type.Object(
      { any: Type.Array(conditionRef, { minItems: 1, maxItems: 100 }) },
      { ...closed, title: 'Any', description: 'True when at least one of these is.' },
    ),
    Type.Object({ not: conditionRef }, { ...closed, title: 'Not', description: 'True when this is not.' }),
    Type.Object(
      {
        question: adminName('An earlier question.'),
        operator: Type.Literal('answered'),
      },
      { ...closed, title: 'Answered', description: 'True when the question was answered at all.' },
    ),
    Type.Object(
      {
        question: adminName('An earlier question.'),
        field: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'A field of its answer as exported: `number`, `selection`, `selections`, `state`, …',
        }),
        operator: Type.Enum([...comparisonOperators], {
          description:
            'equal, not_equal: the field and the value, exactly. less_than, less_than_or_equal, greater_than, greater_than_or_equal: ' +
            'numbers, or dates. in: the field is one of the listed values. includes_any, includes_all: the field is a list that ' +
            'holds one of, or all, the listed values. Of an unanswered question every comparison is false.',
        }),
        value: Type.Union([
          Type.String({ maxLength: 1000 }),
          Type.Number(),
          Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 1000 }),
          Type.Array(Type.Number(), { minItems: 1, maxItems: 1000 }),
        ]),
      },
      {
        ...closed,
        title: 'Comparison',
        description: 'True when the field of the answer compares so with the value.',
      },
    ),
  ],
  { title: 'Condition', description: 'Looks at answers given earlier: on this screen or one before it.' },
)

const visibleWhen = Type.Optional(
  Type.Union([conditionRef, Type.Null()], {
    title: 'When it is asked',
    description: 'Always, when left out or null.',
  }),
)

const question = Type.Object(
  {
    admin_name: adminName(
      'Its name for administrators; can never change. The question key is made of it: letters are kept, spaces become `_`, all else is dropped.',
    ),
    kind: Type.Enum([...questionKinds], { description: 'What is asked for; can never change.' }),
    enumerator: Type.Optional(
      adminName('The ENUMERATOR question under which this one is repeated, once for each entity; can never change.'),
    ),
    text: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the applicant reads.' }),
    help: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description: 'A line of help below it.' })),
    options: Type.Optional(
      Type.Array(
        Type.Object(
          {
            admin_id: Type.String({
              minLength: 1,
              maxLength: 200,
              description:
                'What an export carries. Lower case letters a to z, digits, `_` and `-`; of a MAP question, the id of a map feature: any text.',
            }),
            text: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the applicant reads.' }),
          },
          { ...closed, title: 'Option' },
        ),
        { minItems: 1, maxItems: 5000, description: 'CHECKBOX, DROPDOWN, RADIO and MAP only, and required there.' },
      ),
    ),
    min: integer('Least number, inclusive. NUMBER only.'),
    max: integer('Greatest number, inclusive. NUMBER only.'),
    min_length: count(0, 'Fewest characters (Unicode code points). TEXT and ID only.'),
    max_length: count(1, 'Most characters (Unicode code points). TEXT and ID only.'),
    min_count: count(0, 'Fewest selections, entities or files. CHECKBOX, MAP, ENUMERATOR and FILE_UPLOAD only.'),
    max_count: count(1, 'Most selections, entities or files. CHECKBOX, MAP, ENUMERATOR and FILE_UPLOAD only.'),
    correct_addresses: Type.Optional(
      Type.Boolean({ description: 'Whether addresses are corrected against a directory. ADDRESS only.' }),
    ),
  },
  {
    ...closed,
    title: 'Question',
    description:
      'A question new to the bank, or one that is in it already: changed settings then make a new version of it.',
  },
)

const placement = Type.Object(
  {
    question: adminName('The question: one defined here, or one that is already in the bank.'),
    optional: Type.Optional(Type.Boolean({ default: false, description: 'Whether it may be left unanswered.' })),
    visible_when: visibleWhen,
  },
  { ...closed, title: 'Question on a screen' },
)

const screen = Type.Object(
  {
    name: line(200, 'Its heading.'),
    visible_when: visibleWhen,
    questions: Type.Array(placement, { maxItems: 1000, description: 'What it asks, in this order.' }),
  },
  { ...closed, title: 'Screen' },
)

const heading = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: programDefinitionSchemaId,
  title: 'Program definition',
  description:
    'One program: its questions, and the screens that ask them. What a schema cannot say, such as which conditions can be decided, ' +
    '`scripts/program validate` checks.',
}

/** JSON Schema 2020-12 of the definition document, as TypeBox values. */
export const programDefinitionSchema = Type.Object(
  {
    $schema: Type.Optional(
      Type.String({ maxLength: 1000, description: 'Where an editor finds this schema. Nothing else is made of it.' }),
    ),
    slug: Type.String({
      minLength: 1,
      maxLength: slugLengthMax,
      pattern: slugPattern,
      description: 'The name of the program in addresses and exports (`program_name`); can never change.',
    }),
    display_name: line(200, 'The name that people read.'),
    statuses: Type.Array(line(200, 'A status.'), {
      maxItems: 200,
      description: 'The statuses that administrators may give an application, in the order in which they are offered.',
    }),
    questions: Type.Array(question, {
      maxItems: 2000,
      description: 'Questions that are new, or whose settings this document changes. Each is used on a screen.',
    }),
    screens: Type.Array(screen, {
      minItems: 1,
      maxItems: 500,
      description: 'What is asked, in this order. A repeated question comes after its enumerator.',
    }),
  },
  { ...heading, ...closed, $defs: { condition } },
)

/** The published JSON Schema, as `scripts/program schema` prints it: what it is comes first. */
export function programDefinitionJsonSchema(): string {
  return `${JSON.stringify({ ...heading, ...programDefinitionSchema }, null, 2)}\n`
}
