// Why an application is among those that a search by words found: the applicant's own name, or what else in it has the words.

import { type ExportedObject, entitiesOf, nameOf, questionObject } from './exported-answers.ts'

export interface MatchReason {
  /** Whether the words are in the first name in it that is not of a household, which lists show as the applicant's. */
  isOwnName: boolean
  /** Else, in words: `household member, One: Zuri Temperance Brien`. Undefined where it is not in its names, addresses and numbers. */
  text: string | undefined
}

interface Found {
  place: readonly string[]
  text: string
  /** What the words are held against, folded. */
  words: readonly string[]
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

/** `application` is the member of that name of an exported application; `sought` what was searched for. */
export function matchReason(application: ExportedObject, sought: string): MatchReason {
  const terms = [...wordsOf(sought), folded(sought).trim()]
  const digits = sought.replace(/\D/g, '')
  const isIn = ({ words }: Found): boolean =>
    terms.slice(0, -1).every(term => words.some(word => word.startsWith(term))) ||
    words.some(
      word => word.startsWith(terms.at(-1)!) || (digits.length > 3 && /^\d+$/.test(word) && word.includes(digits)),
    )
  const all = [...textsIn(application, [])]
  const own = all.find(({ place }) => place.length === 1 && place[0] === ownNameOf(application))
  if (own !== undefined && isIn(own)) return { isOwnName: true, text: undefined }
  const found = all.find(isIn)
  return { isOwnName: false, text: found && `${found.place.join(', ').replaceAll('_', ' ')}: ${found.text}` }
}

/** The key of the first name that was answered. */
const ownNameOf = (application: ExportedObject): string | undefined =>
  Object.keys(application).find(key => {
    const object = questionObject(application, key)
    return object?.question_type === 'NAME' && textOf(object, ['first_name', 'last_name']) !== ''
  })

const textOf = (object: ExportedObject, members: readonly string[]): string =>
  members.flatMap(member => (typeof object[member] === 'string' ? [object[member]] : [])).join(' ')

/** Every name, e-mail address and phone number, at any depth. */
function* textsIn(object: ExportedObject, place: readonly string[]): Generator<Found> {
  for (const key of Object.keys(object)) {
    const answer = questionObject(object, key)
    const here = [...place, key]
    switch (answer?.question_type) {
      case 'NAME': {
        const text = textOf(answer, ['first_name', 'middle_name', 'last_name'])
        const [first, last] = [textOf(answer, ['first_name']), textOf(answer, ['last_name'])]
        if (text !== '')
          yield { place: here, text, words: [...wordsOf(text), folded(last + first), folded(first + last)] }
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
