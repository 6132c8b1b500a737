// Generates sample answers for a program version: always the same for docs, varied for seeds.
// Generated from the version only, without a clock or real applicants.

import type { Answer, Answers, Entity } from '../questions/answers.ts'
import { hiddenAnswersDropper } from '../questions/drop-hidden.ts'
import type { Screen } from '../questions/program-version.ts'
import { exportedType, type PlainType, plainType, type VersionQuestion } from '../questions/question.ts'
import { organizations } from '../random/sample-words.ts'
import { integerFrom, pick, type Rng } from '../random/seeded-random.ts'

/** The known parts of the version to answer. Without screens, nothing is required. */
interface AnsweredVersion {
  questions: readonly VersionQuestion[]
  screens?: readonly Screen[]
}

/** An exported question with those repeated under it. */
interface SampleNode {
  question: VersionQuestion
  children: readonly SampleNode[]
  /** Number of question objects in one entity, with one entity in every enumerator within it. */
  entitySize: number
}

/**
 * The maximum that an example shows, whatever the questions allow. One entity of each enumerator is always present, so an example grows with the
 * number of questions and no faster: two entities at each of 30 levels would be a billion.
 */
const further = {
  /** Question objects in the second and later entities of all enumerators together. */
  questionsMax: 2000,
  /** Entities of one enumerator; selections, files. */
  countMax: 5,
  /** Characters of a text or an ID. */
  lengthMax: 300,
}

/**
 * Answers to every question, the same for the same version and `variant` (0, 1, …): each type at its most complete, with two entities of every
 * enumerator at every depth (or as many as `min_count` and `max_count` allow) while that remains short. Conditions are ignored.
 */
export function sampleAnswers(version: AnsweredVersion, options: { variant?: number } = {}): Answers {
  return sampleMembers(sampleTree(version), options.variant ?? 0, { left: further.questionsMax })
}

function sampleMembers(nodes: readonly SampleNode[], variant: number, room: { left: number }): Answers {
  const answers = new Map<string, Answer>()
  for (const { question, children, entitySize } of nodes) {
    if (question.kind === 'ENUMERATOR') {
      const { min_count = 0, max_count = 2 } = question.settings
      const wanted = Math.min(Math.max(2, min_count), max_count, further.countMax)
      // Decided before visiting the questions within, so that outer enumerators get two entities rather than inner ones.
      let count = 1
      for (; count < wanted && entitySize <= room.left; count++) room.left -= entitySize
      const entities = Array.from({ length: count }, (_, i) => {
        const members = sampleMembers(children, variant + i, room)
        return {
          entity_name: entityName(children, members) ?? organizations[(variant + i) % organizations.length]!,
          answers: members,
        }
      })
      answers.set(question.question_key, { type: 'ENUMERATOR', entities })
    } else {
      answers.set(question.question_key, typeOf(question).sample(modest(question).settings, variant))
    }
  }
  return answers
}

/** The question with bounds reduced to what an example shows. */
function modest(question: VersionQuestion): VersionQuestion {
  const { min_count, min_length, options } = question.settings
  if ((min_count ?? 0) <= further.countMax && (min_length ?? 0) <= further.lengthMax && (options?.length ?? 0) <= 100) {
    return question
  }
  const settings = { ...question.settings }
  if (min_count !== undefined) settings.min_count = Math.min(min_count, further.countMax)
  if (min_length !== undefined) settings.min_length = Math.min(min_length, further.lengthMax)
  if (options !== undefined) settings.options = options.slice(0, 100)
  return { ...question, settings }
}

/**
 * Creates a generator of varied answers to a version, for repeated use: within the bounds and options of every question, some optional questions
 * unanswered, none to five entities of an enumerator and fewer in nested ones. Questions on hidden screens are unanswered. The same for the same
 * numbers.
 */
