// A view of a program's questions: the part that a reader sees. Administrators hide questions from an API key; clients choose from the rest
// for a walk.
//
// The key map and the shapes are cut to the visible part, after which formats, schemas, docs and errors behave as if the program had never
// asked the rest. So hidden questions look like questions that do not exist.

import type { KeyMap, KeyNode } from './key-map.ts'

/** The questions that a client selects with `fields` and `questions`. */
export interface QuestionChoice {
  /** Ids of the questions that were chosen, with all that is repeated under them; undefined when nothing was, and all are seen. */
  chosen?: readonly number[] | undefined
  /** `current`: only the questions of the newest version (contract D58). */
  questions?: 'current' | undefined
}

export interface QuestionView extends QuestionChoice {
  /** Ids of questions that are not seen, and neither is what is repeated under them. */
  hidden: ReadonlySet<number>
}

export const isWhole = ({ hidden, chosen, questions }: QuestionView): boolean =>
  hidden.size === 0 && chosen === undefined && questions === undefined

/** Names a view: two of one name show the same. */
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

/** The part of a version's shape that is visible in its program's key map. Matched by key, which is what an export shows. */
export function visibleShape(shape: KeyMap, seen: KeyMap): KeyMap {
  const byKey = new Map(seen.map(node => [node.question_key, node]))
  return shape.flatMap(node => {
    const shown = byKey.get(node.question_key)
    return shown === undefined ? [] : [{ ...node, children: visibleShape(node.children, shown.children) }]
  })
}

/** How `fields` names a question: its key, after those of the enumerators it is repeated under, with dots between. Keys have no dot. */
export function fieldNames(keyMap: KeyMap, within = ''): string[] {
  return keyMap.flatMap(({ question_key, children }) => {
    const name = `${within}${question_key}`
    return [name, ...fieldNames(children, `${name}.`)]
  })
}

export interface FoundFields {
  /** Ids, ascending; what lies under another that was named is not among them. */
  chosen: number[]
  unknown: string[]
}

/** The questions that these names mean. */
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

/** The names that `fields` would have for the questions with these IDs, in key map order. */
export function namesOfFields(keyMap: KeyMap, chosen: readonly number[]): string[] {
  const wanted = new Set(chosen)
  const named = (nodes: readonly KeyNode[], within: string): string[] =>
    nodes.flatMap(({ question_id, question_key, children }) => {
      const name = `${within}${question_key}`
      return wanted.has(question_id) ? [name] : named(children, `${name}.`)
    })
  return named(keyMap, '')
}
