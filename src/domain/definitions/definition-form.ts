// Validates a definition document against its schema, with readable messages.

import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { comparisonOperators } from '../questions/program-version.ts'
import { pointerTo } from '../values/json-text.ts'
import { conditionSchema, line } from './definition-schemas.ts'
import { formSchema } from './program-definition.ts'
import { type SchemaViolation as DefinitionError, oneError, type SchemaError, schemaError } from './schema-errors.ts'
import { checkSchema, fits, isObject } from './stepwise-check.ts'

export { type DefinitionError, oneError }

/**
 * A check of a document in many short steps, each of which yields the errors it found, usually none. Between steps, the caller can serve other
 * requests or stop.
 */
export type Check<Result = void> = Generator<readonly DefinitionError[], Result>

/** The result of a step without errors. */
export const none: readonly DefinitionError[] = []

/** Levels of nested arrays and objects. Each level of a condition takes two. */
export const definitionDepthMax = 64

/** Maximum length of a definition as JSON. Everything derived from it grows linearly with this length. */
const definitionCharactersMax = 4 * 1024 * 1024

/** Every error of form: depth, size, characters that cannot be stored, and the schema. False if nothing else should be checked. */
export function* formErrors(document: unknown): Check<boolean> {
  if (yield* depthErrors(document, definitionDepthMax)) return false
  const tooLarge = [...sizeErrors(document), ...tooManyQuestions(document)]
  if (tooLarge.length > 0) {
    yield tooLarge
    return false
  }
  yield* characterErrors(document)
  // Conditions are a union of five forms, for which a schema could only report that none matches, so they are checked separately.
  for (const errors of checkSchema(formSchema, document)) yield errors.flatMap(violation)
  yield* conditionFormErrors(document)
  return true
}

function sizeErrors(document: unknown): DefinitionError[] {
  const characters = JSON.stringify(document)?.length ?? 0
  if (characters <= definitionCharactersMax) return []
  const detail = `Must have at most ${definitionCharactersMax} characters as JSON; it has ${characters}.`
  return oneError('', 'too_large', detail)
}

const questionsMax = Number(Object.entries(formSchema.properties.questions).find(([name]) => name === 'maxItems')?.[1])

/** A document with too many questions is not checked any further, because that would block other requests for seconds. */
function tooManyQuestions(document: unknown): DefinitionError[] {
  const questions = member(document, 'questions')
  return Array.isArray(questions) && questions.length > questionsMax
    ? oneError('/questions', 'too_many', `Must have at most ${questionsMax} questions.`)
    : []
}

/** The first value that is nested too deeply, so that the rest need not be walked. */
export function* depthErrors(document: unknown, depthMax: number): Check<boolean> {
  const waiting: { value: unknown; path: string; depth: number }[] = [{ value: document, path: '', depth: 1 }]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.depth > depthMax) {
      yield oneError(at.path, 'too_deep', `Must be nested at most ${depthMax} levels deep.`)
      return true
    }
    for (const [name, value] of entriesOf(at.value)) {
      if (typeof value !== 'object') continue
      waiting.push({ value, path: pointerTo(at.path, name), depth: at.depth + 1 })
      yield none
    }
  }
  return false
}

/** PostgreSQL and UTF-8 cannot hold this text and would store a different one, so it is rejected. */
export function* characterErrors(value: unknown, path = ''): Check {
  if (isStorable(value)) yield none
  else yield oneError(path, 'unstorable_text', 'Must be valid Unicode without U+0000 or lone surrogates.')
  for (const [name, inner] of entriesOf(value)) {
    if (typeof inner === 'object' || !isStorable(inner)) yield* characterErrors(inner, pointerTo(path, name))
  }
}

const isStorable = (value: unknown): boolean =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))

/** The members of an object, or the items of an array with their indexes; none for anything else. */
function entriesOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries()
  return isObject(value) ? Object.entries(value) : []
}

function violation(error: SchemaError): DefinitionError[] {
  const { keyword, instancePath: path } = error
  if (path === '/based_on') {
    if (keyword !== 'anyOf') return []
    return oneError(path, 'wrong_type', 'Must be the ID of a version of the program, or null.')
  }
  if (keyword === 'pattern') return oneError(path, 'wrong_characters', patternText(path))
  return schemaError(error)
}

function patternText(path: string): string {
  return path === '/slug'
    ? 'Must consist of lowercase letters a to z and digits, in groups joined by single dashes, such as `housing-aid-2026`.'
    : 'Must be a single line without tabs or other control characters.'
}

function* conditionFormErrors(document: unknown): Check {
  for (const screen of members(document, 'screens')) {
    yield* optionalConditionErrors(screen.value, screen.path)
    for (const placed of members(screen.value, 'questions', screen.path)) {
      yield* optionalConditionErrors(placed.value, placed.path)
    }
  }
}

function* optionalConditionErrors(holder: unknown, path: string): Check {
  const condition = member(holder, 'visible_when')
  if (condition === undefined || condition === null) yield none
  else yield* conditionErrors(condition, `${path}/visible_when`)
}

/** The forms of a condition: all, any, not, answered, and a comparison. The parts of each are checked separately. */
const conditionForms = conditionSchema({ question: line(200, 'An earlier question.') }, Type.Unknown()).anyOf
const madeOfOthers = ['all', 'any', 'not']

/** The errors in the form of a condition. A condition without errors is exactly one that the schema accepts. */
function* conditionErrors(condition: unknown, path: string): Check {
  if (!isObject(condition)) {
    yield oneError(path, 'wrong_type', 'Must be an object.')
    return
  }
  const made = madeOfOthers.findIndex(name => Object.hasOwn(condition, name))
  const form = made !== -1 ? made : member(condition, 'operator') === 'answered' ? 3 : 4
  yield violationsOf(conditionForms[form]!, condition, path)
  if (made === -1) return
  const name = madeOfOthers[made]!
  if (name === 'not') yield* conditionErrors(condition.not, `${path}/not`)
  else for (const inner of members(condition, name, path)) yield* conditionErrors(inner.value, inner.path)
}

function violationsOf(form: TSchema, condition: unknown, path: string): readonly DefinitionError[] {
  if (fits(form, condition)) return none
  return Value.Errors(form, condition).flatMap(({ instancePath, ...error }) => {
    const at = path + instancePath
    if (instancePath.startsWith('/value')) return error.keyword === 'anyOf' ? oneError(at, 'wrong_type', valueText) : []
    if (error.keyword === 'enum') return oneError(at, 'not_allowed', operatorText)
    if (error.keyword === 'pattern') return oneError(at, 'wrong_characters', patternText(at))
    return schemaError({ ...error, instancePath: at })
  })
}

const operatorText = `Must be one of answered, ${comparisonOperators.join(', ')}.`
const valueText = 'Must be a string of at most 1000 characters, a number, or a list of 1 to 1000 strings or numbers.'

/** Entries of an array member of an unchecked object, each with its path, generated on demand; none without such an array. */
export function members(holder: unknown, name: string, path = '') {
  const list: unknown = member(holder, name)
  const entries: readonly unknown[] = Array.isArray(list) ? list : []
  return entries.values().map((value, index) => ({ value, path: `${path}/${name}/${index}`, index }))
}

/** A member of an unchecked value; undefined if the value is no object or has no own member of that name. */
export function member(holder: unknown, name: string): unknown {
  return isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined
}
