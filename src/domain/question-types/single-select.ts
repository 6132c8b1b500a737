// SINGLE_SELECT: the selected option of a dropdown or radio buttons.

import { openEnum } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { isOption, optionIdsOf, optionSettings } from '../fields/settings.ts'
import { pick } from '../random/seeded-random.ts'

interface SingleSelect {
  type: 'SINGLE_SELECT'
  selection: string
}

export const singleSelect = {
  kinds: ['DROPDOWN', 'RADIO'],
  settings: optionSettings,
  fields: {
    selection: {
      form: 'option',
      schema: (optionIds, style) => openEnum('ID of the selected option.', optionIds, style, 'or null'),
    },
  },
  text: a => `{"question_type":"SINGLE_SELECT","selection":${json(a.selection)}}`,
  lines: (a, optionText) => [{ text: optionText(a.selection) }],
  read: (fields, rules) => {
    const selection = fields.text('selection')
    return selection !== undefined && isOption(fields, 'selection', selection, rules)
      ? { type: 'SINGLE_SELECT', selection }
      : undefined
  },
  sample: (settings, variant) => {
    const ids = optionIdsOf(settings)
    return { type: 'SINGLE_SELECT', selection: ids[variant % Math.max(1, ids.length)] ?? '' }
  },
  random: settings => {
    const ids = optionIdsOf(settings)
    return next => (ids.length === 0 ? undefined : { type: 'SINGLE_SELECT', selection: pick(next, ids) })
  },
} as const satisfies QuestionType<SingleSelect, typeof optionSettings>
