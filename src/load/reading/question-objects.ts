// Question objects in the export's shape back into answers: what `renderMembers` writes, this reads.
// It must not know bounds, which older answers may violate (spec, NUMBER, ID, TEXT), nor the rest of the application object.

import {
  coordinatePattern,
  idPattern,
  isCalendarDate,
  nameSuffixes,
  phonePattern,
  serviceAreaPattern,
  stateCodes,
  zipPattern,
} from '../../domain/questions/answer-formats.ts'
import {
  type Answer,
  type Answers,
  type CorrectedState,
  correctedStates,
  type Entity,
} from '../../domain/questions/answers.ts'
import type { KeyNode } from '../../domain/questions/key-map.ts'
import { exactCents, exactInteger } from '../../domain/values/exact-number.ts'
import { JsonNumber } from '../../domain/values/json-text.ts'
import { describeValue, type FaultFinder } from './document-faults.ts'
import { FieldReader, isObject, type JsonObject, member } from './question-fields.ts'

/** The questions that may stand in one object: those its version asks, and those only other versions do. */
export interface KnownMembers {
  asked: readonly KnownQuestion[]
  askedKeys: ReadonlySet<string>
  /** Of other versions, by key: present only unanswered. */
  others: ReadonlyMap<string, KnownQuestion>
}

export interface KnownQuestion {
  key: string
  node: KeyNode
  /** Every option id ever selectable in the program. */
  optionIds: ReadonlySet<string>
  children: KnownMembers
}

const noMembers: KnownMembers = { asked: [], askedKeys: new Set(), others: new Map() }

