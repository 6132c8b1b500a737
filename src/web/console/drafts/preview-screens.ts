// Decides which screen of a preview is shown next and which errors it has, from the answers in the form.

import type { ProblemItem } from '../../../base/problem.ts'
import {
  type FieldMessage,
  type FilledForm,
  type FormPlace,
  messagesOf,
  openScreens,
} from '../../questions/filled-form.ts'
import { FormValues } from '../../questions/form-values.ts'
import { en } from '../../questions/languages/en.ts'
import { removeButton } from '../../questions/list-field.tsx'

const words = en.questions

export interface ShownScreen {
  /** Its index; after the last screen, the number of screens. */
  screen: number
  /** Whether no screen is shown before it. */
  isFirst: boolean
  places: readonly FormPlace[]
  /** Its errors by field; none if it has not been shown before. */
  messages: readonly FieldMessage[]
  /** Whether an answer on it adds questions to the same screen. */
  unseen: boolean
}

/**
 * The target of the buttons: the next screen once all of a screen's questions were shown and the answers are valid; otherwise the same screen. From
 * the end, any screen.
 */
export function screenShown(form: FilledForm, errors: readonly ProblemItem[], values: URLSearchParams): ShownScreen {
  const on = (screen: number): readonly FormPlace[] => form.screens[screen] ?? []
  const open = openScreens(form)
  const at = values.has('screen') ? Number(values.get('screen')) : (open[0] ?? 0)
  const seen = new Set((values.get('shown') ?? '').split(' '))
  const unseen = values.has('screen') && on(at).some(({ formPath }) => !seen.has(formPath))
  const go = values.get('go')
  const back = open.findLast(screen => screen < at) ?? at
  const next = open.find(screen => screen > at) ?? form.screens.length
  const held = unseen || messagesOf(form, errors, words, on(at)).length > 0
  const named = open.find(screen => go === String(screen))
  const screen = named ?? (go === 'back' ? back : go === 'next' && !held ? next : at)
  const places = on(screen)
  const stays = values.has('screen') && screen === at
  const messages = (stays && go !== null) || named !== undefined ? messagesOf(form, errors, words, places) : []
  return { screen, isFirst: screen === open[0], places, messages, unseen: unseen && stays }
}

/** The errors that would prevent submitting, screen by screen. */
export const missingIn = (form: FilledForm) =>
  form.version.screens
    .map(({ name }, screen) => ({ screen, name, messages: messagesOf(form, form.errors, words, form.screens[screen]) }))
    .filter(({ messages }) => messages.length > 0)

/** The values in the form, without those that a button removes. */
export function valuesIn(form: URLSearchParams): FormValues {
  const removed = form.get(removeButton)
  return new FormValues([...form].filter(([name]) => removed === null || !name.startsWith(`${removed}/`)))
}
