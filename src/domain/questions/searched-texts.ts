// Extracts the texts of a stored application that the console's search finds: names, email addresses and phone numbers.
//
// The database defines their words (`applicant_words`), because lower case and white space depend on its locale. Names that every locale splits
// into the same words are split here, and the database only lowers their case (`searched_words`); all other names are passed on unchanged. Tests
// compare the results of both over hostile texts.

import { isEscaped } from '../values/json-text.ts'
import { markerStart } from './answers.ts'

/** Precedes the type of each question, answered or not. Answers cannot contain it, because their quotes are escaped. */
const typeMark = '"question_type":"'
const entityStart = '{"entity_name":'
/** Separators for `searched_words`: between names written without spaces, and between the parts that it treats differently. */
const [nameEnd, partEnd] = ['\u0001', '\u0002']

/**
 * Latin, Cyrillic, Hebrew, Arabic and Ethiopic letters. Every Unicode version decomposes them in the same way, and their lower case does not depend
 * on neighboring letters.
 */
const simple =
  /^[ -~\u00a0-\u036f\u0400-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0660-\u0669\u0671-\u06d3\u1200-\u135a\u1e00-\u1eff\u2010-\u2016\u2018-\u201f]*$/
const isAscii = /^[ -~]*$/
const combining = /[\u0300-\u036f]+/g
const divider = /[ !-/:-@[-`{-~]+/
/** No letters of a script without spaces. */
const isSpaced = /^[\u0000-\u0e00\u1200-\u137f\u1e00-\u1fff\u2000-\u206f]*$/
/** How many characters of a word are indexed. */
const wordMax = 60

/** The texts of one application that the database splits into words. */
class SearchedTexts {
  readonly #plain: string[] = []
  #own = ''
  #others: string[] = []
  #ownUnspaced = ''
  #othersUnspaced: string[] = []

  constructor(private readonly programId: number) {}

  /** Adds a name, and returns whether it contains a word; undefined if only the database can tell. */
  addName(first: string, middle: string, last: string, isOwn: boolean): boolean | undefined {
    const name = `${first} ${middle} ${last}`
    const words = simpleWords(name)
    if (words !== undefined) {
      const before = `${this.programId}${isOwn ? '=' : '/'}`
      for (const word of words) this.#plain.push(before + word)
      return words.length > 0
    }
    const hasWord = /[\p{L}\p{N}]/u.test(folded(name))
    if (isOwn && !hasWord) return undefined
    const unspaced = isSpaced.test(name) ? [] : [last + first, first + last, middle]
    if (isOwn) [this.#own, this.#ownUnspaced] = [name, unspaced.join(nameEnd)]
    else {
      this.#others.push(name)
      this.#othersUnspaced.push(...unspaced)
    }
    return hasWord
  }

  /** Adds a text that is a single word. False if it is too long and must be left to the database. */
  addWord(text: string): boolean {
    if (text.length > wordMax) return false
    if (text !== '') this.#plain.push(`${this.programId}/${text}`)
    return true
  }

  toString(): string {
    const plain = this.#plain.join('\n')
    const names = [this.#own, this.#others.join('\n'), this.#ownUnspaced, this.#othersUnspaced.join(nameEnd)]
    return names.every(part => part === '') ? plain : [plain, ...names].join(partEnd)
  }
}

/**
 * The texts of a snapshot in the format of `searched_words`; undefined if the database must extract them. Each word begins with the program's ID, as
 * in the index, then `=` in the applicant's own name, which is the first outside all entities, and `/` everywhere else.
 */
export function searchedTexts(programId: number, snapshot: string): string | undefined {
  const texts = new SearchedTexts(programId)
  let ownIsFound = false
  let depth = 0
  let counted = 0
  for (let at = snapshot.indexOf(typeMark); at !== -1; ) {
    const kindAt = at + typeMark.length
    const next = snapshot.indexOf(typeMark, kindAt)
    if (snapshot.startsWith('NAME"', kindAt)) {
      if (!ownIsFound) {
        const before = snapshot.slice(counted, at)
        depth += occurrences(before, entityStart) - occurrences(before, markerStart)
        counted = at
      }
      const isOwn = !ownIsFound && depth === 0
      const answer = answerAt(snapshot, kindAt, next)
      const [first, middle, last] = [
        member(answer, 'first_name'),
        member(answer, 'middle_name'),
        member(answer, 'last_name'),
      ]
      const hasWord = texts.addName(first, middle, last, isOwn)
      if (hasWord === undefined) return undefined
      if (isOwn && hasWord) ownIsFound = true
    } else if (snapshot.startsWith('EMAIL"', kindAt)) {
      const email = member(answerAt(snapshot, kindAt, next), 'email')
      if (!simple.test(email) || !texts.addWord(folded(email))) return undefined
    } else if (snapshot.startsWith('PHONE"', kindAt)) {
      const phone = member(answerAt(snapshot, kindAt, next), 'phone_number')
      if (!isAscii.test(phone) || !texts.addWord(phone.replace(/[^0-9]/g, ''))) return undefined
    }
    at = next
  }
  return texts.toString()
}

const answerAt = (snapshot: string, from: number, next: number): string =>
  snapshot.slice(from, next === -1 ? snapshot.length : next)

/** A member of an answer as in its JSON, escaped and without quotes; empty if null. */
function member(answer: string, name: string): string {
  const mark = `"${name}":"`
  const at = answer.indexOf(mark)
  if (at === -1) return ''
  const from = at + mark.length
  let to = answer.indexOf('"', from)
  while (to !== -1 && isEscaped(answer, to)) to = answer.indexOf('"', to + 1)
  return answer.slice(from, to === -1 ? answer.length : to)
}

const folded = (text: string): string => (isAscii.test(text) ? text : text.normalize('NFKD').replace(combining, ''))

/** The words of a name; undefined if only the database can split it. */
function simpleWords(name: string): string[] | undefined {
  if (!simple.test(name)) return undefined
  const words = folded(name)
    .split(divider)
    .filter(word => word !== '')
  return words.some(word => word.length > wordMax) ? undefined : words
}

function occurrences(text: string, part: string): number {
  let count = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count++
  return count
}
