// The schemas shared by program definitions and stored versions: question settings and conditions.

import { type TOptional, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { optionList } from '../fields/settings.ts'
import { translationsOf } from '../fields/translation-schema.ts'
import { comparisonOperators } from '../questions/program-version.ts'
import {
  exportedType,
  type QuestionKind,
  type QuestionSettings,
  questionKinds,
  questionTypes,
} from '../questions/question.ts'

export const closed = { additionalProperties: false } as const

/** Single-line text. */
export const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description })

type TypeSettings = Omit<QuestionSettings, 'text' | 'help' | 'translations'>
export type QuestionSetting = keyof TypeSettings

const schemaOfSetting = new Map<string, TSchema>()
const kindsBySetting = new Map<string, QuestionKind[]>()
for (const kind of questionKinds) {
  const type = exportedType(kind)
  for (const [setting, schema] of Object.entries(type === undefined ? {} : questionTypes[type].settings)) {
    schemaOfSetting.set(setting, schema)
    kindsBySetting.set(setting, [...(kindsBySetting.get(setting) ?? []), kind])
  }
}

/** Question settings besides text and help. */
export const settingNames = [...schemaOfSetting.keys()] as QuestionSetting[]

/** The kinds of question that have a setting. */
export const kindsWith = (setting: QuestionSetting): readonly QuestionKind[] => kindsBySetting.get(setting)!

function described<T extends TSchema>(setting: QuestionSetting, schema: T): TOptional<T> {
  const kinds = kindsWith(setting)
    .join(', ')
    .replace(/, ([^,]*)$/, ' and $1')
  const { description } = schema as { description?: string }
  return Type.Optional({ ...schema, description: `${description} ${kinds} only.` }) as unknown as TOptional<T>
}

const ofTypes = Object.fromEntries(
  settingNames.map(setting => [setting, described(setting, schemaOfSetting.get(setting)!)]),
) as unknown as { [S in QuestionSetting]-?: TOptional<TUnsafe<NonNullable<TypeSettings[S]>>> }

/** The options of a question, each with these additional members. */
export const optionsSchema = <More extends TProperties>(more: More) => described('options', optionList(more))

/** Multi-line text for people. */
export const prose = (description: string) => Type.String({ minLength: 1, maxLength: 10_000, description })

const [questionText, questionHelp] = [prose('Text shown to applicants.'), prose('Help text, shown below the question.')]

/** Every setting of QuestionSettings. `kindsWith` lists the kinds that have it. */
export const settingSchemas = {
  text: questionText,
  help: Type.Optional(questionHelp),
  translations: translationsOf({ text: questionText, help: questionHelp }),
  ...ofTypes,
}

/** The reference to a condition, in a schema that has `conditionSchema` as `$defs.condition`. */
export const conditionRef = { $ref: '#/$defs/condition' } as const

/**
 * A condition, whose `target` names its question: by admin name in a document, by ID in a stored version. `inner` is the schema of the conditions it
 * contains.
 */
export function conditionSchema<Target extends TProperties>(
  target: Target,
  inner: TSchema = Type.Unsafe(conditionRef),
) {
  return Type.Union(
    [
      Type.Object(
        { all: Type.Array(inner, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'All', description: 'True if all of these are true.' },
      ),
      Type.Object(
        { any: Type.Array(inner, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'Any', description: 'True if at least one of these is true.' },
      ),
      Type.Object({ not: inner }, { ...closed, title: 'Not', description: 'True if this is false.' }),
      Type.Object(
        {
          ...target,
          operator: Type.Literal('answered'),
        },
        { ...closed, title: 'Answered', description: 'True if the question has an answer.' },
      ),
      Type.Object(
        {
          ...target,
          field: Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Field of the exported answer, such as `number`, `selection`, `selections` or `state`.',
          }),
          operator: Type.Enum([...comparisonOperators], {
            description:
              'equal, not_equal: exact comparison with the value. less_than, less_than_or_equal, greater_than, greater_than_or_equal: ' +
              'comparison of numbers or dates. in: the field is one of the listed values. includes_any, includes_all: the field is a ' +
              'list that contains one or all of the listed values. Every comparison with an unanswered question is false.',
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
          description: 'True if this comparison of the answer’s field with the value is true.',
        },
      ),
    ],
    { title: 'Condition', description: 'Evaluates earlier answers, on the same screen or a previous one.' },
  )
}
