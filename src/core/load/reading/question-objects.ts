// Parses question objects in the export's format to answers, the reverse of `renderMembers`.
// It does not check limits, which older answers can violate (spec, NUMBER, ID, TEXT).

import { FieldReader, textError } from '../../../domain/fields/field-reader.ts'
import { type AnswerRules, isList } from '../../../domain/fields/question-type.ts'
import type { Answer, Answers, Entity } from '../../../domain/questions/answers.ts'
import type { KeyNode } from '../../../domain/questions/key-map.ts'
import { plainType, questionTypes } from '../../../domain/questions/question.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../domain/values/json-text.ts'
import { describeValue, type ErrorFinder } from './document-errors.ts'

/** The questions that one object may have: those of its version, and those of other versions. */
export interface KnownMembers {
  asked: readonly KnownQuestion[]
  askedKeys: ReadonlySet<string>
  /** Questions of other versions, by key, which may only occur unanswered. */
  others: ReadonlyMap<string, KnownQuestion>
}

interface KnownQuestion {
  key: string
  node: KeyNode
  /** The fields of its answers, and whether each is a list. */
  fields: readonly { name: string; list: boolean }[]
  /** Without bounds, and with every option ID ever selectable in the program. */
  rules: AnswerRules
  children: KnownMembers
}

const noMembers: KnownMembers = { asked: [], askedKeys: new Set(), others: new Map() }

/** What to expect in applications of a version with this shape, in a program with this key map. */
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
 * The answers in an object of question objects. A missing key counts as unanswered; a key of another version must be unanswered; any other key is an
 * error. `besides` lists the object's other members.
 */
export function readMembers(
  object: JsonObject,
  members: KnownMembers,
  find: ErrorFinder,
  besides: readonly string[],
): Answers {
  const answers = new Map<string, Answer>()
  let seen = 0
  for (const question of members.asked) {
    const value = object.get(question.key)
    if (value === undefined) continue
    seen++
    find.enter(question.key)
    const answer = readQuestion(question, value, find)
    find.leave()
    if (answer !== undefined) answers.set(question.key, answer)
  }
  if (object.size > seen + besides.length) refuseOthers(object, members, find, besides)
  return answers
}

function refuseOthers(object: JsonObject, members: KnownMembers, find: ErrorFinder, besides: readonly string[]): void {
  for (const [key, value] of object) {
    if (members.askedKeys.has(key) || besides.includes(key)) continue
    const question = members.others.get(key)
    if (question === undefined) {
      find.add('unknown_key', `is not the key of a question that the program has published here: "${key}"`, key)
      continue
    }
    find.enter(key)
    if (readQuestion(question, value, find) !== undefined)
      find.add('not_in_version', 'is answered, but this application’s program version does not ask it')
    find.leave()
  }
}

/** The answer in a question object; undefined if it is unanswered, or invalid (after noting the error). */
function readQuestion(question: KnownQuestion, value: Json, find: ErrorFinder): Answer | undefined {
  if (!isJsonObject(value)) {
    find.add('not_an_object', `must be a question object, but is ${describeValue(value)}`)
    return undefined
  }
  const { type } = question.node
  const given = value.get('question_type')
  if (given !== type) {
    find.add('wrong_question_type', `must be ${type}, but is ${describeValue(given)}`, 'question_type')
    return undefined
  }
  if (isUnanswered(question, value, find)) return undefined
  if (type === 'ENUMERATOR') return readEntities(question, value.get('entities'), find)
  return plainType(type).read(new ObjectFields(value, find), question.rules)
}

/** Whether it equals the export's unanswered form, possibly with omitted fields. Reports fields that the type does not have. */
function isUnanswered({ node, fields }: KnownQuestion, object: JsonObject, find: ErrorFinder): boolean {
  let present = 1
  let filled = false
  for (const { name, list } of fields) {
    const value = object.get(name)
    if (value === undefined) continue
    present++
    if (value !== null && !(list && isJsonArray(value) && value.length === 0)) filled = true
  }
  if (object.size > present) {
    const known = ['question_type', ...fields.map(({ name }) => name), ...(questionTypes[node.type].hints ?? [])]
    for (const key of object.keys())
      if (!known.includes(key)) find.add('unknown_field', 'is not a field of this question type', key)
  }
  return !filled
}

function readEntities(question: KnownQuestion, values: Json | undefined, find: ErrorFinder): Answer | undefined {
  if (!isJsonArray(values)) {
    find.add('wrong_type', `must be an array of entities, but is ${describeValue(values)}`, 'entities')
    return undefined
  }
  const entities: Entity[] = []
  find.enter('entities')
  for (let i = 0; i < values.length && !find.full; i++) {
    const value = values[i]!
    find.enter(i)
    const entity = isJsonObject(value) ? readEntity(question, value, find) : undefined
    if (entity !== undefined) entities.push(entity)
    else if (!isJsonObject(value)) find.add('not_an_object', `must be an entity object, but is ${describeValue(value)}`)
    find.leave()
  }
  find.leave()
  return { type: 'ENUMERATOR', entities }
}

function readEntity(question: KnownQuestion, value: JsonObject, find: ErrorFinder): Entity | undefined {
  const entity_name = value.get('entity_name')
  const error = textError(entity_name)
  if (error === undefined)
    return { entity_name: entity_name as string, answers: readMembers(value, question.children, find, entityFields) }
  find.add(error[0], `must be a non-empty string, but is ${describeValue(entity_name)}`, 'entity_name')
  return undefined
}

const entityFields = ['entity_name'] as const

class ObjectFields extends FieldReader {
  constructor(
    private readonly object: JsonObject,
    private readonly find: ErrorFinder,
  ) {
    super()
  }

  override raw(name: string): Json {
    return this.object.get(name) ?? null
  }

  /** Errors contain the value, which is the operator's own data: correcting a file of a million lines requires it. */
  override error(name: string, code: string, detail: string, item?: number): undefined {
    const value = this.raw(name)
    const described = describeValue(item === undefined ? value : (value as readonly Json[])[item])
    this.find.add(code, `${detail.charAt(0).toLowerCase()}${detail.slice(1, -1)} (is ${described})`, name, item)
    return undefined
  }

  override get full(): boolean {
    return this.find.full
  }
}
