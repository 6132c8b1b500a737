// Finds the next text without a translation, in reading order.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { isUntranslated, type ProgramText, programTexts } from '../../../domain/languages/program-texts.ts'
import { isSame, nameAt } from './checking.ts'
import type { Selection } from './editor-state.ts'

/** The selection whose panel has the text at a JSON Pointer. */
export function selectionAt(document: ProgramDefinition, pointer: string): Selection {
  const name = nameAt(document, pointer)
  if (name !== undefined) return { of: 'question', name }
  const [, screen] = /^\/screens\/(\d+)\//.exec(pointer) ?? []
  return screen === undefined ? { of: 'program' } : { of: 'screen', index: Number(screen) }
}

/** The pointer of the next missing text after `after`, or from the selection on if `after` is elsewhere. The last leads to the first. */
export function nextMissing(
  document: ProgramDefinition,
  language: string,
  selected: Selection,
  after: string | undefined,
): string | undefined {
  const texts = programTexts(document)
  const isSelected = ({ pointer }: ProgramText): boolean => isSame(selectionAt(document, pointer), selected)
  const before = texts.findIndex(text => text.pointer === after && isSelected(text))
  const from = before < 0 ? texts.findIndex(isSelected) : before + 1
  const isMissing = (text: ProgramText): boolean => isUntranslated(text, language)
  return (texts.slice(Math.max(0, from)).find(isMissing) ?? texts.find(isMissing))?.pointer
}
