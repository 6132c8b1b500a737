// The steps through a form: which screens have questions for these answers, the errors on a screen, and how a sent screen is combined with
// saved answers. It stores nothing and uses intake's own rules.

import { createHash } from 'node:crypto'
import type { ProblemItem } from '../../base/problem.ts'
import { questionnaireOf } from '../../core/intake/checking/asked-questions.ts'
import { type AskedPlace, askedWith } from '../../core/intake/checking/check-all.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  pointerTokens,
  writeJson,
} from '../../domain/values/json-text.ts'
import { errorWords, filled, type QuestionWords } from '../questions/field-view.ts'
import { errorField, FormValues, readAnswers, valuesOf } from '../questions/form-values.ts'

/** A question that is asked, and the place of its answer in the form, which differs from the saved one while entities are removed. */
export interface FormPlace extends AskedPlace {
  formPath: string
}

export interface FieldMessage {
  field: string
  message: string
  /** The question, for the summary. */
  label: string
  place: FormPlace
}

export interface FilledForm {
  version: ProgramVersion
  values: FormValues
  answers: JsonObject
  /** By screen of the version; empty for screens that ask nothing. */
  screens: readonly (readonly FormPlace[])[]
  /** What submitting these answers would be refused for. */
  errors: readonly ProblemItem[]
  /** What is wrong with the answers, whatever is missing. */
  faults: readonly ProblemItem[]
}

export function fillForm(version: ProgramVersion, values: FormValues): FilledForm {
  const { answers, formPath } = readAnswers(values, questionnaireOf(version).top)
  const { asked, errors } = askedWith(version, answers, 'submit')
  const { errors: faults } = askedWith(version, answers)
  const screenOf = new Map(
    version.screens.flatMap(({ questions }, i) => questions.map(({ question_id }) => [question_id, i] as const)),
  )
  const screens: FormPlace[][] = version.screens.map(() => [])
  for (const place of asked)
    screens[screenOf.get(place.asked.question.question_id)!]!.push({ ...place, formPath: formPath(place.path) })
  return { version, values, answers, screens: screens.map(places => byEntity(places)), errors, faults }
}

/** All that is asked about one entity together, where the list of the first of these questions has its turn. `above` is their common entity. */
function byEntity(places: readonly FormPlace[], above = ''): FormPlace[] {
  const listOf = ({ path }: FormPlace) => /^(?:\/[^/]*)\/entities\/(?=\d+\/)/.exec(path.slice(above.length))?.[0]
  const done = new Set<string>()
  return places.flatMap(place => {
    const list = listOf(place)
    if (list === undefined) return [place]
    if (done.has(list)) return []
    done.add(list)
    const within = Map.groupBy(
      places.filter(place => place.path.startsWith(above + list)),
      ({ path }) => Number.parseInt(path.slice(above.length + list.length), 10),
    )
    return [...within].sort(([a], [b]) => a - b).flatMap(([i, group]) => byEntity(group, `${above}${list}${i}`))
  })
}

/** The form as it is saved. */
export const savedForm = (version: ProgramVersion, saved: JsonObject): FilledForm =>
  fillForm(version, valuesOf(saved, questionnaireOf(version).top))

/** Indexes of the screens that ask something. */
export const openScreens = ({ screens }: FilledForm): number[] =>
  [...screens.keys()].filter(i => screens[i]!.length > 0)

/** The place an error is about; of a list and a question about one of its entities, the question. */
const placeOfError = (places: readonly FormPlace[], { path = '' }: ProblemItem): FormPlace | undefined =>
  places.findLast(place => `${path}/`.startsWith(`${place.path}/`))

