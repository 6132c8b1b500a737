// Converts answers to form values and back. A field's name is the JSON Pointer of its value: `/home_address/zip`,
// `/children/entities/0/entity_name`. Entities keep their index while a form is filled in, even when one before them is removed.

import type { AskedQuestion } from '../../core/intake/checking/asked-questions.ts'
import { type ExportedType, questionTypes } from '../../domain/questions/question.ts'
import {
  isJsonArray,
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  pointerTo,
} from '../../domain/values/json-text.ts'

type Questions = ReadonlyMap<string, AskedQuestion>

/** The name of the button that removes a file, with its field and its URL as its value. */
export const dropButton = 'drop'

export const dateParts = ['month', 'day', 'year'] as const

/** Parts of an address that the service determines and nobody enters. */
const found = new Set(['corrected', 'latitude', 'longitude', 'well_known_id', 'service_area', 'file_key'])

const typedFields = (type: ExportedType) =>
  Object.entries(questionTypes[type].fields).filter(([name]) => !found.has(name))

/** The form field that shows an error of an answer; for an error of a whole answer, its first field or its group. */
export function errorField(type: ExportedType, path: string, errorPath: string): string {
  const [first] = typedFields(type)
  const isGroup = type === 'NAME' || type === 'ADDRESS'
  if (errorPath === path) return isGroup || first === undefined ? path : `${path}/${first[0]}`
  // For an item of a list, the path of the list; for an entity, the path of its name.
  return type === 'ENUMERATOR' ? errorPath : errorPath.replace(/\/\d+$/, '')
}

/** Values by field name. A Map, because a form may have thousands and URLSearchParams searches all of them. */
export class FormValues {
  readonly #values = new Map<string, string[]>()
  readonly #lists = new Map<string, Set<number>>()

