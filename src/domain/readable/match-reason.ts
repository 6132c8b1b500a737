// Finds the part of an application that matches a search, if it is not the applicant's own name.

import { type ExportedObject, entitiesOf, nameOf, questionObject } from './exported-answers.ts'

/** A letter of a script that is written without spaces, in which a single letter can be a name. The index has them as ranges: `unspaced_words`. */
export const unspacedLetter = String.raw`[\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}ー々]`
const isUnspaced = new RegExp(`^${unspacedLetter}`, 'u')

interface Found {
  place: readonly string[]
  text: string
  /** The words that are compared with the search terms, folded. */
  words: readonly string[]
  /** Whether it is a name, outside all lists. The first of these is the applicant's own. */
  isOwnName?: boolean
}

/** As the search folds a text (`search_form`). */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
const wordsOf = (text: string): string[] =>
  folded(text)
    .split(/[\s!-/:-@[-`{-~]+/)
    .filter(word => word !== '')

/**
 * The reason for people: `household member: Zuri Temperance Brien`. If no single name, address or number contains all search terms, every one that
 * contains some of them. Undefined if none does. `application` is the member of that name of an exported application; `sought` the search terms. With
 * `inOthers`, the applicant's own name isn't one of them.
 */
export function matchReason(application: ExportedObject, sought: string, inOthers = false): string | undefined {
  const terms = [...wordsOf(sought), folded(sought).trim()]
  const digits = sought.replace(/\D/g, '')
  const has = (word: string, term: string): boolean =>
    isUnspaced.test(term) ? word.includes(term) : word.startsWith(term)
  const found = [...textsIn(application, [])]
  const own = inOthers ? found.find(({ isOwnName }) => isOwnName) : undefined
  const texts = found.filter(text => text !== own)
  const whole = texts.find(
    ({ words }) =>
      terms.slice(0, -1).every(term => words.some(word => has(word, term))) ||
      words.some(
        word => has(word, terms.at(-1)!) || (digits.length > 3 && /^\d+$/.test(word) && word.includes(digits)),
      ),
  )
  if (whole !== undefined) return inWords(whole)
  const parts = terms.slice(0, -1).map(term => texts.find(({ words }) => words.some(word => has(word, term))))
  return [...new Set(parts.flatMap(part => (part === undefined ? [] : [inWords(part)])))].join('; ') || undefined
}

const inWords = ({ place, text }: Found): string => `${place.join(', ').replaceAll('_', ' ')}: ${text}`

const textOf = (object: ExportedObject, members: readonly string[]): string =>
  members.flatMap(member => (typeof object[member] === 'string' ? [object[member]] : [])).join(' ')

/** Every name, email address and phone number, at any depth. */
function* textsIn(object: ExportedObject, place: readonly string[]): Generator<Found> {
  for (const key of Object.keys(object)) {
    const answer = questionObject(object, key)
    const here = [...place, key]
    switch (answer?.question_type) {
      case 'NAME': {
        const text = textOf(answer, ['first_name', 'middle_name', 'last_name'])
        const [first, last] = [textOf(answer, ['first_name']), textOf(answer, ['last_name'])]
        if (text !== '')
          // A name in a list is itself the name of that person.
          yield {
            place: [here[0]!],
            text,
            words: [...wordsOf(text), folded(last + first), folded(first + last)],
            isOwnName: place.length === 0,
          }
        break
      }
      case 'EMAIL': {
        const text = textOf(answer, ['email'])
        if (text !== '') yield { place: here, text, words: [folded(text)] }
        break
      }
      case 'PHONE': {
        const text = textOf(answer, ['phone_number'])
        if (text !== '') yield { place: here, text, words: [text.replace(/\D/g, '')] }
        break
      }
      case 'ENUMERATOR':
        for (const entity of entitiesOf(answer)) yield* textsIn(entity, [...here, nameOf(entity)])
    }
  }
}
