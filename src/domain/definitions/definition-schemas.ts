// The schemas that a program definition and a stored version have in common: the settings of a question, and conditions.

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

/** Text of one line. */
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

/** The settings that questions may have besides text and help. */
export const settingNames = [...schemaOfSetting.keys()] as QuestionSetting[]

/** The kinds of question that may have a setting. */
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

/** The options of a question, each with these members besides its own. */
export const optionsSchema = <More extends TProperties>(more: More) => described('options', optionList(more))

/** Text of several lines that people read. */
export const prose = (description: string) => Type.String({ minLength: 1, maxLength: 10_000, description })

const [questionText, questionHelp] = [prose('What the applicant reads.'), prose('A line of help below it.')]

/** Every setting of QuestionSettings. Which of them a kind may carry is another matter. */
export const settingSchemas = {
  text: questionText,
  help: Type.Optional(questionHelp),
  translations: translationsOf({ text: questionText, help: questionHelp }),
  ...ofTypes,
}

/** The reference to a condition, in a schema that has `conditionSchema` as `$defs.condition`. */
export const conditionRef = { $ref: '#/$defs/condition' } as const

/**
 * A condition that names the question it looks at by this member: by admin name in a document, by id in a stored version. `inner` is what
 * it is made of.
 */
export function conditionSchema<Target extends TProperties>(
  target: Target,
  inner: TSchema = Type.Unsafe(conditionRef),
) {
  return Type.Union(
    [
      Type.Object(
        { all: Type.Array(inner, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'All', description: 'True when every one of these is.' },
      ),
      Type.Object(
        { any: Type.Array(inner, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'Any', description: 'True when at least one of these is.' },
      ),
      Type.Object({ not: inner }, { ...closed, title: 'Not', description: 'True when this is not.' }),
      Type.Object(
        {
          ...target,
          operator: Type.Literal('answered'),
        },
        { ...closed, title: 'Answered', description: 'True when the question was answered at all.' },
      ),
      Type.Object(
        {
          ...target,
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
}
