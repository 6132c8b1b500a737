// A view of a program's questions: the part that a reader sees. Administrators hide questions from an API key; clients choose from the rest
// for a walk.
//
// The key map and the shapes are cut to the visible part, after which formats, schemas, docs and errors behave as if the program had never
// asked the rest. So hidden questions look like questions that do not exist.

import type { KeyMap, KeyNode } from './key-map.ts'

/** The questions that a client selects with `fields` and `questions`. */
export interface QuestionChoice {
  /** IDs of the selected questions, including those repeated under them; undefined if all questions are visible. */
  chosen?: readonly number[] | undefined
  /** `current`: only the questions of the newest version (contract D58). */
  questions?: 'current' | undefined
}

export interface QuestionView extends QuestionChoice {
  /** IDs of hidden questions. Questions repeated under them are hidden, too. */
  hidden: ReadonlySet<number>
}

export const isWhole = ({ hidden, chosen, questions }: QuestionView): boolean =>
  hidden.size === 0 && chosen === undefined && questions === undefined

/** Identifies a view: two views with the same name show the same questions. */
export const viewName = ({ hidden, chosen, questions }: QuestionView): string =>
  [[...hidden].sort((a, b) => a - b).join(','), chosen?.join(',') ?? 'all', ...(questions ? [questions] : [])].join('/')

/** The visible part of a key map, in its order. If only some repeated questions of an enumerator were chosen, only those. */
export function visiblePart(keyMap: KeyMap, { hidden, chosen }: Omit<QuestionView, 'questions'>): KeyMap {
  const wanted = chosen === undefined ? undefined : new Set(chosen)
  const seen = (nodes: readonly KeyNode[], all: boolean): KeyNode[] =>
    nodes.flatMap(node => {
      if (idsOf(node).some(id => hidden.has(id))) return []
      const whole = all || wanted!.has(node.question_id)
      const children = seen(node.children, whole)
      return whole || children.length > 0 ? [{ ...node, children }] : []
    })
  return seen(keyMap, wanted === undefined)
}

/** Questions that share a key are seen or hidden together. */
const idsOf = ({ question_id, also = [] }: KeyNode): number[] => [
  question_id,
  ...also.map(duplicate => duplicate.question_id),
]

/** The part of a version's shape that is visible in its program's key map, matched by key, because that is what exports show. */
export function visibleShape(shape: KeyMap, seen: KeyMap): KeyMap {
  const byKey = new Map(seen.map(node => [node.question_key, node]))
  return shape.flatMap(node => {
    const shown = byKey.get(node.question_key)
    return shown === undefined ? [] : [{ ...node, children: visibleShape(node.children, shown.children) }]
  })
}

/**
 * The names of questions in `fields`: a question's key, preceded by those of the enumerators it is repeated under, separated by dots. Keys contain no
 * dot.
 */
export function fieldNames(keyMap: KeyMap, within = ''): string[] {
  return keyMap.flatMap(({ question_key, children }) => {
    const name = `${within}${question_key}`
    return [name, ...fieldNames(children, `${name}.`)]
  })
}

export interface FoundFields {
  /** Ascending IDs, without questions under another one that was named. */
  chosen: number[]
  unknown: string[]
}

/** Finds the questions with these names. */
export function findFields(keyMap: KeyMap, names: readonly string[]): FoundFields {
  const chosen = new Set<number>()
  const unknown: string[] = []
  for (const name of names) {
    const path = pathTo(keyMap, name.split('.'))
    if (path === undefined) unknown.push(name)
    else chosen.add(path.at(-1)!.question_id)
  }
  const implied = (nodes: readonly KeyNode[], under: boolean): void => {
    for (const { question_id, children } of nodes) {
      if (under) chosen.delete(question_id)
      implied(children, under || chosen.has(question_id))
    }
  }
  implied(keyMap, false)
  return { chosen: [...chosen].sort((a, b) => a - b), unknown }
}

function pathTo(keyMap: KeyMap, keys: readonly string[]): KeyNode[] | undefined {
  const path: KeyNode[] = []
  let among: readonly KeyNode[] = keyMap
  for (const key of keys) {
    const node = among.find(({ question_key }) => question_key === key)
    if (node === undefined) return undefined
    path.push(node)
    among = node.children
  }
  return path
}

/** The names in `fields` for the questions with these IDs, in key map order. */
export function namesOfFields(keyMap: KeyMap, chosen: readonly number[]): string[] {
  const wanted = new Set(chosen)
  const named = (nodes: readonly KeyNode[], within: string): string[] =>
    nodes.flatMap(({ question_id, question_key, children }) => {
      const name = `${within}${question_key}`
      return wanted.has(question_id) ? [name] : named(children, `${name}.`)
    })
  return named(keyMap, '')
}
