// CURRENCY: an amount in dollars, stored in whole cents and exported as an exact JSON number (D18).

import { orNull } from '../fields/field-schema.ts'
import type { QuestionType } from '../fields/question-type.ts'
import { none } from '../fields/settings.ts'
import { integerFrom } from '../random/seeded-random.ts'

interface Currency {
  type: 'CURRENCY'
  /** Whole cents, a safe integer. */
  currency_cents: number
}

export const currency = {
  kinds: ['CURRENCY'],
  settings: none,
  fields: {
    currency_dollars: {
      form: 'number',
      schema: orNull('number', { description: 'Amount in dollars, exact to the cent.' }),
      // The double nearest to the amount, like the value of a condition: 1010 cents are 10.1 in both.
      value: ({ currency_cents }) => currency_cents / 100,
    },
  },
  text: a => `{"question_type":"CURRENCY","currency_dollars":${dollars(a.currency_cents)}}`,
  lines: a => [{ text: dollarsInWords(a.currency_cents) }],
  read: fields => {
    const currency_cents = fields.cents('currency_dollars')
    return currency_cents === undefined ? undefined : { type: 'CURRENCY', currency_cents }
  },
  sample: (_, variant) => ({ type: 'CURRENCY', currency_cents: 123_450 + variant * 2025 }),
  random: () => next => ({
    type: 'CURRENCY',
    currency_cents: next() < 0.4 ? integerFrom(next, 0, 6000) * 100 : integerFrom(next, 0, 999_999),
  }),
} as const satisfies QuestionType<Currency, typeof none>

/** Cents as an exact JSON number of dollars: `1250` → `12.5`, `10000` → `100` (D18). */
export function dollars(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100)
  const rest = Math.abs(cents) % 100
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(2, '0').replace(/0$/, '')}`
  return `${cents < 0 ? '-' : ''}${whole}${fraction}`
}

/** Cents in dollars for people: `128100` → `$1,281`, `1250` → `$12.50`. */
function dollarsInWords(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100).toLocaleString('en-US')
  const rest = Math.abs(cents) % 100
  return `${cents < 0 ? '-' : ''}$${whole}${rest === 0 ? '' : `.${String(rest).padStart(2, '0')}`}`
}
