// Parses the parameters `fields` and `questions`, with which a client chooses which questions it receives.

import type { ProblemItem } from '../../../base/problem.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { fieldNames, findFields, type QuestionChoice } from '../../../domain/questions/question-view.ts'
import { fieldsMax } from './page-token.ts'
import { type FieldError, parseOneOf, type SentQuery } from './sent-query.ts'

/**
 * Reads a client's choice from its query, whose errors then include unknown questions. If `fields` was sent, `loadSeen` loads the questions that
 * the client can choose from: with `questions=current`, those of the newest version.
 */
export async function readChoice(
  query: SentQuery<string>,
  loadSeen: (choice: QuestionChoice) => Promise<KeyMap>,
): Promise<QuestionChoice> {
  const names = query.read('fields', parseFields)
  const questions = query.read('questions', parseQuestions)
  if (names === undefined) return { questions }
  const seen = await loadSeen({ questions })
  const { chosen, unknown } = findFields(seen, names)
  if (unknown.length > 0) query.errors.push(unknownFields(unknown, seen))
  return { chosen, questions }
}

/**
 * Parses `fields`: question keys separated by commas, those of repeated questions after their enumerator's key and a dot. Spaces around
 * commas are ignored, because keys contain none.
 */
export function parseFields(value: string, error: FieldError): string[] | undefined {
  const names = [...new Set(value.split(',').map(name => name.trim()))]
  if (names.includes('')) return error('empty_field', 'has an empty entry. Remove the extra comma.')
  if (names.length <= fieldsMax) return names
  return error(
    'too_many_fields',
    `contains ${names.length} questions, but the maximum is ${fieldsMax}. An enumerator includes all questions repeated under it.`,
  )
}

/** Parses `questions` (contract D58). */
export const parseQuestions = parseOneOf(['current'], 'invalid_questions')

/** Maximum number of names in an error. */
const namesListed = 100

export function unknownFields(unknown: readonly string[], seen: KeyMap): ProblemItem {
  const known = fieldNames(seen)
  const more = known.length - namesListed
  const list = (names: readonly string[]): string => names.slice(0, namesListed).join(', ')
  const detail =
    `contains unknown questions: ${list(unknown.map(name => JSON.stringify(name.slice(0, 100))))}. ` +
    `${known.length === 0 ? 'This program has no questions' : `Use ${list(known)}`}${more > 0 ? ` or one of the ${more} others in the docs` : ''}. Members outside application are always included.`
  return { parameter: 'fields', code: 'unknown_field', detail }
}
