// An application in readable form: by screen, with question texts, entities with their answers, and marks for questions that were not
// asked. Given the application it replaced, it also marks changed answers.

import { type AskedQuestions, askedById, conditionText } from '../definitions/condition-text.ts'
import type { AnswerLine } from '../fields/question-type.ts'
import type { Answer, Answers } from '../questions/answers.ts'
import type { ExportedType, VersionQuestion } from '../questions/question.ts'
import { holds } from '../questions/visibility.ts'
import {
  type ExportedObject,
  entitiesOf,
  isSame,
  isUnanswered,
  linesOf,
  nameOf,
  questionObject,
  readAnswers,
} from './exported-answers.ts'
import { matchEntities } from './match-entities.ts'
import { type PlacedQuestion, placedScreens, type ReadableVersion } from './placed-questions.ts'

/** How an answer differs from that in the earlier application: new, changed or removed. */
export type AnswerChange = 'new' | 'changed' | 'gone'

export interface ReadableRow {
  question_id: number
  question_key: string
  text: string
  answer: ReadableAnswer
  change: AnswerChange | undefined
}

type ReadableAnswer =
  | { state: 'answered'; lines: readonly AnswerLine[] }
  | { state: 'entities'; entities: readonly ReadableEntity[]; gone: readonly string[] }
  | { state: 'unanswered' }
  /** Why, in words. */
  | { state: 'not_asked'; when: string }

export interface ReadableEntity {
  name: string
  change: 'new' | undefined
  rows: readonly ReadableRow[]
}

export interface ReadableScreen {
  name: string | undefined
  /** When the screen is shown, if it wasn't shown and nothing on it was answered. It has no rows then. */
  notAsked: string | undefined
  rows: readonly ReadableRow[]
}

export interface ReadableApplication {
  /** From the first answered NAME question. */
  applicant: string | undefined
  screens: readonly ReadableScreen[]
  /** Whether there are more rows than `rowsMax`. */
  cut: boolean
}

/** Rows per page: more than a person reads, and few enough for a browser to render quickly. */
export const rowsMax = 3000

/** `application` is the member of that name of an exported application; `before` that of the application it replaced. */
export function readableApplication(
  version: ReadableVersion,
  application: ExportedObject,
  before?: ExportedObject,
): ReadableApplication {
  const reader = new Reader(version)
  const placed = placedScreens(version)
  const questions = placed.flatMap(screen => screen.questions)
  const scope: Scope = { enumeratorId: null, answers: readAnswers(questions, application), outer: undefined }
  const screens = placed.map(({ name, condition, questions }): ReadableScreen => {
    const hidden = condition !== null && !reader.holds(condition, scope)
    const unanswered = questions.every(({ question }) =>
      isUnanswered(questionObject(application, question.question_key)),
    )
    if (hidden && unanswered) return { name, notAsked: reader.words(condition), rows: [] }
    return { name, notAsked: undefined, rows: reader.rows(questions, application, before, scope) }
  })
  const applicant = firstLine(questions, application, 'NAME')
  return { applicant, screens, cut: reader.cut }
}

/** The applicant of an application: the first name, and the first email address or phone number, if answered. */
export interface ApplicantInList {
  name: string | undefined
  email: string | undefined
  phone: string | undefined
}

/** From the member `application` of an exported application. Household members' answers are not used. */
export function applicantInList(version: ReadableVersion, application: ExportedObject): ApplicantInList {
  const questions = placedScreens(version).flatMap(screen => screen.questions)
  const first = (type: ExportedType) => firstLine(questions, application, type)
  return { name: first('NAME'), email: first('EMAIL'), phone: first('PHONE') }
}

/** The keys of the NAME questions. The first one that was answered contains the applicant's name. */
export const ownNameKeys = (version: ReadableVersion): readonly string[] =>
  placedScreens(version).flatMap(screen =>
    screen.questions.filter(({ type }) => type === 'NAME').map(({ question }) => question.question_key),
  )