/** What to expect of applications of a version with this shape, in a program with this key map. */
export function knownMembers(keyMap: readonly KeyNode[], shape: readonly KeyNode[]): KnownMembers {
  const own = new Map(shape.map(node => [node.question_id, node]))
  const known = (node: KeyNode, ownNode: KeyNode | undefined): KnownQuestion => ({
    key: node.question_key,
    node,
    optionIds: new Set(node.option_ids),
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
 * ask must be unanswered; any other is a fault. `besides` names other members that the object has, each one of them.
 */
export function readMembers(
  object: JsonObject,
  members: KnownMembers,
  find: FaultFinder,
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
  object: JsonObject,
  keys: string[],
  members: KnownMembers,
  find: FaultFinder,
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
function readQuestion(question: KnownQuestion, value: unknown, find: FaultFinder): Answer | undefined {
  if (!isObject(value)) {
    find.add('not_an_object', `must be a question object, and is ${describeValue(value)}`)
    return undefined
  }
  const { type } = question.node
  if (value.question_type !== type) {
    find.add('wrong_question_type', `must be ${type}, and is ${describeValue(value.question_type)}`, 'question_type')
    return undefined
  }
  const read = new FieldReader(value, find)
  const answer = readAnswer(question, read, find)
  read.refuseRest(type)
  return answer
}

function readAnswer(question: KnownQuestion, read: FieldReader, find: FaultFinder): Answer | undefined {
  const { type } = question.node
  switch (type) {
    case 'ADDRESS':
      return readAddress(read, find)
    case 'CURRENCY': {
      const value = read.number('currency_dollars')
      if (value === null) return undefined
      const cents = wholeCents(value)
      if (cents !== undefined) return { type, currency_cents: cents }
      find.add('wrong_format', `must be an amount in whole cents, and is ${describeValue(value)}`, 'currency_dollars')
      return undefined
    }
    case 'DATE': {
      const date = read.formatted('date', isCalendarDate, 'a date as YYYY-MM-DD')
      return date === null ? undefined : { type, date }
    }
    case 'EMAIL': {
      const email = read.text('email')
      return email === null ? undefined : { type, email }
    }
    case 'ENUMERATOR':
      return readEntities(question, read, find)
    case 'FILE_UPLOAD': {
      const faultsBefore = find.faults.length
      const fileKey = read.text('file_key')
      const file_urls = read.texts('file_urls')
      if (find.faults.length === faultsBefore && fileKey !== (file_urls[0] ?? null))
        find.add('wrong_file_key', 'must be the first of file_urls, or null when there is none', 'file_key')
      return file_urls.length === 0 ? undefined : { type, file_urls }
    }
    case 'ID': {
      const id = read.formatted('id', isId, 'digits only')
      return id === null ? undefined : { type, id }
    }
    case 'MAP':
    case 'MULTI_SELECT': {
      const selections = read.texts('selections')
      for (const selection of selections) refuseUnknownOption(question, selection, 'selections', find)
      if (selections.length > 1 && new Set(selections).size !== selections.length)
        find.add('duplicate_selection', 'must not hold one option twice', 'selections')
      return selections.length === 0 ? undefined : { type, selections }
    }
    case 'NAME':
      return readName(read, find)
    case 'NUMBER': {
      const value = read.number('number')
      if (value === null) return undefined
      const number = integer(value)
      if (number !== undefined) return { type, number }
      find.add(
        'wrong_format',
        `must be a whole number from -9007199254740991 to 9007199254740991, and is ${describeValue(value)}`,
        'number',
      )
      return undefined
    }
    case 'PHONE': {
      const phone_number = read.formatted('phone_number', isPhone, 'in E.164 format, such as +12065550143')
      return phone_number === null ? undefined : { type, phone_number }
    }
    case 'SINGLE_SELECT': {
      const selection = read.text('selection')
      if (selection === null) return undefined
      refuseUnknownOption(question, selection, 'selection', find)
      return { type, selection }
    }
    case 'TEXT': {
      const text = read.text('text')
      return text === null ? undefined : { type, text }
    }
    default:
      // Without this line a type that is missing above would be read as unanswered, and its answers lost.
      throw new Error(`no reader for answers of type ${type satisfies never}`)
  }
}

function refuseUnknownOption(question: KnownQuestion, optionId: string, field: string, find: FaultFinder): void {
  if (question.optionIds.has(optionId)) return
  find.add('unknown_option', `has ${describeValue(optionId)}, which was never an option of this question`, field)
}

/** Source: spec, ADDRESS: "if any of `street`, `line2`, `city`, `state`, `zip` is provided, all of them except `line2` are required". */
function readAddress(read: FieldReader, find: FaultFinder): Answer | undefined {
  const faultsBefore = find.faults.length
  const street = read.text('street')
  const line2 = read.text('line2')
  const city = read.text('city')
  const state = read.formatted('state', isState, 'a two-letter USPS code')
  const zip = read.formatted('zip', isZip, '5 digits, or 5 digits, a dash and 4 digits')
  const corrected = read.formatted('corrected', isCorrectedState, correctedStatesText) as CorrectedState | null
  const latitude = read.formatted('latitude', isCoordinate, 'a signed floating-point number')
  const longitude = read.formatted('longitude', isCoordinate, 'a signed floating-point number')
  const well_known_id = read.text('well_known_id')
  const service_area = read.formatted('service_area', isServiceArea, 'a list of <name>_<state>_<timestamp>')
  if (find.faults.length > faultsBefore) return undefined
  if (street === null && line2 === null && city === null && state === null && zip === null) {
    if (
      corrected !== null ||
      latitude !== null ||
      longitude !== null ||
      well_known_id !== null ||
      service_area !== null
    )
      find.add('incomplete', 'has a result of address correction without an address')
    return undefined
  }
  if (street === null || city === null || state === null || zip === null) {
    find.add('incomplete', 'must have street, city, state and zip when it has any of them or line2')
    return undefined
  }
  return {
    type: 'ADDRESS',
    street,
    line2,
    city,
    state,
    zip,
    corrected,
    latitude,
    longitude,
    well_known_id,
    service_area,
  }
}

const isId = (text: string): boolean => idPattern.test(text)
const isPhone = (text: string): boolean => phonePattern.test(text)
const isState = (text: string): boolean => stateCodes.has(text)
const isZip = (text: string): boolean => zipPattern.test(text)
const isSuffix = (text: string): boolean => nameSuffixes.has(text)
const isCoordinate = (text: string): boolean => coordinatePattern.test(text)
const isServiceArea = (text: string): boolean => serviceAreaPattern.test(text)
const isCorrectedState = (text: string): boolean => (correctedStates as readonly string[]).includes(text)

const correctedStatesText = correctedStates.join(', ')
const nameSuffixesText = [...nameSuffixes].join(', ')

/** Source: spec, NAME: "when the question is answered, only `middle_name` and `suffix` are optional". */
function readName(read: FieldReader, find: FaultFinder): Answer | undefined {
  const faultsBefore = find.faults.length
  const first_name = read.text('first_name')
  const middle_name = read.text('middle_name')
  const last_name = read.text('last_name')
  const suffix = read.formatted('suffix', isSuffix, nameSuffixesText)
  if (find.faults.length > faultsBefore) return undefined
  if (first_name === null && middle_name === null && last_name === null && suffix === null) return undefined
  if (first_name === null || last_name === null) {
    find.add('incomplete', 'must have first_name and last_name when it has any part of a name')
    return undefined
  }
  return { type: 'NAME', first_name, middle_name, last_name, suffix }
}

function readEntities(question: KnownQuestion, read: FieldReader, find: FaultFinder): Answer | undefined {
  const values = read.array('entities')
  if (values.length === 0) return undefined
  const entities: Entity[] = []
  find.enter('entities')
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    find.enter(i)
    if (!isObject(value)) find.add('not_an_object', `must be an entity object, and is ${describeValue(value)}`)
    else if (typeof value.entity_name !== 'string')
      find.add('not_a_string', `must be a string, and is ${describeValue(value.entity_name)}`, 'entity_name')
    else
      entities.push({
        entity_name: value.entity_name,
        answers: readMembers(value, question.children, find, entityFields),
      })
    find.leave()
  }
  find.leave()
  return { type: 'ENUMERATOR', entities }
}

const entityFields = ['entity_name'] as const

/** An integer within ±(2^53 − 1) (D19), or undefined. */
function integer(value: number | JsonNumber): number | undefined {
  if (value instanceof JsonNumber) return exactInteger(value.source)
  return Number.isSafeInteger(value) ? value + 0 : undefined
}

/** Whole cents of an amount in dollars; undefined when it has a fraction of a cent, or too many (D18). */
function wholeCents(dollars: number | JsonNumber): number | undefined {
  if (dollars instanceof JsonNumber) return exactCents(dollars.source)
  const cents = Math.round(dollars * 100)
  return Number.isSafeInteger(cents) && cents / 100 === dollars ? cents + 0 : undefined
}
