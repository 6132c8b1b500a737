// PHONE: a number in E.164. The library knows the formats of each country; whether a number is in use is not checked (D27).

import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { orNull } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { none } from '../fields/settings.ts'
import { areaCodes } from '../random/sample-words.ts'
import { integerFrom, pick } from '../random/seeded-random.ts'

interface Phone {
  type: 'PHONE'
  phone_number: string
}

/** E.164: a plus, a country code that does not begin with 0, 15 digits at most. Source: spec, PHONE. */
export const phonePattern = /^\+[1-9][0-9]{1,14}$/

export const phone = {
  kinds: ['PHONE'],
  settings: none,
  fields: {
    phone_number: {
      form: 'text',
      schema: orNull('string', { pattern: phonePattern.source, description: 'Phone number in E.164: + and digits.' }),
    },
  },
  hints: ['country'],
  text: a => `{"question_type":"PHONE","phone_number":${json(a.phone_number)}}`,
  lines: a => [
    { text: parsePhoneNumberFromString(a.phone_number)?.formatInternational() ?? a.phone_number, look: 'code' },
  ],
  read: fields => {
    const written = fields.text('phone_number')
    const country = fields.optionalText('country')
    if (written === undefined || country === undefined) return undefined
    if (country !== null && !isSupportedCountry(country)) {
      const detail = 'Must be a two-letter country code (ISO 3166-1), such as "US", or null.'
      return fields.error('country', 'not_allowed', detail)
    }
    const phone_number = e164(written, country)
    if (phone_number !== undefined) return { type: 'PHONE', phone_number }
    return fields.error(
      'phone_number',
      'malformed',
      country === null
        ? 'Must be a phone number with a country code and without an extension, such as "+12065550100", or be sent with its `country`.'
        : 'Must be a phone number in that `country`, with an area code and without an extension, or a number with a country code.',
    )
  },
  sample: (_, variant) => ({ type: 'PHONE', phone_number: `+1206555014${variant % 10}` }),
  random: () => next => ({
    type: 'PHONE',
    phone_number: `+1${pick(next, areaCodes)}55501${String(integerFrom(next, 0, 99)).padStart(2, '0')}`,
  }),
} as const satisfies QuestionType<Phone, typeof none>

/** Separators of digits: spaces, dots, dashes, slashes, brackets. */
const separators = /[ ()./-]/g

/**
 * A number with its country code, or one as it is written within `country`, as E.164; undefined where that cannot be determined. E.164 numbers are
 * kept. A national number must have the right length, because without its area code it would become another person's.
 */
function e164(written: string, country: Parameters<typeof isSupportedCountry>[0] | null): string | undefined {
  if (phonePattern.test(written)) return written
  if (!/^\+?[0-9 ()./-]{2,40}$/.test(written)) return undefined
  const defaultCountry = country !== null && isSupportedCountry(country) ? country : undefined
  const parsed = parsePhoneNumberFromString(written, { extract: false, defaultCountry })
  const international = written.startsWith('+')
  if (parsed !== undefined && !international && !parsed.isPossible()) return undefined
  const number = parsed?.number ?? (international ? written.replace(separators, '') : '')
  return phonePattern.test(number) ? number : undefined
}
