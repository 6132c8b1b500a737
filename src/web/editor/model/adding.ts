// Adds questions: a blank one, a copy, or one from the question bank in place of a blank one.

import { kindsWith, settingNames } from '../../../domain/definitions/definition-schemas.ts'
import {
  addQuestion,
  addScreen,
  changeQuestion,
  placementAt,
  placeOf,
  renameQuestion,
} from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { namesFor } from '../../../domain/definitions/question-names.ts'
import { onlyIn } from '../../../domain/definitions/version-definition.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import type { Edit, Selection, Step } from './editor-state.ts'
import { freeName, suggestedKind } from './naming.ts'

export const questionNamed = ({ questions }: ProgramDefinition, name: string): QuestionDefinition | undefined =>
  questions.find(({ admin_name }) => admin_name === name)

/** The position of a new question: after the selection. */
function placeAfter(document: ProgramDefinition, selected: Selection) {
  const { screens } = document
  const last = selected.of === 'screen' ? selected.index : screens.length - 1
  if (selected.of === 'question') {
    const { screen, index } = placeOf(document, selected.name)!
    return { screen, index: index + 1 }
  }
  return { screen: last, index: screens[last]!.questions.length }
}

/** A blank question after the selection: in a list, and after a list as its first item. */
export function withQuestion(document: ProgramDefinition, selected: Selection, taken: ReadonlySet<string>): Edit {
  const name = freeName('', document, taken)
  const before = selected.of === 'question' ? questionNamed(document, selected.name) : undefined
  const enumerator = before?.kind === 'ENUMERATOR' ? before.admin_name : before?.enumerator
  const question: QuestionDefinition = {
    admin_name: name,
    kind: 'TEXT',
    ...(enumerator !== undefined && { enumerator }),
    text: '',
  }
  return { to: addQuestion(document, question, placeAfter(document, selected)), selected: { of: 'question', name } }
}

export function withCopy(document: ProgramDefinition, name: string, taken: ReadonlySet<string>): Edit {
  const question = questionNamed(document, name)!
  const place = placeOf(document, name)!
  const admin_name = freeName(question.text, document, taken)
  const { question: _, ...asked } = placementAt(document, place)
  const to = addQuestion(document, { ...question, admin_name }, { ...place, index: place.index + 1 }, asked)
  return { to, selected: { of: 'question', name: admin_name } }
}

/** Another screen, after the current one. */
export function withScreen(document: ProgramDefinition, selected: Selection): Edit {
  const at = selected.of === 'program' ? document.screens.length : placeAfter(document, selected).screen + 1
  return { to: addScreen(document, at, `Screen ${document.screens.length + 1}`), selected: { of: 'screen', index: at } }
}

const following = (selected: Selection, from: string, name: string): Selection =>
  selected.of === 'question' && selected.name === from ? { of: 'question', name } : selected

/** Names a question after its text, with a name that is not taken; no effect if the question is gone. */
export function renamedByText(
  { document, selected }: Step,
  from: string,
  taken: ReadonlySet<string>,
): Edit | undefined {
  const question = questionNamed(document, from)
  if (question === undefined) return undefined
  const name = freeName(question.text, document, taken, from)
  return { to: renameQuestion(document, from, name), selected: following(selected, from, name) }
}

/**
 * Replaces this question with one from the bank. If another question has since been given its name automatically, that one gets another name; no
 * effect if this question is gone, or the program already has the bank's.
 */
export function replaced(
  present: Step,
  name: string,
  banked: QuestionDefinition,
  taken: ReadonlySet<string>,
): Edit | undefined {
  const { document, selected } = present
  if (questionNamed(document, name) === undefined) return undefined
  const key = foldedKeyOf(banked.admin_name)
  const alike = document.questions.find(item => item.admin_name !== name && foldedKeyOf(item.admin_name) === key)
  if (alike === undefined) {
    const renamed = renameQuestion(document, name, banked.admin_name)
    const offered = onlyIn(banked, tag => document.languages?.includes(tag) ?? false)
    const questions = renamed.questions.map(item => (item.admin_name === banked.admin_name ? offered : item))
    return { to: { ...renamed, questions }, selected: following(selected, name, banked.admin_name) }
  }
  if (!namesFor(alike.text, document.display_name).includes(alike.admin_name)) return undefined
  const { to, selected: next } = renamedByText(present, alike.admin_name, new Set([...taken, key]))!
  return replaced({ document: to, selected: next }, name, banked, taken)
}

/** Changes a question's text. While its name and kind are only suggestions from the text, they follow it. */
export function reworded(
  document: ProgramDefinition,
  question: QuestionDefinition,
  text: string,
  { isFixed, taken }: { isFixed: boolean; taken: ReadonlySet<string> },
): Edit {
  const { admin_name: name, kind } = question
  const isSuggested = kind === (suggestedKind(question.text) ?? 'TEXT')
  const follows = !isFixed && namesFor(question.text, document.display_name).includes(name)
  const next = follows ? freeName(text, document, taken, name) : name
  const to = next === name ? document : renameQuestion(document, name, next)
  const changed = changeQuestion(to, next, { text })
  const suggested = suggestedKind(text) ?? 'TEXT'
  return {
    to: follows && isSuggested && suggested !== kind ? ofKind(changed, next, suggested) : changed,
    selected: { of: 'question', name: next },
  }
}

/** Changes a question's kind, dropping settings that the new kind doesn't have. */
export const ofKind = (document: ProgramDefinition, name: string, kind: QuestionKind): ProgramDefinition =>
  changeQuestion(document, name, {
    kind,
    ...Object.fromEntries(
      settingNames.filter(setting => !kindsWith(setting).includes(kind)).map(setting => [setting, undefined]),
    ),
  })
