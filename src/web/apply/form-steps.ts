// The steps through a form: the errors on a screen, and how a sent screen is combined with saved answers. It stores nothing.

import { createHash } from 'node:crypto'
import { questionnaireOf } from '../../core/intake/checking/asked-questions.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  pointerTokens,
  writeJson,
} from '../../domain/values/json-text.ts'
import { type FilledForm, fillForm, isFieldOf } from '../questions/filled-form.ts'
import { FormValues, valuesOf } from '../questions/form-values.ts'
import type { ProgramInForm, SavedForm } from './program-in-form.ts'

/** The form in its saved state. */
export const savedForm = (version: ProgramVersion, saved: JsonObject): FilledForm =>
  fillForm(version, valuesOf(saved, questionnaireOf(version).top))

/** A screen as sent. */
export interface SentScreen {
  /** Form paths of the questions it showed. */
  shown: ReadonlySet<string>
  values: FormValues
}

/** A sent screen merged into the saved form. `removed` is the path of an entity that was just removed. */
export function putTogether(saved: FormValues, { shown, values: sent }: SentScreen, removed = ''): FormValues {
  const isShown = (name: string): boolean => isFieldOf(shown, name)
  const values = [...[...saved].filter(([name]) => !isShown(name)), ...[...sent].filter(([name]) => isShown(name))]
  return new FormValues(removed === '' ? values : values.filter(([name]) => !name.startsWith(`${removed}/`)))
}

/** The top-level keys that contain these places. */
export const topKeys = (paths: Iterable<string>): string[] => [
  ...new Set([...paths].flatMap(path => pointerTokens(path).slice(0, 1))),
]

/** A digest of answers: two forms with the same digest show the same. */
export const digestOf = (answers: Json): string => createHash('sha256').update(writeJson(answers)).digest('hex')

/**
 * What a form is based on: the version, the last application, and the names in all lists. If any of them has changed, the form must not be saved: its
 * answers would be for other questions, for an application that has been submitted, or about other people.
 */
export const baseOf = ({ known }: ProgramInForm, { last, answers }: SavedForm): string =>
  [known.version.program_version_id, last?.application_id, digestOf(listsIn(answers) ?? null).slice(0, 16)].join(' ')

/** The names of the entities at this level, with those below each; undefined if there is no list. Other answers don't matter. */
function listsIn(json: Json): Json | undefined {
  if (isJsonArray(json)) return json.some(isJsonObject) ? json.map(item => listsIn(item) ?? null) : undefined
  if (!isJsonObject(json)) return undefined
  const lists = [...json].flatMap(([name, value]): [string, Json][] => {
    const below = name === 'entity_name' ? value : listsIn(value)
    return below === undefined ? [] : [[name, below]]
  })
  return lists.length === 0 ? undefined : new Map(lists)
}
