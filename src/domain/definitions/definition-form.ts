// Validates the form of a definition document against its schema, with messages of our own.

import { type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Value } from 'typebox/value'
import { comparisonOperators } from '../questions/program-version.ts'
import { pointerTo } from '../values/json-text.ts'
import { conditionSchema, line } from './definition-schemas.ts'
import { programDefinitionSchema } from './program-definition.ts'
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
  const tooMany = tooManyQuestions(document)
  if (tooMany.length > 0) return tooMany
  return [...characterErrors(document), ...schemaErrors(document), ...conditionFormErrors(document)]
}

const questionsMax = Number(
  Object.entries(programDefinitionSchema.properties.questions).find(([name]) => name === 'maxItems')?.[1],
)

/** Of a document with more questions than one may have nothing else is looked at, which would take seconds of everybody's time. */
function tooManyQuestions(document: unknown): DefinitionError[] {
  const { length } = members(document, 'questions')
  return length > questionsMax ? oneError('/questions', 'too_many', `Must not have more than ${questionsMax}.`) : []
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

/** Ten times as fast as looking for errors, of which most documents have none; compiled with the first. */
let compiled: Validator | undefined

function schemaErrors(document: unknown): DefinitionError[] {
  compiled ??= Compile(programDefinitionSchema)
  if (compiled.Check(document)) return []
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

/** The forms of a condition: all, any, not, answered, and a comparison; whatever they are made of is looked at by itself. */
const conditionForms = conditionSchema({ question: line(200, 'An earlier question.') }, Type.Unknown()).anyOf
const madeOfOthers = ['all', 'any', 'not']

/** The errors of one condition's form: exactly those documents are free of them that the schema accepts. */
function conditionErrors(condition: unknown, path: string): DefinitionError[] {
  if (!isObject(condition)) return oneError(path, 'wrong_type', 'Must be an object.')
  const made = madeOfOthers.findIndex(name => Object.hasOwn(condition, name))
  const form = made !== -1 ? made : member(condition, 'operator') === 'answered' ? 3 : 4
  const own = violationsOf(conditionForms[form]!, condition, path)
  if (made === -1) return own
  const name = madeOfOthers[made]!
  if (name === 'not') return [...own, ...conditionErrors(condition.not, `${path}/not`)]
  return [...own, ...members(condition, name, path).flatMap(inner => conditionErrors(inner.value, inner.path))]
}

function violationsOf(form: TSchema, condition: unknown, path: string): DefinitionError[] {
  if (Value.Check(form, condition)) return []
  return Value.Errors(form, condition).flatMap(({ instancePath, ...error }) => {
    const at = path + instancePath
    if (instancePath.startsWith('/value')) return error.keyword === 'anyOf' ? oneError(at, 'wrong_type', valueText) : []
    if (error.keyword === 'enum') return oneError(at, 'not_allowed', operatorText)
    if (error.keyword === 'pattern') return oneError(at, 'wrong_characters', patternText(at))
    return schemaError({ ...error, instancePath: at })
  })
}

const operatorText = `Must be one of answered, ${comparisonOperators.join(', ')}.`
const valueText =
  'Must be text, a number, or a list of 1 to 1000 texts or of 1 to 1000 numbers; a text of at most 1000 characters.'

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
