// Bodies of intake requests, parsed once, with every error named.
// Answers are handed on as they came.

import type { Submitter } from '../../domain/questions/application.ts'
import { isJsonObject, type Json, type JsonObject, pointerTo } from '../../domain/values/json-text.ts'
import { canonicalLanguageTag } from '../../domain/values/language-tag.ts'
import { checkText } from '../../intake/checking/answer-fields.ts'
import { Faults } from '../../intake/checking/faults.ts'
import { invalidRequest } from '../../problem.ts'

/** `{"language": "en-us"}` → `en-US`. */
export function parseLanguageBody(body: Json): string {
  return parseBody(body, ['language'], (members, faults) => {
    const text = requiredText(members, 'language', '', faults)
    const language = text === undefined ? undefined : canonicalLanguageTag(text)
    if (text !== undefined && language === undefined)
      faults.add('/language', 'malformed', 'Must be a language tag (BCP 47), such as "en-US".')
    return language
  })
}

/** `{"answers": …}` → the answers, unchecked. */
export function parseAnswersBody(body: Json): Json {
  return parseBody(body, ['answers'], (members, faults) => {
    const answers = members.get('answers')
    if (answers === undefined) faults.add('/answers', 'required', 'Must be given: question key → answer, or null.')
    return answers
  })
}

/** `{"submitter": {"type": "APPLICANT"}}`, or `"TRUSTED_INTERMEDIARY"` with `email` and `organization`. Source: spec, `submitter_type`. */
export function parseSubmissionBody(body: Json): Submitter {
  return parseBody(body, ['submitter'], (members, faults) => {
    const submitter = members.get('submitter')
    if (isJsonObject(submitter)) return parseSubmitter(submitter, faults)
    faults.add(
      '/submitter',
      'required',
      'Must be given: an object with `type`, and `email` and `organization` of an intermediary.',
    )
    return undefined
  })
}

function parseSubmitter(submitter: JsonObject, faults: Faults): Submitter | undefined {
  const path = '/submitter'
  switch (submitter.get('type')) {
    case 'APPLICANT':
      refuseOthers(submitter, ['type'], path, faults)
      return { submitter_type: 'APPLICANT' }
    case 'TRUSTED_INTERMEDIARY': {
      refuseOthers(submitter, ['type', 'email', 'organization'], path, faults)
      const ti_email = requiredText(submitter, 'email', path, faults)
      const ti_organization = requiredText(submitter, 'organization', path, faults)
      if (ti_email === undefined || ti_organization === undefined) return undefined
      return { submitter_type: 'TRUSTED_INTERMEDIARY', ti_email, ti_organization }
    }
    default:
      faults.add(`${path}/type`, 'not_allowed', 'Must be APPLICANT or TRUSTED_INTERMEDIARY.')
      return undefined
  }
}

function parseBody<T>(
  body: Json,
  names: readonly string[],
  parse: (members: JsonObject, faults: Faults) => T | undefined,
): T {
  const faults = new Faults()
  let parsed: T | undefined
  if (isJsonObject(body)) {
    refuseOthers(body, names, '', faults)
    parsed = parse(body, faults)
  } else faults.add('', 'wrong_type', `Must be an object with ${names.map(name => `\`${name}\``).join(', ')}.`)
  if (parsed === undefined || faults.items.length > 0)
    throw invalidRequest('The body of the request is not what is asked for here.', faults.items)
  return parsed
}

function refuseOthers(members: JsonObject, names: readonly string[], path: string, faults: Faults): void {
  for (const name of members.keys()) {
    if (names.includes(name)) continue
    const right = names.map(known => `\`${known}\``).join(', ')
    faults.add(pointerTo(path, name), 'unknown_member', `Must be left out: there is only ${right} here.`)
  }
}

function requiredText(members: JsonObject, name: string, path: string, faults: Faults): string | undefined {
  const value = members.get(name)
  if (value !== undefined && value !== null) return checkText(value, pointerTo(path, name), faults)
  faults.add(pointerTo(path, name), 'required', 'Must be given.')
  return undefined
}
