// Finds texts that ask the same question, judged by their significant words.

import { foldText } from '../values/folded-text.ts'

const common = new Set(
  'a an and are at by do does did for have has how in is of on or our that the their they this to was we were what when where which who will with you your'.split(
    ' ',
  ),
)

/** The meaningful words of a text, folded; all of its words if none is meaningful. */
export function tellingWords(text: string): string[] {
  const words = foldText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const telling = words.filter(word => !common.has(word))
  return [...new Set(telling.length > 0 ? telling : words)]
}

/** From 0, nothing in common, to 1, the same meaningful words. */
export function similarity(text: string, other: string): number {
  const [words, others] = [new Set(tellingWords(text)), new Set(tellingWords(other))]
  const all = words.union(others).size
  return all === 0 ? 0 : words.intersection(others).size / all
}
