// Validates the form of a definition document against its schema, with messages of our own.

import { Value } from 'typebox/value'
import { comparisonOperators } from '../questions/program-version.ts'
import { pointerTo } from '../values/json-text.ts'
import { type NamedCondition, programDefinitionSchema } from './program-definition.ts'
import { type SchemaViolation as DefinitionError, oneError, schemaError } from './schema-errors.ts'

export { type DefinitionError, oneError }

/** Levels of arrays and objects, one in another. Conditions take two for each level of theirs. */
export const definitionDepthMax = 64

/** Characters of a definition as JSON, which everything that is made of it is linear in. */
const definitionCharactersMax = 4 * 1024 * 1024

/** Every error of form: depth, size, characters that cannot be kept, and the schema. */
export function formErrors(document: unknown): DefinitionError[] {
  const tooDeep = depthError(document, definitionDepthMax)
  if (tooDeep !== undefined) return [tooDeep]
  const characters = JSON.stringify(document)?.length ?? 0
  if (characters > definitionCharactersMax) {
    return oneError(
      '',
      'too_large',
      `Must not be longer than ${definitionCharactersMax} characters as JSON: it has ${characters}.`,
    )
  }
  return [...characterErrors(document), ...schemaErrors(document), ...conditionFormErrors(document)]
}

/** The error of a document that nests deeper than this, so that it need not be walked. */
export function depthError(document: unknown, depthMax: number): DefinitionError | undefined {
  const waiting: { value: unknown; path: string; depth: number }[] = [{ value: document, path: '', depth: 1 }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at.value !== 'object' || at.value === null) continue
    if (at.depth > depthMax) {
      return { path: at.path, code: 'too_deep', detail: `Must not be nested more than ${depthMax} levels deep.` }
    }
    for (const [name, value] of Object.entries(at.value)) {
      waiting.push({ value, path: pointerTo(at.path, name), depth: at.depth + 1 })
    }
  }
  return undefined
}

/** Text that PostgreSQL or UTF-8 cannot hold would be stored as something else: it is refused instead. */
export function characterErrors(value: unknown, path = ''): DefinitionError[] {
  if (typeof value === 'string') {
    return value.isWellFormed() && !value.includes('\0')
      ? []
      : oneError(path, 'unstorable_text', 'Must be Unicode text without U+0000 and without lone surrogates.')
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => characterErrors(inner, pointerTo(path, name)))
}

function schemaErrors(document: unknown): DefinitionError[] {
  return Value.Errors(programDefinitionSchema, document).flatMap(error => {
    const { keyword, instancePath: path } = error
    // Conditions are a union of five forms: the schema can only say that none fits, so they are looked at below.
    if (/\/visible_when(\/|$)/.test(path)) return []
    if (path === '/based_on') {
      if (keyword !== 'anyOf') return []
      return oneError(path, 'wrong_type', 'Must be the id of a version of the program, or null.')
    }
    if (keyword === 'pattern') return oneError(path, 'wrong_characters', patternText(path))
    return schemaError(error)
  })
}

function patternText(path: string): string {
  return path === '/slug'
    ? 'Must be lower case letters a to z and digits, in groups joined by single dashes, such as `housing-aid-2026`.'
    : 'Must be one line: no line breaks, tabs or other control characters.'
}

function conditionFormErrors(document: unknown): DefinitionError[] {
  return members(document, 'screens').flatMap(screen => [
    ...optionalConditionErrors(screen.value, screen.path),
    ...members(screen.value, 'questions', screen.path).flatMap(placed =>
      optionalConditionErrors(placed.value, placed.path),
    ),
  ])
}

function optionalConditionErrors(holder: unknown, path: string): DefinitionError[] {
  const condition = member(holder, 'visible_when')
  return condition === undefined || condition === null ? [] : conditionErrors(condition, `${path}/visible_when`)
}

const comparisonMembers: Readonly<Record<string, readonly string[]>> = {
  all: ['all'],
  any: ['any'],
  not: ['not'],
  answered: ['question', 'operator'],
  comparison: ['question', 'field', 'operator', 'value'],
}

