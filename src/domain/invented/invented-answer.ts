// One invented answer to one question, within its bounds and options: the most telling one, or one of very many.
// It must not know about other questions; enumerators are put together in sample-answers.

import type { Answer } from '../questions/answers.ts'
import type { QuestionKind, VersionQuestion } from '../questions/question.ts'
import {
  areaCodes,
  cities,
  familyNames,
  fileNames,
  givenNames,
  secondLines,
  sentences,
  streets,
} from './sample-words.ts'
import { integerFrom, pick, pickSome, type Rng } from './seeded-random.ts'

/** A kind that is answered by itself. */
type SimpleKind = Exclude<QuestionKind, 'ENUMERATOR' | 'STATIC'>
export type AnswerMaker = (next: Rng) => Answer | undefined

const filesRoot = 'https://apply.example.gov/files'

/** The answer that shows most of its type: every field filled, several selections, several files. Two variants differ. */
export function sampleAnswer(question: VersionQuestion, variant: number): Answer {
  const { settings } = question
  const kind = simpleKind(question)
  const optionIds = (settings.options ?? []).map(option => option.admin_id)
  const several = Math.min(Math.max(2, settings.min_count ?? 0), settings.max_count ?? 2)
  const given = ['María', 'Søren', 'Ifeoma'][variant % 3]!
  switch (kind) {
    case 'ADDRESS':
      return address(`${700 + variant} 5th Ave`, `Apt ${variant + 4}`, cities[variant % cities.length]!, '04', {
        corrected: settings.correct_addresses === true ? 'Corrected' : null,
        shift: 0,
        checkedAt: 1_767_225_600,
      })
    case 'CHECKBOX':
      return { type: 'MULTI_SELECT', selections: optionIds.slice(0, several) }
    case 'MAP':
      return { type: 'MAP', selections: optionIds.slice(0, several) }
    case 'CURRENCY':
      return { type: 'CURRENCY', currency_cents: 123_450 + variant * 2025 }
    case 'DATE':
      return { type: 'DATE', date: `19${84 + (variant % 10)}-02-${28 - (variant % 10)}` }
    case 'DROPDOWN':
    case 'RADIO':
      return { type: 'SINGLE_SELECT', selection: optionIds[variant % Math.max(1, optionIds.length)] ?? '' }
    case 'EMAIL':
      return { type: 'EMAIL', email: `${['maria', 'soren', 'ifeoma'][variant % 3]!}@example.org` }
    case 'FILE_UPLOAD':
      return {
        type: 'FILE_UPLOAD',
        file_urls: Array.from(
          { length: several },
          (_, i) => `${filesRoot}/${1000 + variant * 10 + i}/${fileNames[i % fileNames.length]!}`,
        ),
      }
    case 'ID':
      return {
        type: 'ID',
        id: digits('1234567890', lengthWithin(settings.min_length, settings.max_length, 6), variant),
      }
    case 'NAME':
      return {
        type: 'NAME',
        first_name: given,
        middle_name: 'Ángel',
        last_name: ['García', 'Nguyễn', 'O’Brien'][variant % 3]!,
        suffix: 'JR',
      }
    case 'NUMBER':
      return { type: 'NUMBER', number: clamp(3 + variant, settings.min, settings.max) }
    case 'PHONE':
      return { type: 'PHONE', phone_number: `+1206555014${variant % 10}` }
    case 'TEXT':
      return {
        type: 'TEXT',
        text: textWithin(sentences[variant % sentences.length]!, settings.min_length, settings.max_length),
      }
  }
}

/** A maker of varied answers to a question. Undefined now and then, where nothing can be answered (no options, no files). */
export function randomAnswerMaker(question: VersionQuestion): AnswerMaker {
  const { settings } = question
  const kind = simpleKind(question)
  const optionIds = (settings.options ?? []).map(option => option.admin_id)
  switch (kind) {
    case 'ADDRESS':
      return next => randomAddress(next, settings.correct_addresses === true)
    case 'CHECKBOX':
    case 'MAP': {
      const type = kind === 'MAP' ? 'MAP' : 'MULTI_SELECT'
      const least = Math.max(1, settings.min_count ?? 0)
      const most = Math.max(least, Math.min(4, settings.max_count ?? 4))
      return next => {
        const selections = pickSome(next, optionIds, integerFrom(next, least, most))
        return selections.length === 0 ? undefined : { type, selections }
      }
    }
    case 'CURRENCY':
      return next => ({
        type: 'CURRENCY',
        currency_cents: next() < 0.4 ? integerFrom(next, 0, 6000) * 100 : integerFrom(next, 0, 999_999),
      })
    case 'DATE':
      return next => ({
        type: 'DATE',
        date: `${integerFrom(next, 1945, 2025)}-${two(integerFrom(next, 1, 12))}-${two(integerFrom(next, 1, 28))}`,
      })
    case 'DROPDOWN':
    case 'RADIO':
      return next => (optionIds.length === 0 ? undefined : { type: 'SINGLE_SELECT', selection: pick(next, optionIds) })
    case 'EMAIL':
      return next => ({ type: 'EMAIL', email: randomEmail(next) })
    case 'FILE_UPLOAD': {
      const least = Math.max(1, settings.min_count ?? 0)
      const most = Math.max(least, Math.min(3, settings.max_count ?? 3))
      return next => ({
        type: 'FILE_UPLOAD',
        file_urls: Array.from({ length: integerFrom(next, least, most) }, () => randomFile(next)),
      })
    }
    case 'ID':
      return next => {
        const least = Math.max(1, settings.min_length ?? 6)
        const length = integerFrom(next, least, Math.max(least, Math.min(settings.max_length ?? 9, least + 4)))
        let id = ''
        for (let i = 0; i < length; i++) id += Math.floor(next() * 10)
        return { type: 'ID', id }
      }
    case 'NAME':
      return next => ({
        type: 'NAME',
        first_name: pick(next, givenNames),
        middle_name: next() < 0.4 ? pick(next, givenNames) : null,
        last_name: pick(next, familyNames),
        suffix: next() < 0.08 ? pick(next, ['JR', 'SR', 'II', 'III']) : null,
      })
    case 'NUMBER': {
      const least = settings.min ?? Math.min(0, settings.max ?? 0)
      const most = Math.min(settings.max ?? Math.max(least, 0) + 40, least + 1_000_000)
      return next => ({ type: 'NUMBER', number: integerFrom(next, least, most) })
    }
    case 'PHONE':
      return next => ({
        type: 'PHONE',
        phone_number: `+1${pick(next, areaCodes)}55501${two(integerFrom(next, 0, 99))}`,
      })
    case 'TEXT':
      return next => ({ type: 'TEXT', text: randomText(next, settings.min_length, settings.max_length) })
  }
}

