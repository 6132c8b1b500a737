// Checks all answers to a program version: each by itself, and which are required, allowed or still missing.

import type { ProblemItem } from '../../../base/problem.ts'
import { countFits } from '../../../domain/fields/settings.ts'
import type { Answer, Answers } from '../../../domain/questions/answers.ts'
import type { ProgramVersion } from '../../../domain/questions/program-version.ts'
import { plainType } from '../../../domain/questions/question.ts'
import { type FindAnswer, holds } from '../../../domain/questions/visibility.ts'
import { isBlank } from '../../../domain/values/folded-text.ts'
import { isJsonArray, isJsonObject, type Json, type JsonObject, pointerTo } from '../../../domain/values/json-text.ts'
import { type AnswerFields, type Checked, checkText, readFields } from './answer-fields.ts'
import { type AskedQuestion, questionnaireOf } from './asked-questions.ts'
import { nearestKey } from './nearest-key.ts'
import { ValidationErrors } from './validation-errors.ts'

/**
 * `save`: answers as they come in, one screen after the other. Every answer must fit its question, and every key must be
 * asked; nothing has to be there yet.
 * `submit`: saved answers, all of them. What is hidden, or not asked any more, is dropped; what is visible and not optional
 * must be there, in each entity too.
 */
export type CheckMode = 'save' | 'submit'

/** How answers are looked at besides: see `askedWith` and `keepValid`. */
type LookMode = 'try' | 'keep'

export interface Refused {
  /** By RFC 6901 JSON Pointer, at most `errorsMax`. */
  errors: readonly ProblemItem[]
  /** Whether there may be more errors than are listed. */
  more: boolean
}

/** Most entities of one application, at all depths together: what is kept of an entity can be far longer than what was sent. */
export const entitiesMax = 10_000

/**
 * The answers in `body` (question key → answer in the export's shape, or null), checked against a version; or everything that
 * is wrong with them. `path` is the place of `body` in the document the errors point into.
 * Source: spec, "Question objects"; contract D14 to D20.
 */
export function checkAnswers(
  version: ProgramVersion,
  body: Json,
  mode: CheckMode,
  path = '/answers',
): { answers: Answers } | Refused {
  const check = new Check(mode)
  if (isJsonObject(body)) check.run(version, body, path)
  else check.errors.add(path, 'wrong_type', 'Must be an object: question key → answer, or null.')
  const { items, full } = check.errors
  return items.length > 0 ? { errors: items, more: full } : { answers: check.answers }
}

/**
 * Of answers that another version may have taken, those that this one asks for and takes as saved ones. An answer that does not fit is left
 * out whole; of an entity, only what does not fit.
 */
export function keepValid(version: ProgramVersion, body: JsonObject): Answers {
  const check = new Check('keep')
  check.run(version, body, '')
  return check.answers
}

/** A question that the program asks, and the place of its answer: `/members/entities/0/age`. */
export interface AskedPlace {
  asked: AskedQuestion
  path: string
}

/**
 * The questions that an applicant with these answers gets, in order, and what is wrong with the answers. What is hidden is passed over;
 * what is missing is wrong on `submit` alone.
 */
export function askedWith(
  version: ProgramVersion,
  body: JsonObject,
  mode: 'try' | 'submit' = 'try',
): { asked: AskedPlace[]; errors: ProblemItem[] } {
  const asked: AskedPlace[] = []
  const check = new Check(mode, asked)
  check.run(version, body, '')
  return { asked, errors: [...check.errors.items] }
}

/** Where questions are answered: the application itself, or one entity. */
interface Scope {
  json: JsonObject
  path: string
  answers: Map<string, Answer>
  /** The same, as conditions name them. */
  byQuestion: Map<number, Answer>
  /** The scope the entity lies in. */
  outer: Scope | undefined
}

class Check {
  readonly errors = new ValidationErrors()
  readonly answers = new Map<string, Answer>()
  /** The scopes in which the questions under an enumerator are answered, and those of the top level under null. */
  readonly #scopes = new Map<number | null, Scope[]>()
  #entities = 0

  constructor(
    readonly mode: CheckMode | LookMode,
    readonly asked?: AskedPlace[],
  ) {}

  run(version: ProgramVersion, body: JsonObject, path: string): void {
    const { top, order } = questionnaireOf(version)
    this.#enter(null, { json: body, path, answers: this.answers, byQuestion: new Map(), outer: undefined }, top)
    // In the order of the screens, so that a condition finds what it looks at: answers that are themselves visible.
    for (const asked of order) {
      for (const scope of this.#scopes.get(asked.question.enumerator_id) ?? []) {
        if (this.errors.full) return
        if (this.mode === 'save' || this.mode === 'keep' || isVisible(asked, scope)) this.#checkQuestion(asked, scope)
        if (this.mode === 'keep') this.errors.clear()
      }
    }
  }

