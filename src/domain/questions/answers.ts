// What an answer is once it has been checked, and its JSON in an export.
// It must not know where answers come from; checking them is intake's affair.

import { type KeyNode, nullForm } from './key-map.ts'
import type { ExportedType } from './question.ts'

/** Results of address correction. Source: spec, ADDRESS, `corrected`. */
export const correctedStates = ['Corrected', 'Failed', 'AsEnteredByUser'] as const
export type CorrectedState = (typeof correctedStates)[number]

/** A checked answer to one question; unanswered questions have no Answer at all. Field names are the export's. */
export type Answer =
  | {
      type: 'ADDRESS'
      street: string
      line2: string | null
      city: string
      state: string
      zip: string
      corrected: CorrectedState | null
      latitude: string | null
      longitude: string | null
      well_known_id: string | null
      service_area: string | null
    }
  /** Whole cents, a safe integer (D18). */
  | { type: 'CURRENCY'; currency_cents: number }
  /** `YYYY-MM-DD`. */
  | { type: 'DATE'; date: string }
  | { type: 'EMAIL'; email: string }
  | { type: 'ENUMERATOR'; entities: readonly Entity[] }
  | { type: 'FILE_UPLOAD'; file_urls: readonly string[] }
  | { type: 'ID'; id: string }
  | { type: 'MAP'; selections: readonly string[] }
  | { type: 'MULTI_SELECT'; selections: readonly string[] }
  | { type: 'NAME'; first_name: string; middle_name: string | null; last_name: string; suffix: string | null }
  /** An integer within ±(2^53 − 1) (D19). */
  | { type: 'NUMBER'; number: number }
  /** E.164. */
  | { type: 'PHONE'; phone_number: string }
  | { type: 'SINGLE_SELECT'; selection: string }
  | { type: 'TEXT'; text: string }

/** Answers by question key. A Map, so that a key such as `__proto__` is a key like any other. */
export type Answers = ReadonlyMap<string, Answer>

/** One item of an enumerator: its name and the answers to the questions repeated for it. */
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

/** What stands at the end of each entity: a marker in stored text, nothing in plain JSON. */
export type EntityEnd = (enumerator: KeyNode) => string
export const noEntityEnd: EntityEnd = () => ''
export const markedEntityEnd: EntityEnd = enumerator => `${markerStart}${enumerator.question_id}${markerEnd}`

/**
 * `"key":{…}` for every node of a version's shape, answered or not, joined by commas.
 * Answers whose key is not in the shape must have been refused before.
 */
export function renderMembers(shape: readonly KeyNode[], answers: Answers, entityEnd: EntityEnd): string {
  // Gathered and joined once: a string grown by `+` has to be flattened in the end, which takes a quarter longer.
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
    if (answer === undefined) pieces.push(nullForm(node.type))
    else pushAnswer(pieces, node, answer, entityEnd)
  }
}

const namesOfShapes = new WeakMap<readonly KeyNode[], readonly string[]>()

/** `"key":` of each node, with the comma before it: made once, since a shape is rendered for every application of its version. */
function memberNames(shape: readonly KeyNode[]): readonly string[] {
  let names = namesOfShapes.get(shape)
  if (names === undefined) {
    names = shape.map(({ question_key }, i) => `${i > 0 ? ',' : ''}${JSON.stringify(question_key)}:`)
    namesOfShapes.set(shape, names)
  }
  return names
}

/**
 * The question object of an answered question, as JSON text, its fields in one order however the answer was made.
 * Source: spec, "Question objects".
 */
export function renderAnswer(node: KeyNode, answer: Answer, entityEnd: EntityEnd): string {
  const pieces: string[] = []
  pushAnswer(pieces, node, answer, entityEnd)
  return pieces.join('')
}

function pushAnswer(pieces: string[], node: KeyNode, answer: Answer, entityEnd: EntityEnd): void {
  if (answer.type !== 'ENUMERATOR') {
    pieces.push(questionObject(answer))
    return
  }
  pieces.push('{"question_type":"ENUMERATOR","entities":[')
  for (let i = 0; i < answer.entities.length; i++) {
    if (i > 0) pieces.push(',')
    pushEntity(pieces, node, answer.entities[i]!, entityEnd)
  }
  pieces.push(']}')
}

/** Written out as text, type by type: to make an object and stringify that takes twice as long, and this is most of what a load renders. */
function questionObject(a: Exclude<Answer, { type: 'ENUMERATOR' }>): string {
  switch (a.type) {
    case 'ADDRESS':
      return (
        `{"question_type":"ADDRESS","street":${json(a.street)},"line2":${json(a.line2)},"city":${json(a.city)},` +
        `"state":${json(a.state)},"zip":${json(a.zip)},"corrected":${json(a.corrected)},"latitude":${json(a.latitude)},` +
        `"longitude":${json(a.longitude)},"well_known_id":${json(a.well_known_id)},"service_area":${json(a.service_area)}}`
      )
    case 'CURRENCY':
      return `{"question_type":"CURRENCY","currency_dollars":${dollars(a.currency_cents)}}`
    case 'DATE':
      return `{"question_type":"DATE","date":${json(a.date)}}`
    case 'EMAIL':
      return `{"question_type":"EMAIL","email":${json(a.email)}}`
    case 'FILE_UPLOAD':
      return `{"question_type":"FILE_UPLOAD","file_key":${json(a.file_urls[0] ?? null)},"file_urls":${json(a.file_urls)}}`
    case 'ID':
      return `{"question_type":"ID","id":${json(a.id)}}`
    case 'MAP':
    case 'MULTI_SELECT':
      return `{"question_type":"${a.type}","selections":${json(a.selections)}}`
    case 'NAME':
      return (
        `{"question_type":"NAME","first_name":${json(a.first_name)},"middle_name":${json(a.middle_name)},` +
        `"last_name":${json(a.last_name)},"suffix":${json(a.suffix)}}`
      )
    case 'NUMBER':
      return `{"question_type":"NUMBER","number":${json(a.number)}}`
    case 'PHONE':
      return `{"question_type":"PHONE","phone_number":${json(a.phone_number)}}`
    case 'SINGLE_SELECT':
      return `{"question_type":"SINGLE_SELECT","selection":${json(a.selection)}}`
    case 'TEXT':
      return `{"question_type":"TEXT","text":${json(a.text)}}`
  }
}

const json = (value: string | number | readonly string[] | null): string =>
  value === null ? 'null' : JSON.stringify(value)

function pushEntity(pieces: string[], enumerator: KeyNode, entity: Entity, entityEnd: EntityEnd): void {
  pieces.push('{"entity_name":', JSON.stringify(entity.entity_name))
  if (enumerator.children.length > 0) pieces.push(',')
  pushMembers(pieces, enumerator.children, entity.answers, entityEnd)
  pieces.push(entityEnd(enumerator), '}')
}

/** Cents as an exact JSON number of dollars: `1250` → `12.5`, `10000` → `100` (D18). */
export function dollars(cents: number): string {
  const whole = Math.trunc(Math.abs(cents) / 100)
  const rest = Math.abs(cents) % 100
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(2, '0').replace(/0$/, '')}`
  return `${cents < 0 ? '-' : ''}${whole}${fraction}`
}

/** Whether an answer is of the type its question exports. */
export function isOfType(answer: Answer, type: ExportedType): boolean {
  return answer.type === type
}
