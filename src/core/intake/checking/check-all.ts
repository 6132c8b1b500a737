// Checks all answers to a program version: each answer by itself, and which questions are required, allowed or missing.

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
 * `save`: answers to one screen after another. Every answer must be valid and every key must be a question of the program; nothing is
 * required yet.
 * `submit`: all saved answers. Answers to hidden questions, and to questions no longer asked, are dropped; visible questions that are not
 * optional must be answered, in each entity too.
 */
export type CheckMode = 'save' | 'submit'

/** Further modes: see `askedWith` and `keepValid`. */
type LookMode = 'try' | 'keep'

export interface Refused {
  /** Errors by RFC 6901 JSON Pointer, at most `errorsMax`. */
  errors: readonly ProblemItem[]
  /** Whether there may be more errors than those listed. */
  more: boolean
}

/** Maximum entities of an application at all depths together, because a stored entity can be far longer than the one sent. */
export const entitiesMax = 10_000

/**
 * The answers in `body` (question key → answer in the export's shape, or null), checked against a version; or all errors. `path` is the
 * path of `body` in the document that the errors refer to.
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
  else check.errors.add(path, 'wrong_type', 'Must be an object with an answer, or null, for each question key.')
  const { items, full } = check.errors
  return items.length > 0 ? { errors: items, more: full } : { answers: check.answers }
}

/**
 * The answers, possibly to another version, that this version asks for and accepts as saved answers. An invalid answer is left out
 * completely; within an entity, only the invalid part.
 */
export function keepValid(version: ProgramVersion, body: JsonObject): Answers {
  const check = new Check('keep')
  check.run(version, body, '')
  return check.answers
}

/** A question with the path of its answer, such as `/members/entities/0/age`. */
export interface AskedPlace {
  asked: AskedQuestion
  path: string
}

/**
 * The questions that an applicant with these answers sees, in order, and the errors in the answers. Hidden questions are skipped; missing
 * answers are errors on `submit` only.
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

/** The scope of answers: the application or an entity. */
interface Scope {
  json: JsonObject
  path: string
  answers: Map<string, Answer>
  /** The same, by the names used in conditions. */
  byQuestion: Map<number, Answer>
  /** The enclosing scope. */
  outer: Scope | undefined
}

class Check {
  readonly errors = new ValidationErrors()
  readonly answers = new Map<string, Answer>()
  /** Scopes of answers to the questions under each enumerator; top-level questions are under null. */
  readonly #scopes = new Map<number | null, Scope[]>()
  #entities = 0

  constructor(
    readonly mode: CheckMode | LookMode,
    readonly places?: AskedPlace[],
  ) {}

  run(version: ProgramVersion, body: JsonObject, path: string): void {
    const { top, order } = questionnaireOf(version)
    this.#enter(null, { json: body, path, answers: this.answers, byQuestion: new Map(), outer: undefined }, top)
    // In screen order, so that conditions find the answers they refer to, which must be visible themselves.
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
    this.places?.push({ asked, path })
    if (type === undefined) {
      if (json !== undefined && this.mode === 'save') {
        this.errors.add(path, 'no_answer', 'Must be omitted: this is information text, which has no answer.')
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
    // A final answer to an address loses the results of address correction if the question no longer corrects addresses.
    if (this.mode === 'keep') return read('saved') ?? read('final') ?? 'faulty'
    return read(this.mode === 'save' ? 'saved' : 'final') ?? 'faulty'
  }

  /** The answers within its entities are added later, with their questions. */
  #checkEntities(asked: AskedQuestion, fields: AnswerFields, outer: Scope): Checked<Answer> {
    const at = pointerTo(fields.path, 'entities')
    const list = fields.raw('entities')
    if (!isJsonArray(list)) {
      this.errors.add(at, 'wrong_type', 'Must be an array of entities.')
      return 'faulty'
    }
    this.#entities += list.length
    if (this.#entities > entitiesMax) {
      this.errors.add(
        at,
        'too_many',
        `Must have fewer entities: an application can have at most ${entitiesMax} in total.`,
      )
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
    // Checked even if its name is invalid, so that errors in its answers are reported too.
    this.#enter(asked.question.question_id, { json, path, answers, byQuestion: new Map(), outer }, asked.children)
    const namePath = pointerTo(path, 'entity_name')
    const nameJson = json.get('entity_name') ?? null
    if (nameJson === null) {
      this.errors.add(namePath, 'required', 'Is required: the name of the entity.')
      return undefined
    }
    // Two entities can have the same name (D33).
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
        `Is not the key of a question here${nearest === undefined ? '' : `. Did you mean "${nearest}"?`}${nearest === undefined ? '.' : ''}`,
      )
    }
  }
}

/** Whether an answer consists only of blank texts. */
const isBlankAnswer = (json: Json | undefined): boolean =>
  isJsonObject(json) &&
  [...json].every(
    ([name, value]) => name === 'question_type' || value === null || (typeof value === 'string' && isBlank(value)),
  )

/** Evaluated in the question's scope, because conditions can refer to answers of the entity and of enclosing scopes. */
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
