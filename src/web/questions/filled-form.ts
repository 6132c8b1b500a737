// A form as it is filled in: the questions that these answers ask for, screen by screen, and what is wrong with them, by intake's own
// rules. Shared by the applicants' pages and the console's preview.

import type { ProblemItem } from '../../base/problem.ts'
import { questionnaireOf } from '../../core/intake/checking/asked-questions.ts'
import { type AskedPlace, askedWith } from '../../core/intake/checking/check-all.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import type { JsonObject } from '../../domain/values/json-text.ts'
import { errorWords, filled, type QuestionWords } from './field-view.ts'
import { errorField, type FormValues, readAnswers } from './form-values.ts'

/** A question being asked, and the path of its answer in the form, which differs from that in the answers while entities are removed. */
export interface FormPlace extends AskedPlace {
  formPath: string
}

export interface FieldMessage {
  field: string
  /** The text for applicants. */
  message: string
  /** The question's text, for the summary. */
  label: string
  place: FormPlace
  error: ProblemItem
}

export interface FilledForm {
  version: ProgramVersion
  values: FormValues
  answers: JsonObject
  /** By screen of the version; empty for screens that ask nothing. */
  screens: readonly (readonly FormPlace[])[]
  /** The errors that would prevent submitting these answers, at places in the form. */
  errors: readonly ProblemItem[]
  /** The errors in the answers, apart from missing ones. */
  faults: readonly ProblemItem[]
}

export function fillForm(version: ProgramVersion, values: FormValues): FilledForm {
  const { answers, formPath } = readAnswers(values, questionnaireOf(version).top)
  // Unlike a submission, whose check stops after many missing answers.
  const { asked, errors: faults } = askedWith(version, answers)
  const { errors } = askedWith(version, answers, 'submit')
  const screenOf = new Map(
    version.screens.flatMap(({ questions }, i) => questions.map(({ question_id }) => [question_id, i] as const)),
  )
  const screens: FormPlace[][] = version.screens.map(() => [])
  for (const place of asked)
    screens[screenOf.get(place.asked.question.question_id)!]!.push({ ...place, formPath: formPath(place.path) })
  const inForm = (error: ProblemItem): ProblemItem => ({ ...error, path: formPath(error.path!) })
  return {
    version,
    values,
    answers,
    screens: screens.map(places => byEntity(places)),
    errors: errors.map(inForm),
    faults: faults.map(inForm),
  }
}

/** All questions about one entity together, in the position of the list of the first one. `above` is their common entity. */
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

/** Indexes of the screens that ask something. */
export const openScreens = ({ screens }: FilledForm): number[] =>
  [...screens.keys()].filter(i => screens[i]!.length > 0)

/** The path that an error is about; for a list and a question about one of its entities, the question. */
const placeOfError = (places: readonly FormPlace[], { path = '' }: ProblemItem): FormPlace | undefined =>
  places.findLast(({ formPath }) => `${path}/`.startsWith(`${formPath}/`))

/** The error messages for applicants, in the order of the questions; only those at these paths if given. */
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
    const field = errorField(place.asked.type!, place.formPath, error.path!)
    if (messages.has(field)) continue
    messages.set(field, {
      field,
      message: errorWords(words, place, error),
      label: labelOf(place, values, words),
      place,
      error,
    })
  }
  const rank = new Map(all.map((place, i) => [place, i]))
  return [...messages.values()].sort((a, b) => rank.get(a.place)! - rank.get(b.place)!)
}

/** The text of a question; for a repeated one, with the name of its entity. */
export function labelOf({ asked: { question, type }, formPath }: FormPlace, values: FormValues, words: QuestionWords) {
  const { text } = question.settings
  const [, entity] = /^(.*\/entities\/\d+)\/[^/]*$/.exec(formPath) ?? []
  const about = entity === undefined ? undefined : values.get(`${entity}/entity_name`)
  return about === undefined || type === undefined ? text : filled(words.about, { name: about, question: text })
}

/** Whether a field belongs to one of these questions, given by their form paths. */
export function isFieldOf(shown: ReadonlySet<string>, name: string): boolean {
  const list = name.replace(/\/entities\/\d+\/entity_name$/, '')
  if (list !== name) return shown.has(list)
  const above = name.slice(0, name.lastIndexOf('/'))
  // The parts of a date are one level deeper.
  return shown.has(above) || shown.has(above.slice(0, above.lastIndexOf('/')))
}
