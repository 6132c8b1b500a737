// Picks the texts out of a stored application by which people in the console find it: names, e-mail addresses and phone numbers.
//
// The database says what their words are (`applicant_words`), because its locale decides about lower case and white space. What every locale takes for
// the same words is divided here, and only put in lower case there (`searched_words`); other names are handed over as they are. Tests compare both
// over hostile texts.

/** Before the kind of an answered or unanswered question. Nothing that an applicant typed can contain it, with its bare quotes. */
const typeMark = '"question_type":"'
const entityStart = '{"entity_name":'
const entityEnd = '\u0001'

/** Latin, Cyrillic, Hebrew, Arabic and Ethiopic letters: every version of Unicode decomposes them alike, and none is lowered by its neighbors. */
const simple =
  /^[ -~\u00a0-\u036f\u0400-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0660-\u0669\u0671-\u06d3\u1200-\u135a\u1e00-\u1eff\u2010-\u2016\u2018-\u201f]*$/
const isAscii = /^[ -~]*$/
const combining = /[\u0300-\u036f]+/g
const divider = /[ !-/:-@[-`{-~]+/
/** Outside these, there may be letters of a script without spaces. */
const isSpaced = /^[\u0000-\u0e00\u1200-\u137f\u1e00-\u1fff\u2000-\u206f]*$/
/** Of a word, this many signs count. */
const wordMax = 60

/** What the database makes words of, one application's. */
class SearchedTexts {
  readonly #plain: string[] = []
  #own = ''
  #others: string[] = []
  #ownUnspaced = ''
  #othersUnspaced: string[] = []

  constructor(private readonly programId: number) {}

  /** Adds a name, and returns whether it has a word; undefined if only the database can say. */
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
    if (isOwn) [this.#own, this.#ownUnspaced] = [name, unspaced.join(entityEnd)]
    else {
      this.#others.push(name)
      this.#othersUnspaced.push(...unspaced)
    }
    return hasWord
  }

  /** Adds a text that is one word. Returns whether it is as simple as that. */
  addWord(text: string): boolean {
    if (text.length > wordMax) return false
    if (text !== '') this.#plain.push(`${this.programId}/${text}`)
    return true
  }

  toString(): string {
    const plain = this.#plain.join('\n')
    const names = [this.#own, this.#others.join('\n'), this.#ownUnspaced, this.#othersUnspaced.join(entityEnd)]
    return names.every(part => part === '') ? plain : [plain, ...names].join('\u0002')
  }
}

/**
 * The texts of a snapshot, as `searched_words` reads them; undefined when they are left to the database. A program's ID stands before each word, as in
 * the index, and the applicant's own name, the first that is of no entity, has another sign there.
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
        depth += occurrences(before, entityStart) - occurrences(before, entityEnd)
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

/** A member of an answer as its JSON has it, escaped and without its quotes; empty where it is null. */
function member(answer: string, name: string): string {
  const mark = `"${name}":"`
  const at = answer.indexOf(mark)
  if (at === -1) return ''
  const from = at + mark.length
  let to = answer.indexOf('"', from)
  while (to !== -1 && isEscaped(answer, to)) to = answer.indexOf('"', to + 1)
  return answer.slice(from, to === -1 ? answer.length : to)
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++
  return backslashes % 2 === 1
}

const folded = (text: string): string => (isAscii.test(text) ? text : text.normalize('NFKD').replace(combining, ''))

/** The words of a name; undefined where their division depends on the database. */
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
