// Computes where an item moved in the structure lands, and how the move is announced.

import { moveQuestion, moveScreen, placementAt, placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'

/** `screen 2` or `question what is your name`, as the structure names its items. */
const screenOf = (item: string): number | undefined => {
  const [, index] = /^screen (\d+)$/.exec(item) ?? []
  return index === undefined ? undefined : Number(index)
}
const nameOf = (item: string): string => item.replace(/^question /, '')

export const screenItem = (index: number): string => `screen ${index}`
export const questionItem = (name: string): string => `question ${name}`

/** The document with one item dropped before or after another. */
export function dropped(document: ProgramDefinition, from: string, to: string, isAfter: boolean): ProgramDefinition {
  const [screen, onScreen] = [screenOf(from), screenOf(to)]
  if (screen !== undefined) {
    const target = onScreen ?? placeOf(document, nameOf(to))!.screen
    const at = target + (isAfter ? 1 : 0)
    return moveScreen(document, screen, at > screen ? at - 1 : at)
  }
  const name = nameOf(from)
  const was = placeOf(document, name)!
  // On the heading of a screen: first there; above the heading: last on the previous screen.
  if (onScreen !== undefined) {
    const before = isAfter || onScreen === 0 ? undefined : onScreen - 1
    if (before === undefined) return moveQuestion(document, name, { screen: onScreen, index: 0 })
    const { length } = document.screens[before]!.questions
    return moveQuestion(document, name, { screen: before, index: was.screen === before ? length - 1 : length })
  }
  const target = placeOf(document, nameOf(to))!
  const index = target.index + (isAfter ? 1 : 0)
  const isLower = was.screen === target.screen && was.index < index
  return moveQuestion(document, name, { screen: target.screen, index: isLower ? index - 1 : index })
}

/** The document with an item moved up or down; a question crosses the edge of a screen to the next one. */
export function stepped(document: ProgramDefinition, item: string, by: -1 | 1): ProgramDefinition {
  const screen = screenOf(item)
  if (screen !== undefined)
    return document.screens[screen + by] === undefined ? document : moveScreen(document, screen, screen + by)
  const name = nameOf(item)
  const was = placeOf(document, name)!
  if (document.screens[was.screen]!.questions[was.index + by] !== undefined)
    return moveQuestion(document, name, { screen: was.screen, index: was.index + by })
  const next = document.screens[was.screen + by]
  if (next === undefined) return document
  return moveQuestion(document, name, { screen: was.screen + by, index: by === 1 ? 0 : next.questions.length })
}

/** The position of a question, for screen readers. */
export function placeInWords(document: ProgramDefinition, name: string): string {
  const place = placeOf(document, name)!
  const { question } = placementAt(document, place)
  const text = document.questions.find(({ admin_name }) => admin_name === question)?.text
  const { name: screen, questions } = document.screens[place.screen]!
  return `${text}: question ${place.index + 1} of ${questions.length} on screen ${place.screen + 1}, ${screen}`
}

/** The position of a screen, for screen readers. */
export const screenInWords = ({ screens }: ProgramDefinition, index: number): string =>
  `${screens[index]!.name}: screen ${index + 1} of ${screens.length}`
