// Checks one answer that is complete in itself: everything but entities, which are checked question by question.
// It must not know whether the question is asked or has to be answered.

import { idPattern, isCalendarDate, nameSuffixes } from '../../domain/questions/answer-formats.ts'
import type { Answer } from '../../domain/questions/answers.ts'
import { e164, isPhoneCountry } from '../../domain/questions/phone-number.ts'
import type { ExportedType, QuestionSettings, VersionQuestion } from '../../domain/questions/question.ts'
import { exactCents, exactInteger } from '../../domain/values/exact-number.ts'
import { type Json, JsonNumber, pointerTo } from '../../domain/values/json-text.ts'
import { type AnswerFields, type Checked, readFields } from './answer-fields.ts'
import { checkAddress } from './check-postal.ts'
import type { Faults } from './faults.ts'

/** A type whose answers hold no other answers. */
export type PlainType = Exclude<ExportedType, 'ENUMERATOR'>

/**
 * The checked answer to a question of `type`, in the form it is kept in; every fault is noted. `final` says that what may
 * be missing while an application is in progress may not be any more.
 * Source: spec, "Question objects"; contract D14 to D19.
 */
export function checkAnswer(
  question: VersionQuestion,
  type: PlainType,
  json: Json,
  path: string,
  faults: Faults,
  final: boolean,
): Checked<Answer> {
  const fields = readFields(json, type, path, faults)
  if (fields === 'unanswered' || fields === 'faulty') return fields
  const { settings } = question
  switch (type) {
    case 'ADDRESS':
      return checkAddress(fields, { enabled: settings.correct_addresses === true, final })
    case 'CURRENCY':
      return checkCurrency(fields)
    case 'DATE': {
      const date = fields.formatted('date', isCalendarDate, 'a day of the calendar as YYYY-MM-DD')
      return date === undefined ? 'faulty' : { type, date }
    }
    case 'EMAIL': {
      const email = fields.text('email')
      return email === undefined ? 'faulty' : { type, email }
    }
    case 'FILE_UPLOAD':
      return checkFiles(fields, settings)
    case 'ID': {
      const id = fields.formatted('id', text => idPattern.test(text), 'digits 0 to 9 only')
      return id === undefined || !lengthFits(fields, 'id', id, settings) ? 'faulty' : { type, id }
    }
    case 'MAP':
    case 'MULTI_SELECT':
      return checkSelections(fields, type, settings)
    case 'NAME':
      return checkName(fields)
    case 'NUMBER':
      return checkNumber(fields, settings)
    case 'PHONE':
      return checkPhone(fields)
    case 'SINGLE_SELECT': {
      const selection = fields.text('selection')
      if (selection === undefined || !isOption(selection, fields.at('selection'), settings, fields.faults))
        return 'faulty'
      return { type, selection }
    }
    case 'TEXT': {
      const text = fields.text('text')
      return text === undefined || !lengthFits(fields, 'text', text, settings) ? 'faulty' : { type, text }
    }
  }
}

/** Whether a number of things lies within the question's bounds; false, with the fault noted, when it does not. */
export function countFits(
  count: number,
  what: string,
  path: string,
  settings: QuestionSettings,
  faults: Faults,
): boolean {
  const { min_count = 0, max_count = Number.POSITIVE_INFINITY } = settings
  if (count < min_count) faults.add(path, 'too_few', `Must have at least ${min_count} ${what}.`)
  else if (count > max_count) faults.add(path, 'too_many', `Must have at most ${max_count} ${what}.`)
  else return true
  return false
}

/** "amount in dollars, a JSON number": at most two decimals, at least 0, kept as whole cents (D18). */
function checkCurrency(fields: AnswerFields): Checked<Answer> {
  const name = 'currency_dollars'
  const value = fields.raw(name)
  if (!(value instanceof JsonNumber)) {
    fields.fault(name, 'wrong_type', 'Must be a number of dollars, such as 12.5.')
    return 'faulty'
  }
  const currency_cents = exactCents(value.source)
  if (currency_cents === undefined) {
    fields.fault(name, 'malformed', 'Must have at most two decimals and be at most 90071992547409.91.')
  } else if (currency_cents < 0) fields.fault(name, 'too_small', 'Must be at least 0.')
  else return { type: 'CURRENCY', currency_cents }
  return 'faulty'
}

/** "integer. Min and max values set on the question are enforced for new answers" (D19). */
function checkNumber(fields: AnswerFields, settings: QuestionSettings): Checked<Answer> {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = settings
  const value = fields.raw('number')
  if (!(value instanceof JsonNumber)) {
    fields.fault('number', 'wrong_type', 'Must be a number, such as 3.')
    return 'faulty'
  }
  const number = exactInteger(value.source)
  if (number === undefined) {
    fields.fault('number', 'malformed', 'Must be a whole number from -9007199254740991 to 9007199254740991.')
  } else if (number < min) fields.fault('number', 'too_small', `Must be at least ${min}.`)
  else if (number > max) fields.fault('number', 'too_large', `Must be at most ${max}.`)
  else return { type: 'NUMBER', number }
  return 'faulty'
}

