// The schemas that a program definition and a stored version have in common: the settings of a question, and conditions.
// It must not know either document.

import { type TProperties, Type } from 'typebox'
import { comparisonOperators } from './program-version.ts'

export const closed = { additionalProperties: false } as const

/** Text of one line. */
export const line = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description })

const count = (minimum: 0 | 1, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum: 1_000_000, description }))
const integer = (description: string) =>
  Type.Optional(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description }))

/** The options of a question, each with these members besides its own. */
export function optionsSchema<More extends TProperties>(more: More) {
  const option = Type.Object(
    {
      admin_id: Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'What an export carries. Lower case letters a to z, digits, `_` and `-`; of a MAP question, the id of a map feature: any text.',
      }),
      text: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the applicant reads.' }),
      ...more,
    },
    { ...closed, title: 'Option' },
  )
  const description = 'CHECKBOX, DROPDOWN, RADIO and MAP only, and required there.'
  return Type.Optional(Type.Array(option, { minItems: 1, maxItems: 5000, description }))
}

/** Every setting of QuestionSettings. Which of them a kind may carry is another matter. */
export const settingSchemas = {
  text: Type.String({ minLength: 1, maxLength: 10_000, description: 'What the applicant reads.' }),
  help: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000, description: 'A line of help below it.' })),
  options: optionsSchema({}),
  min: integer('Least number, inclusive. NUMBER only.'),
  max: integer('Greatest number, inclusive. NUMBER only.'),
  min_length: count(0, 'Fewest characters (Unicode code points). TEXT and ID only.'),
  max_length: count(1, 'Most characters (Unicode code points). TEXT and ID only.'),
  min_count: count(0, 'Fewest selections, entities or files. CHECKBOX, MAP, ENUMERATOR and FILE_UPLOAD only.'),
  max_count: count(1, 'Most selections, entities or files. CHECKBOX, MAP, ENUMERATOR and FILE_UPLOAD only.'),
  correct_addresses: Type.Optional(
    Type.Boolean({ description: 'Whether addresses are corrected against a directory. ADDRESS only.' }),
  ),
}

/** The reference to a condition, in a schema that has `conditionSchema` as `$defs.condition`. */
export const conditionRef = { $ref: '#/$defs/condition' } as const

/** A condition that names the question it looks at by this member: by admin name in a document, by id in a stored version. */
export function conditionSchema<Target extends TProperties>(target: Target) {
  const ref = Type.Unsafe(conditionRef)
  return Type.Union(
    [
      Type.Object(
        { all: Type.Array(ref, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'All', description: 'True when every one of these is.' },
      ),
      Type.Object(
        { any: Type.Array(ref, { minItems: 1, maxItems: 100 }) },
        { ...closed, title: 'Any', description: 'True when at least one of these is.' },
      ),
      Type.Object({ not: ref }, { ...closed, title: 'Not', description: 'True when this is not.' }),
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
