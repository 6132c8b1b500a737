// The rules for the screens of a definition document: each question once, in order, and conditions that can be decided.
// It reads documents that may be malformed elsewhere.

import { foldText, isBlank } from '../values/folded-text.ts'
import { comparisonErrors } from './definition-conditions.ts'
import { type DefinitionError, isObject, member, members, oneError } from './definition-form.ts'
import {
  ancestors,
  enumeratorDepthLabel,
  isVisibleIn,
  type KnownQuestion,
  knownQuestions,
  type ReadQuestion,
  readQuestions,
} from './definition-questions.ts'

interface Placed {
  path: string
  admin_name: string
  visible_when: unknown
  /** Its place in the order in which the program asks. */
  position: number
  screen: number
}

/** Every error of the screens of a document. `bank` undefined: without a bank to look in. */
export function screenErrors(
  document: unknown,
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
): DefinitionError[] {
  const questions = readQuestions(document)
  const known = knownQuestions(questions, bank)
  const placed = readPlacements(document)
  const first = new Map<string, Placed>()
  for (const placement of [...placed].reverse()) first.set(placement.admin_name, placement)
  // With unreadable questions, or without a bank, an unknown name is no error.
  const complete = bank !== undefined && Array.isArray(member(document, 'questions'))
  return [
    ...nameErrors(document),
    ...statusErrors(document),
    ...placed.flatMap(placement => [
      ...placementErrors(placement, first, known, complete),
      ...bankedDepthErrors(placement, known, enumeratorDepthMax),
    ]),
    ...(Array.isArray(member(document, 'screens')) ? unplacedErrors(questions, first) : []),
    ...members(document, 'screens').flatMap((screen, index) => {
      const earlier = (target: Placed): boolean => target.screen < index
      const at = `${screen.path}/visible_when`
      return conditionErrors(member(screen.value, 'visible_when'), at, { first, known, complete, earlier, inside: [] })
    }),
    ...placed.flatMap(placement => {
      const earlier = (target: Placed): boolean => target.position < placement.position
      const inside = ancestors(placement.admin_name, known).slice(1)
      const at = `${placement.path}/visible_when`
      return conditionErrors(placement.visible_when, at, { first, known, complete, earlier, inside })
    }),
  ]
}

function readPlacements(document: unknown): Placed[] {
  let position = 0
  return members(document, 'screens').flatMap(({ value, path }, screen) =>
    members(value, 'questions', path).flatMap(placement => {
      const admin_name = member(placement.value, 'question')
      if (typeof admin_name !== 'string' || admin_name === '') return []
      const visible_when = member(placement.value, 'visible_when')
      return [{ path: placement.path, admin_name, visible_when, position: position++, screen }]
    }),
  )
}

/** A name that cannot be seen tells nothing from nothing; nor do two statuses that look the same in a menu. */
function nameErrors(document: unknown): DefinitionError[] {
  const name = member(document, 'display_name')
  return typeof name === 'string' && name !== '' && isBlank(name) ? blankError('/display_name') : []
}

const blankError = (path: string): DefinitionError[] =>
  oneError(path, 'blank', 'Must have something to be seen, not only spaces.')

function statusErrors(document: unknown): DefinitionError[] {
  const first = new Map<string, string>()
  return members(document, 'statuses').flatMap(({ value, path }) => {
    if (typeof value !== 'string' || value === '') return []
    if (isBlank(value)) return blankError(path)
    const earlier = first.get(foldText(value))
    if (earlier === undefined) first.set(foldText(value), path)
    return earlier === undefined
      ? []
      : oneError(
          path,
          'duplicate_status',
          `Must be unique: "${value}" is also at ${earlier}, at most in other case or spacing.`,
        )
  })
}

function placementErrors(
  placement: Placed,
  first: ReadonlyMap<string, Placed>,
  known: ReadonlyMap<string, ReadQuestion>,
  complete: boolean,
): DefinitionError[] {
  const { admin_name, path } = placement
  const error = (code: string, detail: string) => oneError(`${path}/question`, code, detail)
  const earlier = first.get(admin_name)!
  if (earlier !== placement) {
    return error('placed_twice', `Must be asked once: "${admin_name}" is already asked at ${earlier.path}.`)
  }
  const question = known.get(admin_name)
  if (question === undefined) {
    return complete
      ? error('unknown_question', `Must name a question: "${admin_name}" is neither defined here nor in the bank.`)
      : []
  }
  if (question.enumerator === null) return []
  const parent = first.get(question.enumerator)
  if (parent === undefined) {
    return error(
      'enumerator_not_placed',
      `Must come after its enumerator: "${admin_name}" is repeated under "${question.enumerator}", which no screen asks.`,
    )
  }
  return parent.position < placement.position
    ? []
    : error(
        'enumerator_not_placed',
        `Must come after its enumerator: "${admin_name}" is repeated under "${question.enumerator}", asked only at ${parent.path}.`,
      )
}

/** D29, for an enumerator that is only in the bank; for those in the document their questions are named (definition-questions). */
function bankedDepthErrors(
  { admin_name, path }: Placed,
  known: ReadonlyMap<string, ReadQuestion>,
  enumeratorDepthMax: number,
): DefinitionError[] {
  const question = known.get(admin_name)
  if (question?.kind !== 'ENUMERATOR' || !question.banked) return []
  if (ancestors(admin_name, known).length !== enumeratorDepthMax + 1) return []
  return oneError(`${path}/question`, 'too_deep', enumeratorDepthLabel(admin_name, enumeratorDepthMax))
}

function unplacedErrors(questions: readonly ReadQuestion[], first: ReadonlyMap<string, Placed>): DefinitionError[] {
  return questions
    .filter(({ admin_name }) => !first.has(admin_name))
    .flatMap(({ admin_name, path }) =>
      oneError(path, 'not_placed', `Must be asked: "${admin_name}" is defined, but no screen has it.`),
    )
}

interface Scope {
  first: ReadonlyMap<string, Placed>
  known: ReadonlyMap<string, ReadQuestion>
  complete: boolean
  earlier: (target: Placed) => boolean
  /** The enumerators in whose entities the condition is decided, from the inside outwards; none for a screen's. */
  inside: readonly string[]
}

function conditionErrors(condition: unknown, path: string, scope: Scope): DefinitionError[] {
  if (!isObject(condition)) return []
  for (const form of ['all', 'any'] as const) {
    if (Object.hasOwn(condition, form)) {
      return members(condition, form, path).flatMap(inner => conditionErrors(inner.value, inner.path, scope))
    }
  }
  if (Object.hasOwn(condition, 'not')) return conditionErrors(condition.not, `${path}/not`, scope)
  const name = condition.question
  if (typeof name !== 'string') return []
  const error = (code: string, detail: string) => oneError(`${path}/question`, code, detail)
  const target = scope.first.get(name)
  if (target === undefined) {
    return error('not_asked', `Must look at an earlier question of this program: no screen asks "${name}".`)
  }
  const order = scope.earlier(target)
    ? []
    : error('not_earlier', `Must look at an earlier question: "${name}" is asked at ${target.path}.`)
  const question = scope.known.get(name)
  if (question === undefined) return order
  const hidden = isVisibleIn(scope.inside, question.enumerator)
    ? []
    : error(
        'not_visible',
        `Must look at a question of the same entity, of one around it, or of the top level: "${name}" is repeated under "${question.enumerator}".`,
      )
  return [...order, ...hidden, ...comparisonErrors(condition, question, path)]
}