function simpleKind(question: VersionQuestion): SimpleKind {
  if (question.kind === 'ENUMERATOR' || question.kind === 'STATIC')
    throw new Error(`question ${question.question_id} of kind ${question.kind} has no answer of its own`)
  return question.kind
}

type City = (typeof cities)[number]

interface Correction {
  corrected: 'Corrected' | 'Failed' | 'AsEnteredByUser' | null
  /** Degrees away from the middle of the city. */
  shift: number
  /** Unix seconds. */
  checkedAt: number
}

function address(street: string, line2: string | null, city: City, zipEnd: string, correction: Correction): Answer {
  const [name, state, zipStart, latitude, longitude] = city
  const located = correction.corrected === 'Corrected'
  return {
    type: 'ADDRESS',
    street,
    line2,
    city: name,
    state,
    zip: `${zipStart}${zipEnd}`,
    corrected: correction.corrected,
    latitude: located ? (latitude + correction.shift).toFixed(5) : null,
    longitude: located ? (longitude - correction.shift).toFixed(5) : null,
    well_known_id: located ? '4326' : null,
    service_area: located
      ? `${state.toLowerCase()}_${correction.shift < 0.03 ? 'InArea' : 'NotInArea'}_${correction.checkedAt}`
      : null,
  }
}

function randomAddress(next: Rng, corrects: boolean): Answer {
  const luck = next()
  return address(
    `${integerFrom(next, 1, 9999)} ${pick(next, streets)}`,
    next() < 0.35 ? pick(next, secondLines) : null,
    pick(next, cities),
    next() < 0.2 ? `${two(integerFrom(next, 1, 99))}-${integerFrom(next, 1000, 9999)}` : two(integerFrom(next, 1, 99)),
    {
      corrected: corrects ? (luck < 0.8 ? 'Corrected' : luck < 0.9 ? 'Failed' : 'AsEnteredByUser') : null,
      shift: next() * 0.04,
      checkedAt: integerFrom(next, 1_750_000_000, 1_767_000_000),
    },
  )
}

function randomEmail(next: Rng): string {
  const base = ['amina', 'jose', 'zoe', 'mei', 'lukasz', 'grace', 'kwame', 'rosa', 'yusuf', 'priya']
  return `${pick(next, base)}.${integerFrom(next, 1, 9999)}@${pick(next, ['example.org', 'example.com', 'mail.example.net'])}`
}

function randomFile(next: Rng): string {
  return `${filesRoot}/${integerFrom(next, 100_000, 999_999)}/${pick(next, fileNames)}`
}

function randomText(next: Rng, minLength: number | undefined, maxLength: number | undefined): string {
  let text = pick(next, sentences) as string
  for (let more = integerFrom(next, 0, 3); more > 0; more--) text += ` ${pick(next, sentences)}`
  return textWithin(text, minLength, maxLength)
}

/** A text of at least `minLength` and at most `maxLength` code points: repeated to reach the one, cut to keep the other. */
function textWithin(text: string, minLength = 0, maxLength = 500): string {
  // A text has at most as many code points as UTF-16 units, and at least half as many.
  if (text.length <= maxLength && text.length >= minLength * 2) return text
  const points = [...text]
  let filled = points
  while (filled.length < minLength) filled = [...filled, ' ', ...points]
  return filled.slice(0, maxLength).join('')
}

function lengthWithin(min = 0, max = Number.MAX_SAFE_INTEGER, wished = 0): number {
  return Math.min(Math.max(wished, min), max)
}

function digits(source: string, length: number, turn: number): string {
  return Array.from({ length }, (_, i) => source[(i + turn) % source.length]).join('')
}

function clamp(value: number, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
  return Math.min(Math.max(value, min), max)
}

const two = (value: number): string => String(value).padStart(2, '0')
