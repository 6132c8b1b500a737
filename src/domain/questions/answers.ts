// Validated answers and their JSON in exports. Intake validates them.

import { type KeyNode, unansweredForm } from './key-map.ts'
import { type PlainAnswer, plainType } from './question.ts'

/** A checked answer to one question. Unanswered questions have no Answer. Fields are named as in exports. */
export type Answer = PlainAnswer | { type: 'ENUMERATOR'; entities: readonly Entity[] }

/** Answers by question key. A Map, so that a key such as `__proto__` needs no special care. */
export type Answers = ReadonlyMap<string, Answer>

/** An entity of an enumerator: its name and the answers to the questions repeated for it. */
export interface Entity {
  entity_name: string
  answers: Answers
}

/**
 * The character that starts a marker in stored text. JSON text never holds a raw control character, so it cannot
 * occur in an answer. A marker is this byte, the enumerator's question id in decimal digits, and `markerEnd`.
 */
export const markerStart = '\u0001'
export const markerEnd = '\u0002'

/** The text that ends each entity: a marker in stored text, nothing in plain JSON. */
export type EntityEnd = (enumerator: KeyNode) => string
export const noEntityEnd: EntityEnd = () => ''
export const markedEntityEnd: EntityEnd = enumerator => `${markerStart}${enumerator.question_id}${markerEnd}`

/**
 * `"key":{…}` for every node of a version's shape, answered or not, joined by commas. Answers whose key is not in the shape must have been rejected
 * before.
 */
export function renderMembers(shape: readonly KeyNode[], answers: Answers, entityEnd: EntityEnd): string {
  // Collected and joined once: a string grown by `+` must be flattened in the end, which takes a quarter longer.
  const pieces: string[] = []
  pushMembers(pieces, shape, answers, entityEnd)
  return pieces.join('')
}

function pushMembers(pieces: string[], shape: readonly KeyNode[], answers: Answers, entityEnd: EntityEnd): void {
  const names = memberNames(shape)
  for (let i = 0; i < shape.length; i++) {
    const node = shape[i]!
    const answer = answers.get(node.question_key)
    pieces.push(names[i]!)
    if (answer === undefined) pieces.push(unansweredForm(node))
    else pushAnswer(pieces, node, answer, entityEnd)
  }
}

const namesOfShapes = new WeakMap<readonly KeyNode[], readonly string[]>()

/** `"key":` of each node with the comma before it, built once because a shape is rendered for every application of its version. */
function memberNames(shape: readonly KeyNode[]): readonly string[] {
  let names = namesOfShapes.get(shape)
  if (names === undefined) {
    names = shape.map(({ question_key }, i) => `${i > 0 ? ',' : ''}${JSON.stringify(question_key)}:`)
    namesOfShapes.set(shape, names)
  }
  return names
}

/** The question object of an answered question as JSON text, with its fields in a fixed order. Source: spec, "Question objects". */
export function renderAnswer(node: KeyNode, answer: Answer, entityEnd: EntityEnd): string {
  const pieces: string[] = []
  pushAnswer(pieces, node, answer, entityEnd)
  return pieces.join('')
}

function pushAnswer(pieces: string[], node: KeyNode, answer: Answer, entityEnd: EntityEnd): void {
  if (answer.type !== 'ENUMERATOR') {
    pieces.push(plainType(answer.type).text(answer))
    return
  }
  pieces.push('{"question_type":"ENUMERATOR","entities":[')
  for (let i = 0; i < answer.entities.length; i++) {
    if (i > 0) pieces.push(',')
    pushEntity(pieces, node, answer.entities[i]!, entityEnd)
  }
  pieces.push(']}')
}

function pushEntity(pieces: string[], enumerator: KeyNode, entity: Entity, entityEnd: EntityEnd): void {
  pieces.push('{"entity_name":', JSON.stringify(entity.entity_name))
  if (enumerator.children.length > 0) pieces.push(',')
  pushMembers(pieces, enumerator.children, entity.answers, entityEnd)
  pieces.push(entityEnd(enumerator), '}')
}