export function answerSampler(version: AnsweredVersion): (next: Rng) => Answers {
  const screens = version.screens ?? []
  const optional = new Map<number, boolean>()
  for (const screen of screens)
    for (const placement of screen.questions) optional.set(placement.question_id, placement.optional)
  const make = membersMaker(sampleTree(version), 0, id => optional.get(id) ?? true)
  const dropHidden = hiddenAnswersDropper(version.questions, screens)
  return next => {
    const answers = make(next)
    dropHidden(answers)
    return answers
  }
}

/** How often an optional question is answered. */
const answeredShare = 0.85
/** Maximum entities of an enumerator by its depth. At the top level, each number from none up is equally likely: 2.5 on average. */
const entitiesMax = [5, 2, 1]

function membersMaker(
  nodes: readonly SampleNode[],
  depth: number,
  isOptional: (questionId: number) => boolean,
): (next: Rng) => Map<string, Answer> {
  const makers = nodes.map(({ question, children }) => ({
    key: question.question_key,
    // An unanswered optional enumerator has no entities.
    optional: question.kind !== 'ENUMERATOR' && isOptional(question.question_id),
    make:
      question.kind === 'ENUMERATOR'
        ? entitiesMaker(question, children, depth, isOptional)
        : typeOf(question).random(question.settings),
  }))
  return next => {
    const answers = new Map<string, Answer>()
    for (const { key, optional, make } of makers) {
      if (optional && next() >= answeredShare) continue
      const answer = make(next)
      if (answer !== undefined) answers.set(key, answer)
    }
    return answers
  }
}

function entitiesMaker(
  enumerator: VersionQuestion,
  children: readonly SampleNode[],
  depth: number,
  isOptional: (questionId: number) => boolean,
): (next: Rng) => Answer | undefined {
  const make = membersMaker(children, depth + 1, isOptional)
  const least = enumerator.settings.min_count ?? 0
  const most = Math.max(least, Math.min(entitiesMax[depth] ?? 1, enumerator.settings.max_count ?? 5))
  const fewest = isOptional(enumerator.question_id) ? least : Math.max(1, least)
  return next => {
    let count = integerFrom(next, fewest, most)
    // Nested enumerators have fewer entities, so that applications do not grow quadratically.
    if (depth > 0) count = Math.min(count, integerFrom(next, fewest, most))
    if (count === 0) return undefined
    const entities: Entity[] = []
    for (let i = 0; i < count; i++) {
      const answers = make(next)
      const name = entityName(children, answers) ?? pick(next, organizations)
      // Entities of one enumerator have different names.
      const isTaken = entities.some(entity => entity.entity_name === name)
      entities.push({ entity_name: isTaken ? `${name} ${i + 1}` : name, answers })
    }
    return { type: 'ENUMERATOR', entities }
  }
}

/** Only for exported questions other than ENUMERATORs: the tree has no other leaves. */
const typeOf = (question: VersionQuestion) => plainType(exportedType(question.kind) as PlainType)

/** An entity with a name question is named after its answer. */
function entityName(children: readonly SampleNode[], answers: Answers): string | undefined {
  for (const { question } of children) {
    if (question.kind !== 'NAME') continue
    const name = answers.get(question.question_key)
    if (name?.type === 'NAME') return `${name.first_name} ${name.last_name}`
  }
  return undefined
}

function sampleTree(version: AnsweredVersion): SampleNode[] {
  const byEnumerator = new Map<number | null, VersionQuestion[]>()
  for (const question of version.questions) {
    // Answers of a type that only a followed origin knows are not exported.
    if (exportedType(question.kind) === undefined || question.settings.origin_type !== undefined) continue
    const siblings = byEnumerator.get(question.enumerator_id)
    if (siblings === undefined) byEnumerator.set(question.enumerator_id, [question])
    else siblings.push(question)
  }
  const under = (enumeratorId: number | null): SampleNode[] =>
    (byEnumerator.get(enumeratorId) ?? []).map(question => {
      const children = question.kind === 'ENUMERATOR' ? under(question.question_id) : []
      return { question, children, entitySize: children.reduce((size, child) => size + 1 + child.entitySize, 0) }
    })
  return under(null)
}
