// The document that defines a program: its TypeScript type and its TypeBox schema, which is also the published JSON Schema.
// Checks beyond the document's form are in definition-form and its neighbors.

import { type TSchema, Type } from 'typebox'
import { type Translations, translationsOf } from '../fields/translation-schema.ts'
import { type ComparisonOperator, type ProgramDetails, statusColors } from '../questions/program-version.ts'
import { type QuestionKind, type QuestionOption, type QuestionSettings, questionKinds } from '../questions/question.ts'
import { slugLengthMax, slugPattern } from '../values/slug.ts'
import {
  closed,
  conditionRef,
  conditionSchema,
  line,
  optionsSchema,
  prose,
  settingSchemas,
} from './definition-schemas.ts'

/** The identifier of this release's schema; nothing is fetched from there. */
export const programDefinitionSchemaId = 'https://tributary.example/schemas/program-definition.schema.json'

/** Like `Condition` of program-version, with questions named by admin name. */
export type NamedCondition =
  | { all: NamedCondition[] }
  | { any: NamedCondition[] }
  | { not: NamedCondition }
  | { question: string; operator: 'answered' }
  | {
      question: string
      field: string
      operator: ComparisonOperator
      value: string | number | string[] | number[]
    }

/** An option in a document. `legacy_id` allows an ID from before the rule for IDs (contract D32). */
export interface OptionDefinition extends QuestionOption {
  legacy_id?: boolean
}

/** A question with its settings in one object. `enumerator` is the admin name of the question it is repeated under. */
export interface QuestionDefinition extends QuestionSettings {
  options?: OptionDefinition[]
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
  description?: string
  translations?: Translations<'name' | 'description'>
  visible_when?: NamedCondition | null
  questions: PlacementDefinition[]
}

/** Default for the nesting of enumerators: ENUMERATOR_DEPTH_MAX (contract D29). */
export const enumeratorDepthUsual = 20

/** A program as an administrator writes it. Every question on a screen is defined here or already in the bank. */
export interface ProgramDefinition extends ProgramDetails {
  $schema?: string
  slug: string
  /** The active version or draft that this document was derived from; null or missing for a new program. */
  based_on?: number | null
  display_name: string
  statuses: string[]
  questions: QuestionDefinition[]
  screens: ScreenDefinition[]
}

const adminName = (description: string) => line(200, description)
const namedCondition = Type.Unsafe<NamedCondition>(conditionRef)

const visibleWhen = Type.Union([namedCondition, Type.Null()], {
  title: 'When it is asked',
  description: 'Always asked if omitted or null.',
})

const question = Type.Object(
  {
    admin_name: adminName(
      'Name for administrators; cannot change. The question key is derived from it: letters are kept, spaces become `_`, other characters are dropped.',
    ),
    kind: Type.Enum([...questionKinds], { description: 'Kind of question; cannot change.' }),
    enumerator: Type.Optional(
      adminName('The ENUMERATOR question under which this question is repeated for each entity; cannot change.'),
    ),
    ...settingSchemas,
    options: optionsSchema({
      legacy_id: Type.Optional(
        Type.Boolean({
          description: 'true for an older ID that does not follow the rule for IDs. Not allowed for new options.',
        }),
      ),
    }),
  },
  {
    ...closed,
    title: 'Question',
    description: 'A new question, or one from the question bank: changed settings create a new version of it.',
  },
)

const placementSchema = <When extends TSchema>(condition: When) =>
  Type.Object(
    {
      question: adminName('Admin name of a question in this document or in the question bank.'),
      optional: Type.Optional(Type.Boolean({ default: false, description: 'Whether an answer is optional.' })),
      visible_when: Type.Optional(condition),
    },
    { ...closed, title: 'Question on a screen' },
  )

const screenTexts = {
  name: line(200, 'Title of the screen.'),
  description: prose('Introduction, shown above the questions.'),
}

/** The texts of a screen, in a document and in a stored version. */
export const screenSchemas = {
  name: screenTexts.name,
  description: Type.Optional(screenTexts.description),
  translations: translationsOf(screenTexts),
}