/** The errors of one condition's form: exactly those documents are free of them that the schema accepts. */
function conditionErrors(condition: unknown, path: string): DefinitionError[] {
  if (!isObject(condition)) return oneError(path, 'wrong_type', 'Must be an object.')
  const form =
    ['all', 'any', 'not'].find(name => Object.hasOwn(condition, name)) ??
    (member(condition, 'operator') === 'answered' ? 'answered' : 'comparison')
  const wanted = comparisonMembers[form]!
  const errors: DefinitionError[] = [
    ...wanted
      .filter(name => !Object.hasOwn(condition, name))
      .map(name => ({
        path: pointerTo(path, name),
        code: 'required',
        detail: `Must be given: \`${name}\` is missing.`,
      })),
    ...Object.keys(condition)
      .filter(name => !wanted.includes(name))
      .map(name => ({
        path: pointerTo(path, name),
        code: 'unknown_member',
        detail: `Must be left out: alongside \`${wanted[0]}\` only ${wanted.slice(1).join(', ') || 'nothing'} is allowed here.`,
      })),
  ]
  if (form === 'not') return [...errors, ...conditionErrors(condition.not, `${path}/not`)]
  if (form === 'all' || form === 'any') return [...errors, ...conditionListErrors(condition[form], `${path}/${form}`)]
  return [...errors, ...comparisonErrors(condition, form, path)]
}

function conditionListErrors(list: unknown, path: string): DefinitionError[] {
  if (!Array.isArray(list)) return oneError(path, 'wrong_type', 'Must be an array.')
  if (list.length === 0) return oneError(path, 'too_few', 'Must have at least 1.')
  if (list.length > 100) return oneError(path, 'too_many', 'Must not have more than 100.')
  return list.flatMap((inner, index) => conditionErrors(inner, `${path}/${index}`))
}

function comparisonErrors(condition: Readonly<Record<string, unknown>>, form: string, path: string): DefinitionError[] {
  const errors: DefinitionError[] = []
  const refuse = (name: string, code: string, detail: string): void => {
    if (Object.hasOwn(condition, name)) errors.push({ path: pointerTo(path, name), code, detail })
  }
  if (!isLine(condition.question, 200)) {
    refuse('question', 'wrong_type', 'Must be the admin name of a question: one line of at most 200 characters.')
  }
  if (form === 'answered') return errors
  const { field, operator, value } = condition
  if (typeof field !== 'string' || field === '' || characters(field) > 100) {
    refuse('field', 'wrong_type', 'Must be the name of a field of an answer.')
  }
  if (!comparisonOperators.some(known => known === operator)) {
    refuse('operator', 'not_allowed', `Must be one of answered, ${comparisonOperators.join(', ')}.`)
  }
  if (!isConditionValue(value)) {
    refuse(
      'value',
      'wrong_type',
      'Must be text, a number, or a list of 1 to 1000 texts or of 1 to 1000 numbers; a text of at most 1000 characters.',
    )
  }
  return errors
}

function isConditionValue(value: unknown): value is Extract<NamedCondition, { value: unknown }>['value'] {
  if (Array.isArray(value)) {
    return value.length >= 1 && value.length <= 1000 && (value.every(isConditionText) || value.every(Number.isFinite))
  }
  return isConditionText(value) || Number.isFinite(value)
}

const isConditionText = (value: unknown): value is string => typeof value === 'string' && characters(value) <= 1000

function isLine(value: unknown, lengthMax: number): value is string {
  return typeof value === 'string' && value !== '' && characters(value) <= lengthMax && !/[\0-\x1f\x7f]/.test(value)
}

/** Characters as the schema counts them, and PostgreSQL: Unicode code points. */
const characters = (text: string): number => [...text].length

/** Entries of an array member of an unchecked object, with the path of each; none without such an array. */
export function members(holder: unknown, name: string, path = ''): { value: unknown; path: string; index: number }[] {
  const list = member(holder, name)
  return Array.isArray(list) ? list.map((value, index) => ({ value, path: `${path}/${name}/${index}`, index })) : []
}

/** A member of an unchecked value; undefined if it is no object or has no such member of its own. */
export function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
