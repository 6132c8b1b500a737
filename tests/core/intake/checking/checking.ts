// Short ways to check answers in tests: from JSON text or values, to what is kept or to codes by path.

import { type CheckMode, checkAnswers } from '../../../../src/core/intake/checking/check-all.ts'
import type { Answer, Answers } from '../../../../src/domain/questions/answers.ts'
import type { ProgramVersion } from '../../../../src/domain/questions/program-version.ts'
import { type Json, parseJson } from '../../../../src/domain/values/json-text.ts'
import { aVersion, type QuestionSpec } from '../../../support/program-version.ts'

/** JSON text, or a value that is first made into one. */
export function asJson(value: unknown): Json {
  const parsed = parseJson(typeof value === 'string' ? value : JSON.stringify(value), { depthMax: 512 })
  if ('error' in parsed) throw new Error(parsed.error.detail)
  return parsed.json
}

/** Path → code of everything that is wrong; empty when nothing is. */
export function errorsOf(version: ProgramVersion, body: unknown, mode: CheckMode = 'save'): Record<string, string> {
  const checked = checkAnswers(version, asJson(body), mode)
  return 'errors' in checked ? Object.fromEntries(checked.errors.map(e => [e.path!, e.code])) : {}
}

/** The checked answers; throws when something is wrong. */
export function answersOf(version: ProgramVersion, body: unknown, mode: CheckMode = 'save'): Answers {
  const checked = checkAnswers(version, asJson(body), mode)
  if ('errors' in checked) throw new Error(JSON.stringify(checked.errors))
  return checked.answers
}

/** One question called `q` and one answer to it, given as JSON text or a value: what is kept of it, or code by field. */
export function checkOne(spec: QuestionSpec, answer: unknown, mode: CheckMode = 'save'): Answer | undefined | string {
  const version = aVersion({ q: { optional: true, ...spec } })
  const json = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const checked = checkAnswers(version, asJson(`{"q":${json}}`), mode)
  if ('answers' in checked) return checked.answers.get('q')
  return checked.errors.map(e => `${e.path!.replace('/answers/q', '')} ${e.code}`.trim()).join(', ')
}
