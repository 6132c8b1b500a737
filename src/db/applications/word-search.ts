// Finds applications by words of their names, email addresses and phone numbers, which are in `application_words`. `applicant_words` defines them.

import type { PendingQuery, Row } from 'postgres'
import { unspacedLetter } from '../../domain/readable/match-reason.ts'
import type { Db } from '../client.ts'

export interface WordFilter {
  /** Prefixes of words in names, email addresses and phone numbers; or the number of an application. */
  words?: string | undefined
  /**
   * Restricts matches to the applicant's own name, which must contain all of the words, or to other names, email addresses and phone numbers,
   * whatever the own name is or only if it doesn't match. Undefined: anywhere.
   */
  wordsIn?: 'own_name' | 'others' | 'elsewhere' | undefined
}

/** The condition that `words` match a search; null if there is nothing to look up. */
export function areSought(db: Db, programId: number, { words = '', wordsIn }: WordFilter) {
  const [own, others, anywhere] = [
    wordQuery(db, [`${programId}=`], words),
    wordQuery(db, [`${programId}/`], words),
    wordQuery(db, [`${programId}/`, `${programId}=`], words),
  ]
  const query = { own_name: own, others, elsewhere: db`(${anywhere}) && !!(${own})`, anywhere }[wordsIn ?? 'anywhere']
  return db`words @@ (${query})`
}

/** The application number in a search, if it is one: as displayed, 281,774, or without commas. Names and contacts have none. */
export function soughtNumber({ words = '', wordsIn }: WordFilter): number | undefined {
  const isNumber = /^(?:[1-9]\d{0,14}|\d{1,3}(?:,\d{3}){1,4})$/.test(words)
  return wordsIn === undefined && isNumber ? Number(words.replaceAll(',', '')) : undefined
}

/** The condition that the application named `application` in the statement matches a search. Reads only its words. */
export function isWorded(db: Db, programId: number, filter: WordFilter) {
  const number = soughtNumber(filter)
  const isNumbered = number === undefined ? db`` : db`or application.application_id = ${number}`
  return db`(
    exists (
      select from application_words
      where program_id = ${programId}
      and submit_time = application.submit_time
      and submit_seq = application.submit_seq
      and ${areSought(db, programId, filter)}
      offset 0)
    ${isNumbered})`
}

const isUnspaced = new RegExp(unspacedLetter, 'u')
/** The dot between the parts of a transcribed foreign name. */
const dotInName = new RegExp(`(?<=${unspacedLetter})[・·](?=${unspacedLetter})`, 'gu')

/**
 * The lookup: all of the words, each as a prefix. In the index, each word is preceded by one of `signs`. Null if nothing remains to look up. A single
 * letter must be a whole word, because very many names begin with it, except in scripts without spaces, in which names have few letters.
 */
function wordQuery(db: Db, signs: readonly string[], sought: string) {
  const any = (queries: PendingQuery<Row[]>[]) => queries.reduce((some, query) => db`${some} || ${query}`)
  const lookUp = (word: string, end: ':*' | '' = ':*') => {
    const bySign = signs.map(
      sign => db`(quote_literal(${sign}::text || left(search_form(${word}), 60)) || ${end}::text)::tsquery`,
    )
    return db`(${any(bySign)})`
  }
  const nothing = db`null::tsquery`
  if (/^[-+()./\s\d]+$/.test(sought)) {
    const digits = sought.replace(/\D/g, '')
    // A phone number in any notation, with its country code or without that of North America.
    return digits.length > 3 ? any([lookUp(digits), lookUp(`1${digits}`)]) : nothing
  }
  const text = sought
    .normalize('NFKC')
    .replace(dotInName, ' ')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('\\', ' ')
    .trim()
  const words = text
    .split(/\s+/)
    .flatMap(part => (part.includes('@') ? [part] : part.split(/[!-/:-@[-`{-~]+/)))
    .filter(word => word !== '')
  const areLetters = words.every(word => /^\p{L}$/u.test(word) && !isUnspaced.test(word))
  if (words.length === 0) return nothing
  const inNames = words.map(word => lookUp(word, areLetters ? '' : ':*')).reduce((all, word) => db`${all} && ${word}`)
  // Punctuation separates the words of a name but not of an email address, so a text that may be the beginning of an address is also looked up as it
  // is written.
  return /^[^\s@]*[!-/:-?[-`{-~][^\s@]*$/.test(text) ? any([db`(${inNames})`, lookUp(text)]) : inNames
}
