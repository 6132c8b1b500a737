// Question objects in the export's shape back into answers: what `renderMembers` writes, this reads.
// It does not check bounds, which older answers may violate (spec, NUMBER, ID, TEXT).

import { textError } from '../../domain/fields/field-reader.ts'
import { type AnswerRules, isList } from '../../domain/fields/question-type.ts'
import type { Answer, Answers, Entity } from '../../domain/questions/answers.ts'
import type { KeyNode } from '../../domain/questions/key-map.ts'
import { plainType, questionTypes } from '../../domain/questions/question.ts'
import { describeValue, type ErrorFinder } from './document-errors.ts'
import { isObject, member, ObjectFields, type PlainObject } from './question-fields.ts'

/** The questions that one object may have: those its version asks, and those only other versions do. */
export interface KnownMembers {
  asked: readonly KnownQuestion[]
  askedKeys: ReadonlySet<string>
  /** Of other versions, by key: present only unanswered. */
  others: ReadonlyMap<string, KnownQuestion>
}

interface KnownQuestion {
  key: string
  node: KeyNode
  /** The fields of its answers, and whether each is a list. */
  fields: readonly { name: string; list: boolean }[]
  /** No bounds, and every option id ever selectable in the program. */
  rules: AnswerRules
  children: KnownMembers
}

const noMembers: KnownMembers = { asked: [], askedKeys: new Set(), others: new Map() }

/** What to expect of applications of a version with this shape, in a program with this key map. */
export function knownMembers(keyMap: readonly KeyNode[], shape: readonly KeyNode[]): KnownMembers {
  const own = new Map(shape.map(node => [node.question_id, node]))
  const known = (node: KeyNode, ownNode: KeyNode | undefined): KnownQuestion => ({
    key: node.question_key,
    node,
    fields: Object.entries(questionTypes[node.type].fields).map(([name, { form }]) => ({ name, list: isList(form) })),
    rules: { settings: {}, optionIds: new Set(node.option_ids), stage: 'older' },
    children: node.type === 'ENUMERATOR' ? knownMembers(node.children, ownNode?.children ?? []) : noMembers,
  })
  const asked = keyMap.filter(node => own.has(node.question_id))
  return {
    asked: asked.map(node => known(node, own.get(node.question_id))),
    askedKeys: new Set(asked.map(node => node.question_key)),
    others: new Map(
      keyMap.filter(node => !own.has(node.question_id)).map(node => [node.question_key, known(node, undefined)]),
    ),
  }
}

/**
 * The answers in an object of question objects. A key that is missing counts as unanswered; one that only other versions
 * ask must be unanswered; any other is an error. `besides` names other members that the object has, each one of them.
 */
export function readMembers(
  object: PlainObject,
  members: KnownMembers,
  find: ErrorFinder,
  besides: readonly string[],
): Answers {
  const answers = new Map<string, Answer>()
  let seen = 0
  for (const question of members.asked) {
    const value = member(object, question.key)
    if (value === undefined) continue
    seen++
    find.enter(question.key)
    const answer = readQuestion(question, value, find)
    find.leave()
    if (answer !== undefined) answers.set(question.key, answer)
  }
  const keys = Object.keys(object)
  if (keys.length > seen + besides.length) refuseOthers(object, keys, members, find, besides)
  return answers
}

function refuseOthers(
  object: PlainObject,
  keys: string[],
  members: KnownMembers,
  find: ErrorFinder,
  besides: readonly string[],
): void {
  for (const key of keys) {
    if (members.askedKeys.has(key) || besides.includes(key)) continue
    const question = members.others.get(key)
    if (question === undefined) {
      find.add('unknown_key', `no published version of the program has a question with the key "${key}" here`, key)
      continue
    }
    find.enter(key)
    if (readQuestion(question, object[key], find) !== undefined)
      find.add('not_in_version', 'is answered, but the program version of this application did not ask it')
    find.leave()
  }
}

/** The answer in a question object; undefined when it is unanswered, or faulty (which is then noted). */
function readQuestion(question: KnownQuestion, value: unknown, find: ErrorFinder): Answer | undefined {
  if (!isObject(value)) {
    find.add('not_an_object', `must be a question object, and is ${describeValue(value)}`)
    return undefined
  }
  const { type } = question.node
  if (value.question_type !== type) {
    find.add('wrong_question_type', `must be ${type}, and is ${describeValue(value.question_type)}`, 'question_type')
    return undefined
  }
  if (isUnanswered(question, value, find)) return undefined
  if (type === 'ENUMERATOR') return readEntities(question, value.entities, find)
  return plainType(type).read(new ObjectFields(value, find), question.rules)
}

/** As in the export's own unanswered forms, or with fields left out. Refuses the fields that the type does not have. */
function isUnanswered({ node, fields }: KnownQuestion, object: PlainObject, find: ErrorFinder): boolean {
  let present = 1
  let filled = false
  for (let i = 0; i < fields.length; i++) {
    const { name, list } = fields[i]!
    const value = object[name]
    if (value === undefined) continue
    present++
    if (value !== null && !(list && Array.isArray(value) && value.length === 0)) filled = true
  }
  const keys = Object.keys(object)
  if (keys.length > present) {
    const known = ['question_type', ...fields.map(({ name }) => name), ...(questionTypes[node.type].hints ?? [])]
    for (const key of keys)
      if (!known.includes(key)) find.add('unknown_field', 'is not a field of this question type', key)
  }
  return !filled
}

function readEntities(question: KnownQuestion, values: unknown, find: ErrorFinder): Answer | undefined {
  if (!Array.isArray(values)) {
    find.add('wrong_type', `must be an array of entities (is ${describeValue(values)})`, 'entities')
    return undefined
  }
  const entities: Entity[] = []
  find.enter('entities')
  for (let i = 0; i < values.length && !find.full; i++) {
    const value: unknown = values[i]
    find.enter(i)
    const entity = isObject(value) ? readEntity(question, value, find) : undefined
    if (entity !== undefined) entities.push(entity)
    else if (!isObject(value)) find.add('not_an_object', `must be an entity object, and is ${describeValue(value)}`)
    find.leave()
  }
  find.leave()
  return { type: 'ENUMERATOR', entities }
}

function readEntity(question: KnownQuestion, value: PlainObject, find: ErrorFinder): Entity | undefined {
  const { entity_name } = value
  const error = textError(entity_name)
  if (error === undefined)
    return { entity_name: entity_name as string, answers: readMembers(value, question.children, find, entityFields) }
  find.add(error[0], `must be a text that is not empty (is ${describeValue(entity_name)})`, 'entity_name')
  return undefined
}

const entityFields = ['entity_name'] as const