/** The first answer to a question of this type, on one line. */
function firstLine(
  questions: readonly PlacedQuestion[],
  application: ExportedObject,
  type: ExportedType,
): string | undefined {
  for (const placed of questions) {
    const lines = placed.type === type ? linesOf(placed, questionObject(application, placed.question.question_key)) : []
    if (lines.length > 0) return lines.map(({ text }) => text).join(' ')
  }
  return undefined
}

/** Where questions are answered: the application itself, or an entity. */
interface Scope {
  enumeratorId: number | null
  answers: Answers
  outer: Scope | undefined
}

type Condition = PlacedQuestion['conditions'][number]

class Reader {
  readonly #questions: ReadonlyMap<number, VersionQuestion>
  readonly #asked: AskedQuestions
  #rows = 0

  constructor({ questions }: ReadableVersion) {
    this.#questions = new Map(questions.map(question => [question.question_id, question]))
    this.#asked = askedById(questions)
  }

  get cut(): boolean {
    return this.#rows > rowsMax
  }

  holds(condition: Condition, scope: Scope): boolean {
    return holds(condition, id => this.#seenFrom(scope, this.#questions.get(id)))
  }

  words(condition: Condition): string {
    return conditionText(condition, this.#asked)
  }

  rows(
    questions: readonly PlacedQuestion[],
    object: ExportedObject,
    before: ExportedObject | undefined,
    scope: Scope,
  ): ReadableRow[] {
    const rows: ReadableRow[] = []
    for (const placed of questions) {
      if (++this.#rows > rowsMax) break
      const { question_id, question_key, settings } = placed.question
      const now = questionObject(object, question_key)
      const then = before && questionObject(before, question_key)
      rows.push({
        question_id,
        question_key,
        text: settings.text,
        answer: this.#answer(placed, now, then, scope, before !== undefined),
        change: before === undefined ? undefined : changeOf(now, then),
      })
    }
    return rows
  }

  #answer(
    placed: PlacedQuestion,
    now: ExportedObject | undefined,
    then: ExportedObject | undefined,
    scope: Scope,
    compared: boolean,
  ): ReadableAnswer {
    const isList = placed.type === 'ENUMERATOR'
    if (isUnanswered(now) && !(isList && entitiesOf(then).length > 0)) {
      const failed = placed.conditions.filter(condition => !this.holds(condition, scope))
      if (failed.length === 0) return { state: 'unanswered' }
      return { state: 'not_asked', when: failed.map(condition => this.words(condition)).join(' and ') }
    }
    if (!isList) return { state: 'answered', lines: linesOf(placed, now) }
    const { pairs, gone } = matchEntities(entitiesOf(now), entitiesOf(then))
    const entities: ReadableEntity[] = []
    for (const { entity, earlier } of pairs) {
      if (++this.#rows > rowsMax) break
      const inner = {
        enumeratorId: placed.question.question_id,
        answers: readAnswers(placed.repeated, entity),
        outer: scope,
      }
      // A new entity is marked once instead of at each of its answers.
      entities.push({
        name: nameOf(entity),
        change: compared && earlier === undefined ? 'new' : undefined,
        rows: this.rows(placed.repeated, entity, earlier, inner),
      })
    }
    return { state: 'entities', entities, gone: gone.map(nameOf) }
  }

  /** A condition may use the entity's own answers and those of the entities that contain it. */
  #seenFrom(scope: Scope, question: VersionQuestion | undefined): Answer | undefined {
    for (let at: Scope | undefined = scope; at !== undefined && question !== undefined; at = at.outer)
      if (at.enumeratorId === question.enumerator_id) return at.answers.get(question.question_key)
    return undefined
  }
}

function changeOf(now: ExportedObject | undefined, then: ExportedObject | undefined): AnswerChange | undefined {
  if (isUnanswered(now)) return isUnanswered(then) ? undefined : 'gone'
  if (isUnanswered(then)) return 'new'
  return isSame(now, then) ? undefined : 'changed'
}