/** What an applicant reads about errors, in the order of the questions; of those in these places alone, unless all are meant. */
export function messagesOf(
  { values, screens }: FilledForm,
  errors: readonly ProblemItem[],
  words: QuestionWords,
  places: readonly FormPlace[] = screens.flat(),
): FieldMessage[] {
  const all = screens.flat()
  const messages = new Map<string, FieldMessage>()
  for (const error of errors) {
    const place = placeOfError(all, error)
    if (place === undefined || !places.includes(place)) continue
    const { path, formPath, asked } = place
    const field = errorField(asked.type!, formPath, formPath + error.path!.slice(path.length))
    if (messages.has(field)) continue
    messages.set(field, {
      field,
      message: errorWords(words, place, error),
      label: labelOf(place, values, words),
      place,
    })
  }
  const rank = new Map(all.map((place, i) => [place, i]))
  return [...messages.values()].sort((a, b) => rank.get(a.place)! - rank.get(b.place)!)
}

/** Messages for fields whose error isn't about the answer itself, at these places only. */
export const messagesAt = (
  places: readonly FormPlace[],
  errors: readonly (readonly [field: string, code: string])[],
  { values }: FilledForm,
  words: QuestionWords,
): FieldMessage[] =>
  errors.flatMap(([field, code]) => {
    const place = places.find(({ formPath }) => field.startsWith(`${formPath}/`))
    if (place === undefined) return []
    const message = errorWords(words, place, { path: field, code, detail: '' })
    return [{ field, message, label: labelOf(place, values, words), place }]
  })

/** The places of these that an error is about. */
export const placesInError = (places: readonly FormPlace[], errors: readonly ProblemItem[]): ReadonlySet<FormPlace> =>
  new Set(errors.map(error => placeOfError(places, error)).filter(place => place !== undefined))

/** The text of a question; of a repeated one, with the name of whom it is about. */
export function labelOf({ asked: { question, type }, formPath }: FormPlace, values: FormValues, words: QuestionWords) {
  const { text } = question.settings
  const [, entity] = /^(.*\/entities\/\d+)\/[^/]*$/.exec(formPath) ?? []
  const about = entity === undefined ? undefined : values.get(`${entity}/entity_name`)
  return about === undefined || type === undefined ? text : filled(words.about, { name: about, question: text })
}

/** A screen as it was sent. */
export interface SentScreen {
  /** Form paths of the questions it showed. */
  shown: ReadonlySet<string>
  values: FormValues
}

/** A sent screen on top of what is saved. `removed` is the path of an entity that was removed just now. */
export function putTogether(saved: FormValues, { shown, values: sent }: SentScreen, removed = ''): FormValues {
  const isShown = (name: string): boolean => {
    const ofEntity = name.replace(/\/entities\/\d+\/entity_name$/, '')
    if (ofEntity !== name) return shown.has(ofEntity)
    const above = name.slice(0, name.lastIndexOf('/'))
    // The parts of a date lie one step deeper.
    return shown.has(above) || shown.has(above.slice(0, above.lastIndexOf('/')))
  }
  const values = [...[...saved].filter(([name]) => !isShown(name)), ...[...sent].filter(([name]) => isShown(name))]
  return new FormValues(removed === '' ? values : values.filter(([name]) => !name.startsWith(`${removed}/`)))
}

/** The keys of the top level to which these places belong. */
export const topKeys = (paths: Iterable<string>): string[] => [
  ...new Set([...paths].flatMap(path => pointerTokens(path).slice(0, 1))),
]

/** A digest of answers: two forms with one digest show the same. */
export const digestOf = (answers: Json): string => createHash('sha256').update(writeJson(answers)).digest('hex')

/** The names in all lists. A form whose lists have changed since must not be saved: its answers would be about other people. */
export const listsOf = (answers: JsonObject): string => digestOf(namesIn(answers)).slice(0, 16)

function namesIn(json: Json): Json {
  if (isJsonArray(json)) return json.map(namesIn)
  if (!isJsonObject(json)) return null
  const entities = [...json].filter(([, value]) => isJsonArray(value) || isJsonObject(value))
  return new Map<string, Json>([
    ...entities.map(([key, value]): [string, Json] => [key, namesIn(value)]),
    ['entity_name', json.get('entity_name') ?? null],
  ])
}