/** "when the question is answered, only `middle_name` and `suffix` are optional". */
function checkName(fields: AnswerFields): Checked<Answer> {
  const first_name = fields.text('first_name')
  const middle_name = fields.optionalText('middle_name')
  const last_name = fields.text('last_name')
  const suffix = fields.oneOf('suffix', nameSuffixes)
  if (first_name === undefined || middle_name === undefined || last_name === undefined || suffix === undefined)
    return 'faulty'
  return { type: 'NAME', first_name, middle_name, last_name, suffix }
}

/** "It is checked for a valid pattern but not for being dialable"; a national form is converted when a country is given (D27). */
function checkPhone(fields: AnswerFields): Checked<Answer> {
  const written = fields.text('phone_number')
  const country = fields.optionalText('country')
  if (written === undefined || country === undefined) return 'faulty'
  if (country !== null && !isPhoneCountry(country)) {
    fields.fault('country', 'not_allowed', 'Must be the two letters of a country in ISO 3166-1, such as "US", or null.')
    return 'faulty'
  }
  const phone_number = e164(written, country ?? undefined)
  if (phone_number !== undefined) return { type: 'PHONE', phone_number }
  fields.fault(
    'phone_number',
    'malformed',
    'Must be a phone number with its country code, such as "+12065550100", or be sent with the `country` it is written for.',
  )
  return 'faulty'
}

function checkSelections(
  fields: AnswerFields,
  type: 'MAP' | 'MULTI_SELECT',
  settings: QuestionSettings,
): Checked<Answer> {
  const { faults } = fields
  const selections = fields.texts('selections')
  if (selections === undefined) return 'faulty'
  if (selections === null) return 'unanswered'
  const seen = new Set<string>()
  const before = faults.items.length
  for (const [i, selection] of selections.entries()) {
    const path = pointerTo(fields.at('selections'), i)
    isOption(selection, path, settings, faults)
    if (seen.has(selection)) faults.add(path, 'duplicate', 'Must be selected once: it stands in this list before.')
    seen.add(selection)
    if (faults.full) return 'faulty'
  }
  const fits = countFits(selections.length, 'selections', fields.at('selections'), settings, faults)
  return fits && faults.items.length === before ? { type, selections } : 'faulty'
}

/** Options shown in a fault at most. */
const optionsShown = 20

function isOption(selection: string, path: string, settings: QuestionSettings, faults: Faults): boolean {
  const options = settings.options ?? []
  if (options.some(option => option.admin_id === selection)) return true
  const shown = options.slice(0, optionsShown).map(option => `"${option.admin_id}"`)
  const more = options.length > optionsShown ? `, or ${options.length - optionsShown} others` : ''
  faults.add(path, 'not_an_option', `Must be the id of an option of this question: ${shown.join(', ')}${more}.`)
  return false
}

/** `file_key` is "the first of `file_urls`" (D17): it may be sent along, but says nothing by itself. */
function checkFiles(fields: AnswerFields, settings: QuestionSettings): Checked<Answer> {
  const { faults } = fields
  const file_urls = fields.texts('file_urls')
  if (file_urls === undefined) return 'faulty'
  const before = faults.items.length
  const key = fields.raw('file_key')
  if (key !== null && key !== file_urls?.[0])
    fields.fault('file_key', 'not_allowed', 'Must be the first of `file_urls`, or null.')
  for (const [i, url] of (file_urls ?? []).entries()) {
    if (isFileUrl(url)) continue
    faults.add(pointerTo(fields.at('file_urls'), i), 'malformed', 'Must be an absolute address, https://… or http://….')
    if (faults.full) return 'faulty'
  }
  const fits = file_urls !== null && countFits(file_urls.length, 'files', fields.at('file_urls'), settings, faults)
  return fits && faults.items.length === before ? { type: 'FILE_UPLOAD', file_urls } : 'faulty'
}

/** Kept as it is written, so nothing is taken that a reader would first have to mend: no spaces, no control characters. */
const isFileUrl = (text: string): boolean =>
  /^https?:\/\/[^\s\u0000-\u0020\u007f\\]+$/i.test(text) && URL.canParse(text)

/** "Min and max lengths set on the question are enforced for new answers"; in code points. */
function lengthFits(fields: AnswerFields, name: string, text: string, settings: QuestionSettings): boolean {
  const { min_length = 0, max_length = Number.POSITIVE_INFINITY } = settings
  const length = codePoints(text)
  if (length < min_length) fields.fault(name, 'too_short', `Must have at least ${min_length} characters.`)
  else if (length > max_length) fields.fault(name, 'too_long', `Must have at most ${max_length} characters.`)
  else return true
  return false
}

function codePoints(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i++) {
    // The second half of a pair is not counted; text is well-formed here.
    if ((text.charCodeAt(i) & 0xfc00) !== 0xdc00) count++
  }
  return count
}
