// A list of selected options, shared by MULTI_SELECT and MAP.

import { integerFrom, pickSome } from '../random/seeded-random.ts'
import { listOf, openEnum } from './field-schema.ts'
import { json, type QuestionType } from './question-type.ts'
import { countFits, countSettings, isOption, optionIdsOf, optionSettings } from './settings.ts'

const settings = { ...optionSettings, ...countSettings }

interface SelectionList<T extends string> {
  type: T
  selections: readonly string[]
}

/** A question type with a list of selections; `what` names the selected things. */
export const selectionList = <const T extends string, const K extends string>(type: T, kind: K, what: string) =>
  ({
    kinds: [kind],
    settings,
    fields: {
      selections: {
        form: 'option_list',
        schema: (optionIds, style) =>
          listOf(
            `IDs of the selected ${what}; empty if none is selected.`,
            openEnum('ID of a current or former option.', optionIds, style),
          ),
      },
    },
    text: a => `{"question_type":"${type}","selections":${json(a.selections)}}`,
    lines: (a, optionText) => a.selections.map(id => ({ text: optionText(id) })),
    read: (fields, rules) => {
      const selections = fields.texts('selections')
      if (selections === undefined) return undefined
      const twice = selections.length > 1 && new Set(selections).size < selections.length
      let faulty = twice
      for (let i = 0; i < selections.length && !fields.full; i++) {
        const selection = selections[i]!
        if (!isOption(fields, 'selections', selection, rules, i)) faulty = true
        if (twice && selections.indexOf(selection) < i)
          fields.error('selections', 'duplicate', 'Is selected twice; send each option once.', i)
      }
      const fits = countFits(fields, 'selections', selections.length, 'selections', rules.settings)
      return fits && !faulty ? { type, selections } : undefined
    },
    sample: settings => {
      const { min_count = 0, max_count = 2 } = settings
      return { type, selections: optionIdsOf(settings).slice(0, Math.min(Math.max(2, min_count), max_count)) }
    },
    random: settings => {
      const least = Math.max(1, settings.min_count ?? 0)
      const most = Math.max(least, Math.min(4, settings.max_count ?? 4))
      const ids = optionIdsOf(settings)
      return next => {
        const selections = pickSome(next, ids, integerFrom(next, least, most))
        return selections.length === 0 ? undefined : { type, selections }
      }
    },
  }) as const satisfies QuestionType<SelectionList<T>, typeof settings>