const screenSchema = <When extends TSchema>(condition: When) =>
  Type.Object(
    {
      ...screenSchemas,
      visible_when: Type.Optional(condition),
      questions: Type.Array(placementSchema(condition), {
        maxItems: 1000,
        description: 'Questions on the screen, in order.',
      }),
    },
    { ...closed, title: 'Screen' },
  )

const tag = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })
const displayName = line(200, 'Name shown to people.')
const publicName = line(200, 'Name of the status for applicants.')
const programTexts = {
  description: prose('Description of the program for applicants.'),
  confirmation: prose('Text shown after submission, such as what happens next.'),
}

/** The texts and languages of a program that a version stores besides its name, statuses and screens. */
export const detailSchemas = {
  default_language: Type.Optional(
    tag('Language of the texts outside `translations`, as an IETF tag (BCP 47). Defaults to `en`.'),
  ),
  languages: Type.Optional(
    Type.Array(tag('A language tag.'), {
      maxItems: 50,
      description: 'Other languages the program is offered in, as IETF tags such as `es` or `zh-Hant`.',
    }),
  ),
  description: Type.Optional(programTexts.description),
  confirmation: Type.Optional(programTexts.confirmation),
  translations: translationsOf({ display_name: displayName, ...programTexts }),
  status_details: Type.Optional(
    Type.Array(
      Type.Object(
        {
          status: line(200, 'One of `statuses`.'),
          color: Type.Optional(
            Type.Enum([...statusColors], { default: statusColors[0], description: 'Color in the console.' }),
          ),
          public_name: Type.Optional(publicName),
          translations: translationsOf({ public_name: publicName }),
        },
        { ...closed, title: 'Status' },
      ),
      { maxItems: 200, description: 'Colors, public names and translations of statuses.' },
    ),
  ),
}

const heading = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: programDefinitionSchemaId,
  title: 'Program definition',
  description:
    'A program: its questions, and the screens that ask them. Rules beyond this schema, such as which conditions can be evaluated, ' +
    'are checked by `scripts/program validate`.',
}

/** Schema of a document whose conditions have this schema. */
const definitionSchema = <When extends TSchema>(condition: When) =>
  Type.Object(
    {
      $schema: Type.Optional(
        Type.String({ maxLength: 1000, description: 'Address of this schema, for editors only.' }),
      ),
      slug: Type.String({
        minLength: 1,
        maxLength: slugLengthMax,
        pattern: slugPattern,
        description: 'Name of the program in addresses and exports (`program_name`); cannot change.',
      }),
      based_on: Type.Optional(
        Type.Union([Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), Type.Null()], {
          description:
            'ID of the active version or draft that this document is based on. Required for an existing program; ' +
            '`scripts/program show` prints it. The document is rejected if there is a newer version.',
        }),
      ),
      display_name: displayName,
      ...detailSchemas,
      statuses: Type.Array(line(200, 'A status.'), {
        maxItems: 200,
        description: 'Statuses that administrators and program administrators can set, in display order.',
      }),
      questions: Type.Array(question, {
        maxItems: 2000,
        description: 'Questions that are new or that this document changes. Each must be on a screen.',
      }),
      screens: Type.Array(screenSchema(condition), {
        minItems: 1,
        maxItems: 500,
        description: 'Screens in order. A repeated question must come after its enumerator.',
      }),
    },
    { ...heading, ...closed, $defs: { condition: conditionSchema({ question: adminName('An earlier question.') }) } },
  )

/** JSON Schema 2020-12 of the definition document, as TypeBox values. */
export const programDefinitionSchema = definitionSchema(visibleWhen)

/** The same with any values as conditions, and therefore without references, so that each part can be checked alone. */
export const formSchema = definitionSchema(Type.Unknown())

/** The published JSON Schema, printed by `scripts/program schema`. Its description comes first. */
export function programDefinitionJsonSchema(): string {
  return `${JSON.stringify({ ...heading, ...programDefinitionSchema }, null, 2)}\n`
}
