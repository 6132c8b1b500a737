// Finds applications by words of their names, email addresses and phone numbers, which are in `application_words`. `applicant_words` defines them.

import type { PendingQuery, Row } from 'postgres'
import { unspacedLetter } from '../../domain/readable/match-reason.ts'
import type { Db } from '../client.ts'

export interface WordFilter {
  /** Words of names, email addresses and phone numbers, each from its beginning; or the number of an application. */
  words?: string | undefined
  /**
   * Only where the applicant's own name has all of the words; or where other names, email addresses and phone numbers have them: whatever the own
   * name is, or only if it lacks them. Undefined: anywhere.
   */
  wordsIn?: 'own_name' | 'others' | 'elsewhere' | undefined
}

/** The condition that `words` match a search; null if it has nothing to look up. */
export function areSought(db: Db, programId: number, { words = '', wordsIn }: WordFilter) {
  const [own, others, anywhere] = [
    wordQuery(db, [`${programId}=`], words),
    wordQuery(db, [`${programId}/`], words),
    wordQuery(db, [`${programId}/`, `${programId}=`], words),
  ]
  const query = { own_name: own, others, elsewhere: db`(${anywhere}) && !!(${own})`, anywhere }[wordsIn ?? 'anywhere']
  return db`words @@ (${query})`
}

/** The application number that is searched for, if it is one: as displayed, 281,774, or without commas. */
export function soughtNumber({ words = '' }: WordFilter): number | undefined {
  const digits = words.replaceAll(',', '')
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}

/** The condition that an application, called `application` in the statement, matches a search. Reads only its words. */
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
/** As between the parts of a name from elsewhere. */
const dotInName = new RegExp(`(?<=${unspacedLetter})[・·](?=${unspacedLetter})`, 'gu')

/**
 * What is looked up: all of the words, each from its beginning. In the index, one of `signs` stands before each. Null where nothing is left to
 * look for. A letter alone is a whole word, because very many names begin with it; but not in scripts without spaces, of which names have few.
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
    // A phone number, however it is set apart, with its country or without that of North America.
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
  // Signs divide a name into words and not an email address, so what may be the beginning of one is looked up as it is written, too.
  return /^[^\s@]*[!-/:-?[-`{-~][^\s@]*$/.test(text) ? any([db`(${inNames})`, lookUp(text)]) : inNames
}
