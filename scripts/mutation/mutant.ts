// A mutant is one small fault: a place in a file, and what stands there instead.

export interface Mutant {
  /** Short and stable for known ones; made ones have their line. */
  id: string
  /** From the root of the checkout. */
  file: string
  /** What is replaced. For known ones any white space means any white space, and it must occur exactly once. */
  find: string
  replace: string
  /** Where it begins; known ones are searched for. */
  index?: number
  line?: number
  /** Test files or folders that should notice; the related ones unless given. */
  tests?: readonly string[]
  /** Why no test can notice: the behaviour is the same. Such a one is not tried. */
  equivalent?: string
}

export type Outcome = 'noticed' | 'unnoticed' | 'equivalent' | 'stale'

/** `src/export/walk.ts:12 (p02): <what> → <what instead>` */
export function place({ file, line, id, find, replace }: Mutant): string {
  const short = (text: string): string => {
    const oneLine = text.trim().replace(/\s+/g, ' ')
    return oneLine.length > 70 ? `${oneLine.slice(0, 67)}…` : oneLine || '(nothing)'
  }
  return `${file}${line === undefined ? '' : `:${line}`} (${id}): ${short(find)} → ${short(replace)}`
}

/** The text with the fault in it, and the line; undefined when what it replaces is not there exactly once. */
export function mutated(text: string, mutant: Mutant): { text: string; line: number } | undefined {
  const found =
    mutant.index === undefined
      ? [...text.matchAll(new RegExp(RegExp.escape(mutant.find.trim()).replace(/(?:\\x20|\s|\\n)+/g, '\\s+'), 'g'))]
      : [{ index: mutant.index, 0: mutant.find }]
  if (found.length !== 1) return undefined
  const [{ index, 0: old }] = found as [{ index: number; 0: string }]
  return {
    text: text.slice(0, index) + mutant.replace + text.slice(index + old.length),
    line: text.slice(0, index).split('\n').length,
  }
}
