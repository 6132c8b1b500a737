// Parses the bodies of intake requests and reports every error. Answers are passed on unchecked.

import { invalidRequest } from '../../../base/problem.ts'
import { checkText } from '../../../core/intake/checking/answer-fields.ts'
import { ValidationErrors } from '../../../core/intake/checking/validation-errors.ts'
import type { Submitter } from '../../../domain/questions/application.ts'
import { isJsonObject, type Json, type JsonObject, pointerTo } from '../../../domain/values/json-text.ts'
import { canonicalLanguageTag } from '../../../domain/values/language-tag.ts'

/** `{"language": "en-us"}` → `en-US`. */
export function parseLanguageBody(body: Json): string {
  return parseBody(body, ['language'], (members, errors) => {
    const text = requiredText(members, 'language', '', errors)
    const language = text === undefined ? undefined : canonicalLanguageTag(text)
    if (text !== undefined && language === undefined)
      errors.add('/language', 'malformed', 'Must be a language tag (BCP 47), such as "en-US".')
    return language
  })
}

/** `{"answers": …}` → unchecked answers. */
export function parseAnswersBody(body: Json): Json {
  return parseBody(body, ['answers'], (members, errors) => {
    const answers = members.get('answers')
    if (answers === undefined)
      errors.add('/answers', 'required', 'Is required: an object with an answer, or null, for each question key.')
    return answers
  })
}

/** `{"submitter": {"type": "APPLICANT"}}`, or `"TRUSTED_INTERMEDIARY"` with `email` and `organization`. Source: spec, `submitter_type`. */
export function parseSubmissionBody(body: Json): Submitter {
  return parseBody(body, ['submitter'], (members, errors) => {
    const submitter = members.get('submitter')
    if (isJsonObject(submitter)) return parseSubmitter(submitter, errors)
    errors.add(
      '/submitter',
      'required',
      'Is required: an object with `type`, and for an intermediary also `email` and `organization`.',
    )
    return undefined
  })
}

function parseSubmitter(submitter: JsonObject, errors: ValidationErrors): Submitter | undefined {
  const path = '/submitter'
  switch (submitter.get('type')) {
    case 'APPLICANT':
      refuseOthers(submitter, ['type'], path, errors)
      return { submitter_type: 'APPLICANT' }
    case 'TRUSTED_INTERMEDIARY': {
      refuseOthers(submitter, ['type', 'email', 'organization'], path, errors)
      const ti_email = requiredText(submitter, 'email', path, errors)
      const ti_organization = requiredText(submitter, 'organization', path, errors)
      if (ti_email === undefined || ti_organization === undefined) return undefined
      return { submitter_type: 'TRUSTED_INTERMEDIARY', ti_email, ti_organization }
    }
    default:
      errors.add(`${path}/type`, 'not_allowed', 'Must be APPLICANT or TRUSTED_INTERMEDIARY.')
      return undefined
  }
}

function parseBody<T>(
  body: Json,
  names: readonly string[],
  parse: (members: JsonObject, errors: ValidationErrors) => T | undefined,
): T {
  const errors = new ValidationErrors()
  let parsed: T | undefined
  if (isJsonObject(body)) {
    refuseOthers(body, names, '', errors)
    parsed = parse(body, errors)
  } else errors.add('', 'wrong_type', `Must be an object with ${names.map(name => `\`${name}\``).join(', ')}.`)
  if (parsed === undefined || errors.items.length > 0)
    throw invalidRequest('The request body is invalid.', errors.items)
  return parsed
}

function refuseOthers(members: JsonObject, names: readonly string[], path: string, errors: ValidationErrors): void {
  for (const name of members.keys()) {
    if (names.includes(name)) continue
    const allowed = names.map(known => `\`${known}\``).join(', ')
    errors.add(pointerTo(path, name), 'unknown_member', `Is not a known member; use only ${allowed}.`)
  }
}

function requiredText(members: JsonObject, name: string, path: string, errors: ValidationErrors): string | undefined {
  const value = members.get(name)
  if (value !== undefined && value !== null) return checkText(value, pointerTo(path, name), errors)
  errors.add(pointerTo(path, name), 'required', 'Is required.')
  return undefined
}
