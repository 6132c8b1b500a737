// The next text that lacks a translation, in the order in which people read them.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { programTexts, untranslatedTexts } from '../../../domain/languages/program-texts.ts'
import { nameAt } from './checking.ts'
import type { Selection } from './editor-state.ts'

/** What shows the text at a JSON Pointer. */
export function selectionAt(document: ProgramDefinition, pointer: string): Selection {
  const name = nameAt(document, pointer)
  if (name !== undefined) return { of: 'question', name }
  const [, screen] = /^\/screens\/(\d+)\//.exec(pointer) ?? []
  return screen === undefined ? { of: 'program' } : { of: 'screen', index: Number(screen) }
}

const isSelected = (one: Selection, other: Selection): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The pointer of the next one after `after`; or, if that is not what is selected, from there on. After the last comes the first. */
export function nextMissing(
  document: ProgramDefinition,
  language: string,
  selected: Selection,
  after: string | undefined,
): string | undefined {
  const order = new Map(programTexts(document).map(({ pointer }, i) => [pointer, i]))
  const missing = untranslatedTexts(document, language).map(({ pointer }) => pointer)
  const isHere = after !== undefined && order.has(after) && isSelected(selectionAt(document, after), selected)
  const first = [...order.keys()].find(pointer => isSelected(selectionAt(document, pointer), selected))
  const from = isHere ? order.get(after)! + 1 : first === undefined ? 0 : order.get(first)!
  return missing.find(pointer => order.get(pointer)! >= from) ?? missing[0]
}
