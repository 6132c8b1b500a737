// Phone numbers as people write them, brought into E.164.
// The library knows how numbers are written in each country; whether one can be dialled is not asked (D27).

import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { phonePattern } from './answer-formats.ts'

/** What stands between digits: spaces, dots, dashes, slashes, brackets. */
const separators = /[ ()./-]/g

export const isPhoneCountry = isSupportedCountry

/**
 * A number with its country code, or one as it is written within `country` (ISO 3166-1, two letters), as E.164; undefined where
 * that cannot be told. What is E.164 already is kept as it is. Of a national number the length must be right, since
 * without an area code it would become somebody else's.
 */
export function e164(written: string, country?: string): string | undefined {
  if (phonePattern.test(written)) return written
  if (!/^\+?[0-9 ()./-]{2,40}$/.test(written)) return undefined
  const defaultCountry = country !== undefined && isSupportedCountry(country) ? country : undefined
  const parsed = parsePhoneNumberFromString(written, { extract: false, defaultCountry })
  const international = written.startsWith('+')
  if (parsed !== undefined && !international && !parsed.isPossible()) return undefined
  const number = parsed?.number ?? (international ? written.replace(separators, '') : '')
  return phonePattern.test(number) ? number : undefined
}