  #checkQuestion(asked: AskedQuestion, scope: Scope): void {
    const { question, optional, type } = asked
    const json = scope.json.get(question.question_key)
    const path = pointerTo(scope.path, question.question_key)
    this.asked?.push({ asked, path })
    if (type === undefined) {
      if (json !== undefined && this.mode === 'save') {
        this.errors.add(path, 'no_answer', 'Must be left out: this is a text to read, not a question.')
      }
      return
    }
    const answer = json === undefined ? 'unanswered' : this.#checkAnswer(asked, json, path, scope)
    if (answer === 'faulty') return
    if (
      answer !== 'unanswered' &&
      !(this.mode === 'submit' && !optional && type !== 'SINGLE_SELECT' && isBlankAnswer(json))
    ) {
      scope.answers.set(question.question_key, answer)
      scope.byQuestion.set(question.question_id, answer)
    } else if (this.mode === 'submit' && !optional) {
      this.errors.add(path, 'required', 'Must be answered.')
    }
  }

  #checkAnswer(asked: AskedQuestion, json: Json, path: string, scope: Scope): Checked<Answer> {
    const { question, type, optionIds } = asked
    const fields = readFields(json, type!, path, this.errors)
    if (fields === 'unanswered' || fields === 'faulty') return fields
    if (type === 'ENUMERATOR') return this.#checkEntities(asked, fields, scope)
    const read = (stage: 'saved' | 'final') =>
      plainType(type!).read(fields, { settings: question.settings, optionIds, stage })
    // As a final answer, an address loses the results of a correction that the question does not make any more.
    if (this.mode === 'keep') return read('saved') ?? read('final') ?? 'faulty'
    return read(this.mode === 'save' ? 'saved' : 'final') ?? 'faulty'
  }

  /** The answers within its entities are filled in when their questions' turn comes. */
  #checkEntities(asked: AskedQuestion, fields: AnswerFields, outer: Scope): Checked<Answer> {
    const at = pointerTo(fields.path, 'entities')
    const list = fields.raw('entities')
    if (!isJsonArray(list)) {
      this.errors.add(at, 'wrong_type', 'Must be an array of entities.')
      return 'faulty'
    }
    this.#entities += list.length
    if (this.#entities > entitiesMax) {
      this.errors.add(at, 'too_many', `Must not bring the entities of the whole application above ${entitiesMax}.`)
      return 'faulty'
    }
    const fits = countFits(fields, 'entities', list.length, 'entities', asked.question.settings)
    const entities: { entity_name: string; answers: Answers }[] = []
    for (const [i, item] of list.entries()) {
      const entity = this.#checkEntity(asked, item, pointerTo(at, i), outer)
      if (entity !== undefined) entities.push(entity)
    }
    return fits && entities.length === list.length ? { type: 'ENUMERATOR', entities } : 'faulty'
  }

  #checkEntity(asked: AskedQuestion, json: Json, path: string, outer: Scope) {
    if (!isJsonObject(json)) {
      this.errors.add(path, 'wrong_type', 'Must be an object with `entity_name` and the answers about this entity.')
      return undefined
    }
    const answers = new Map<string, Answer>()
    // Entered whatever its name is, so that what is wrong with its answers is named too.
    this.#enter(asked.question.question_id, { json, path, answers, byQuestion: new Map(), outer }, asked.children)
    const namePath = pointerTo(path, 'entity_name')
    const nameJson = json.get('entity_name') ?? null
    if (nameJson === null) {
      this.errors.add(namePath, 'required', 'Must be given: the name of the entity.')
      return undefined
    }
    // Two entities may have one name (D33).
    const entity_name = checkText(nameJson, namePath, this.errors)
    return entity_name === undefined ? undefined : { entity_name, answers }
  }

  #enter(enumeratorId: number | null, scope: Scope, questions: ReadonlyMap<string, AskedQuestion>): void {
    const siblings = this.#scopes.get(enumeratorId)
    if (siblings === undefined) this.#scopes.set(enumeratorId, [scope])
    else siblings.push(scope)
    if (this.mode !== 'save') return
    for (const key of scope.json.keys()) {
      if (questions.has(key) || (enumeratorId !== null && key === 'entity_name')) continue
      if (this.errors.full) return
      const nearest = nearestKey(key, questions.keys())
      this.errors.add(
        pointerTo(scope.path, key),
        'unknown_question',
        `Must be the key of a question that is asked here${nearest === undefined ? '' : `; the nearest is "${nearest}"`}.`,
      )
    }
  }
}

/** Whether an answer is made of texts alone, and none of them has anything to be seen. */
const isBlankAnswer = (json: Json | undefined): boolean =>
  isJsonObject(json) &&
  [...json].every(
    ([name, value]) => name === 'question_type' || value === null || (typeof value === 'string' && isBlank(value)),
  )

/** Decided where the question is answered: a condition may look at the entity's own answers and at those around it. */
function isVisible(asked: AskedQuestion, scope: Scope): boolean {
  const find: FindAnswer = questionId => {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
      const answer = at.byQuestion.get(questionId)
      if (answer !== undefined) return answer
    }
    return undefined
  }
  return asked.conditions.every(condition => holds(condition, find))
}