  constructor(pairs: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of pairs) this.add(name, value)
  }

  add(name: string, value: string): void {
    const values = this.#values.get(name)
    if (values !== undefined) values.push(value)
    else this.#values.set(name, [value])
    const [, list, index] = /^(.*\/entities)\/(\d{1,4})\/entity_name$/.exec(name) ?? []
    if (list === undefined) return
    const indexes = this.#lists.get(list) ?? new Set()
    this.#lists.set(list, indexes.add(Number(index)))
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.[0]
  }

  getAll(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }

  /** The indexes of the entities of a list (`/children/entities`), including those without a name, in order. */
  entityIndexes(list: string): number[] {
    return [...(this.#lists.get(list) ?? [])].sort((a, b) => a - b)
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const [name, values] of this.#values) for (const value of values) yield [name, value]
  }
}

/** Saved answers as the values of a form. */
export function valuesOf(answers: JsonObject, questions: Questions): FormValues {
  const values = new FormValues()
  addValues(values, answers, questions, '')
  return values
}

function addValues(values: FormValues, answers: JsonObject, questions: Questions, path: string): void {
  for (const [key, { type, children }] of questions) {
    const answer = answers.get(key)
    if (type === undefined || !isJsonObject(answer)) continue
    const at = pointerTo(path, key)
    if (type === 'ENUMERATOR') {
      const entities = answer.get('entities')
      for (const [i, entity] of (isJsonArray(entities) ? entities : []).entries()) {
        if (!isJsonObject(entity)) continue
        values.add(`${at}/entities/${i}/entity_name`, textOf(entity.get('entity_name')))
        addValues(values, entity, children, `${at}/entities/${i}`)
      }
    } else for (const [field] of typedFields(type)) addField(values, type, `${at}/${field}`, answer.get(field))
  }
}

function addField(values: FormValues, type: ExportedType, name: string, json: Json | undefined): void {
  if (type === 'DATE') {
    const [year = '', month = '', day = ''] = textOf(json).split('-')
    for (const [part, text] of Object.entries({ month, day, year }))
      if (text !== '') values.add(`${name}/${part}`, text.replace(/^0+(?=\d)/, ''))
  } else for (const item of isJsonArray(json) ? json : [json]) if (textOf(item) !== '') values.add(name, textOf(item))
}

const textOf = (json: Json | undefined): string =>
  typeof json === 'string' ? json : json instanceof JsonNumber ? json.source : ''

export interface FormAnswers {
  /** In the form that a front end sends to intake. */
  answers: JsonObject
  /** The path in the form for a path in the answers, in which removed entities have no index. */
  formPath: (path: string) => string
}

/** The answers in a form's values. Entities without a name are omitted, with all answers about them. */
export function readAnswers(values: FormValues, questions: Questions): FormAnswers {
  const places = new Map<string, string>()
  const answers = readScope(values, questions, '', '', places)
  const formPath = (path: string): string => {
    let at = ''
    let inForm = ''
    for (const token of path.split('/').slice(1)) {
      at += `/${token}`
      inForm = places.get(at) ?? `${inForm}/${token}`
    }
    return inForm
  }
  return { answers, formPath }
}

function readScope(
  values: FormValues,
  questions: Questions,
  path: string,
  inForm: string,
  places: Map<string, string>,
): Map<string, Json> {
  const answers = new Map<string, Json>()
  for (const [key, asked] of questions) {
    const { type, children } = asked
    if (type === undefined) continue
    const [at, formAt] = [pointerTo(path, key), pointerTo(inForm, key)]
    if (type !== 'ENUMERATOR') {
      answers.set(key, readAnswer(values, asked, type, formAt))
      continue
    }
    const entities: Json[] = []
    for (const index of values.entityIndexes(`${formAt}/entities`)) {
      const entityForm = `${formAt}/entities/${index}`
      const name = typed(values, `${entityForm}/entity_name`)
      if (name === '') continue
      const entityPath = `${at}/entities/${entities.length}`
      places.set(entityPath, entityForm)
      entities.push(readScope(values, children, entityPath, entityForm, places).set('entity_name', name))
    }
    answers.set(key, new Map<string, Json>([['entities', entities]]))
  }
  return answers
}

const typed = (values: FormValues, name: string): string => (values.get(name) ?? '').replace(/\r\n?/g, '\n').trim()

/** The same for digits, including those of Arabic and Persian keyboards. */
const typedDigits = (values: FormValues, name: string): string =>
  typed(values, name).replace(/[\u0660-\u0669\u06f0-\u06f9]/g, digit => String(digit.charCodeAt(0) & 15))

const digitFields = new Set(['phone_number', 'zip', 'id'])

function readAnswer(values: FormValues, { question }: AskedQuestion, type: ExportedType, path: string): JsonObject {
  const fields = typedFields(type).map(([name, { form }]): [string, Json] => {
    const field = `${path}/${name}`
    if (form === 'date') return [name, readDate(values, field)]
    if (form === 'option_list' || form === 'text_list') return [name, values.getAll(field).filter(Boolean)]
    const text = form === 'number' || digitFields.has(name) ? typedDigits(values, field) : typed(values, field)
    return [name, text === '' ? null : form === 'number' ? numberOf(text) : text]
  })
  const answer = new Map(fields)
  const phone = answer.get('phone_number')
  // A number without a country code counts as one of the United States.
  if (typeof phone === 'string' && !phone.startsWith('+')) answer.set('country', 'US')
  if (type === 'ADDRESS' && question.settings.correct_addresses === true && [...answer.values()].some(Boolean))
    answer.set('corrected', 'AsEnteredByUser')
  return answer
}

function readDate(values: FormValues, name: string): string | null {
  const [month = '', day = '', year = ''] = dateParts.map(part => typedDigits(values, `${name}/${part}`))
  return `${month}${day}${year}` === '' ? null : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** A number as people write it: `$1,250.50`. Anything else stays text, which intake then rejects. */
function numberOf(text: string): Json {
  const plain = text
    .replace(/^\$\s*/, '')
    .replace(/^(-?\d{1,3}(?:,\d{3})+)(?=\.|$)/, whole => whole.replaceAll(',', ''))
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(plain) ? new JsonNumber(plain) : text
}
