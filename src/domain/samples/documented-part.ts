// Selects the part of a program that its docs show: everything, up to a limit on the size of the docs. Pure.

import { answerFields } from '../questions/answer-schema.ts'
import type { KeyMap, KeyNode } from '../questions/key-map.ts'

/**
 * Maximum size of one version's questions in its docs, in approximate characters: each field with its path, each option with its text. Some 2,000
 * ordinary questions, or 25,000 options. Example, schema, OpenAPI and page are each a few times that at most.
 */
const documentedCharactersMax = 4_000_000
/** Maximum number of characters that docs show of the text of a question, option or change. */
export const questionTextMax = 500
export const optionTextMax = 100

interface DocumentedPart {
  keyMap: KeyMap
  /** The numbers of omitted questions and options. */
  left_out: { questions: number; options: number }
}

/**
 * The part of a key map that is documented: first the questions of the version, then those of earlier versions, in their order, and no enumerators
 * nested deeper than `depthMax`; then their options, with a share of the space for each question. Omitted questions remain valid in every schema
 * generated from the rest, in which an unknown member must be a question object.
 */
export function documentedPart(keyMap: KeyMap, asked: ReadonlySet<number>, depthMax: number): DocumentedPart {
  const shown = new Set<number>()
  const choosing: KeyNode[] = []
  let room = documentedCharactersMax
  const take = (nodes: KeyMap, pathLength: number, depth: number, isAsked: boolean): void => {
    for (const node of nodes) {
      if (node.type === 'ENUMERATOR' && depth >= depthMax) continue
      const path = pathLength + node.question_key.length + '.entities[<index>]'.length
      if (!shown.has(node.question_id) && asked.has(node.question_id) === isAsked) {
        const cost = fieldsOf(node) * (path + 100) + questionTextMax
        if (cost > room) continue
        room -= cost
        shown.add(node.question_id)
        if (node.option_ids.length > 0) choosing.push(node)
      }
      if (shown.has(node.question_id)) take(node.children, path, depth + 1, isAsked)
    }
  }
  take(keyMap, 'application'.length, 0, true)
  take(keyMap, 'application'.length, 0, false)

  const optionsShown = new Map<number, number>()
  for (const [i, node] of choosing.entries()) {
    const { count, cost } = optionsWithin(node, room / (choosing.length - i))
    optionsShown.set(node.question_id, count)
    room -= cost
  }
  const keep = (nodes: KeyMap): KeyNode[] =>
    nodes
      .filter(node => shown.has(node.question_id))
      .map(node => ({
        ...node,
        option_ids: node.option_ids.slice(0, optionsShown.get(node.question_id) ?? 0),
        children: keep(node.children),
      }))
  const kept = keep(keyMap)
  const [all, part] = [countOf(keyMap), countOf(kept)]
  return {
    keyMap: kept,
    left_out: { questions: all.questions - part.questions, options: all.options - part.options },
  }
}

const fieldsOf = (node: KeyNode): number =>
  Object.keys(answerFields({ ...node, option_ids: [], children: [] }, { definitionsAt: '#/$defs/' })).length + 1

/** How many of a question's options fit, and their size. */
function optionsWithin(node: KeyNode, room: number): { count: number; cost: number } {
  let [count, cost] = [0, 0]
  for (const id of node.option_ids) {
    const more = id.length + optionTextMax + 40
    if (cost + more > room) break
    count++
    cost += more
  }
  return { count, cost }
}

/** Without recursion, because the tree may be deeper than docs show. */
function countOf(keyMap: KeyMap): { questions: number; options: number } {
  const waiting = [...keyMap]
  let [questions, options] = [0, 0]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    questions++
    options += node.option_ids.length
    for (const child of node.children) waiting.push(child)
  }
  return { questions, options }
}

/** At most this many characters, with an ellipsis if something is missing; never half a surrogate pair. */
export function shortened(text: string, charactersMax: number): string {
  return text.length <= charactersMax
    ? text
    : `${text
        .slice(0, charactersMax - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}
