// Converts question objects of an export, parsed by JSON.parse, to answers and readable lines.

import { FieldReader } from '../fields/field-reader.ts'
import type { AnswerLine } from '../fields/question-type.ts'
import type { Answer, Answers } from '../questions/answers.ts'
import { plainType } from '../questions/question.ts'
import type { PlacedQuestion } from './placed-questions.ts'

export type ExportedObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is ExportedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The question object with a key, which may be `__proto__`, so only own members count. Undefined if missing. */
export function questionObject(object: ExportedObject, key: string): ExportedObject | undefined {
  const found = Object.hasOwn(object, key) ? object[key] : undefined
  return isObject(found) ? found : undefined
}

/** The entities in an ENUMERATOR's question object. */
export const entitiesOf = (object: ExportedObject | undefined): readonly ExportedObject[] =>
  Array.isArray(object?.entities) ? object.entities.filter(isObject) : []

export const nameOf = (entity: ExportedObject): string => String(entity.entity_name)

/** Whether every field of a question object is null or an empty list, or no such object exists. */
export const isUnanswered = (object: ExportedObject | undefined): boolean =>
  object === undefined ||
  Object.entries(object).every(
    ([name, value]) => name === 'question_type' || value === null || (Array.isArray(value) && value.length === 0),
  )

/** Whether two values are the same JSON, ignoring the order of members, which depends on the version. */
export function isSame(value: unknown, other: unknown): boolean {
  if (Array.isArray(value))
    return Array.isArray(other) && value.length === other.length && value.every((item, i) => isSame(item, other[i]))
  if (!isObject(value) || !isObject(other)) return value === other
  const names = Object.keys(value)
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && isSame(value[name], other[name]))
  )
}

/** The answer in a question object; undefined if it is unanswered or in an unknown form. */
export function readAnswer(placed: PlacedQuestion, object: ExportedObject | undefined): Answer | undefined {
  if (object === undefined || isUnanswered(object)) return undefined
  if (placed.type === 'ENUMERATOR') {
    const entities = entitiesOf(object).map(entity => ({
      entity_name: nameOf(entity),
      answers: readAnswers(placed.repeated, entity),
    }))
    return { type: 'ENUMERATOR', entities }
  }
  const fields = new ExportedFields(object)
  // Every ID that ever was an option counts as one; which ones exist now doesn't matter here.
  const optionIds = new Set([object.selection, object.selections].flat().filter(id => typeof id === 'string'))
  return plainType(placed.type).read(fields, { settings: {}, optionIds, stage: 'older' })
}

/** The answers in an object of question objects, by key. */
export function readAnswers(questions: readonly PlacedQuestion[], object: ExportedObject): Answers {
  const answers = new Map<string, Answer>()
  for (const placed of questions) {
    const key = placed.question.question_key
    const answer = readAnswer(placed, questionObject(object, key))
    if (answer !== undefined) answers.set(key, answer)
  }
  return answers
}

/** The lines of an answer to any question but an ENUMERATOR; none if unanswered. An unknown form is shown as exported. */
export function linesOf(placed: PlacedQuestion, object: ExportedObject | undefined): readonly AnswerLine[] {
  if (object === undefined || isUnanswered(object)) return []
  const answer = readAnswer(placed, object)
  if (answer === undefined || answer.type === 'ENUMERATOR') return [{ text: JSON.stringify(object), look: 'code' }]
  const texts = new Map((placed.question.settings.options ?? []).map(option => [option.admin_id, option.text]))
  return plainType(answer.type).lines(answer, id => texts.get(id) ?? id)
}

class ExportedFields extends FieldReader {
  #faulty = false

  constructor(private readonly object: ExportedObject) {
    super()
  }

  override raw(name: string): unknown {
    return Object.hasOwn(this.object, name) ? (this.object[name] ?? null) : null
  }

  override error(): undefined {
    this.#faulty = true
  }

  override get full(): boolean {
    return this.#faulty
  }
}
