// Checks the screens of a definition document: each question is asked once, in order, and conditions can be evaluated.
// The document may be malformed elsewhere.

import { foldText, isBlank } from '../values/folded-text.ts'
import { comparisonErrors } from './definition-conditions.ts'
import { type Check, type DefinitionError, member, members, none, oneError } from './definition-form.ts'
import {
  ancestors,
  enumeratorDepthLabel,
  isVisibleIn,
  type KnownQuestion,
  knownQuestions,
  type ReadQuestion,
  readQuestions,
} from './definition-questions.ts'
import { isObject } from './stepwise-check.ts'

interface Placed {
  path: string
  admin_name: string
  visible_when: unknown
  /** Its position in the order of the program. */
  position: number
  screen: number
}

/** Every error of the screens of a document. `bank` is undefined if there is none to check against. */
export function* screenErrors(
  document: unknown,
  bank: readonly KnownQuestion[] | undefined,
  enumeratorDepthMax: number,
): Check {
  const questions = readQuestions(document)
  const known = knownQuestions(questions, bank)
  const placed = yield* readPlacements(document)
  const first = new Map<string, Placed>()
  for (const placement of placed.toReversed()) first.set(placement.admin_name, placement)
  // With unreadable questions or without a bank, an unknown name is not an error.
  const complete = bank !== undefined && Array.isArray(member(document, 'questions'))
  yield nameErrors(document)
  yield* statusErrors(document)
  for (const placement of placed) {
    yield placementErrors(placement, first, known, complete)
    yield bankedDepthErrors(placement, known, enumeratorDepthMax)
  }
  if (Array.isArray(member(document, 'screens'))) yield* unplacedErrors(questions, first)
  for (const { value, path, index } of members(document, 'screens')) {
    const earlier = (target: Placed): boolean => target.screen < index
    const scope = { first, known, complete, earlier, inside: [] }
    yield* conditionErrors(member(value, 'visible_when'), `${path}/visible_when`, scope)
  }
  for (const { admin_name, visible_when, path, position } of placed) {
    yield none
    if (!isObject(visible_when)) continue
    const earlier = (target: Placed): boolean => target.position < position
    const inside = ancestors(admin_name, known).slice(1)
    yield* conditionErrors(visible_when, `${path}/visible_when`, { first, known, complete, earlier, inside })
  }
}

function* readPlacements(document: unknown): Check<Placed[]> {
  const placed: Placed[] = []
  for (const { value, path, index: screen } of members(document, 'screens')) {
    for (const placement of members(value, 'questions', path)) {
      yield none
      const admin_name = member(placement.value, 'question')
      if (typeof admin_name !== 'string' || admin_name === '') continue
      const visible_when = member(placement.value, 'visible_when')
      placed.push({ path: placement.path, admin_name, visible_when, position: placed.length, screen })
    }
  }
  return placed
}

/** An invisible name doesn't distinguish anything, nor do two statuses that look the same in a menu. */
function nameErrors(document: unknown): DefinitionError[] {
  const name = member(document, 'display_name')
  return typeof name === 'string' && name !== '' && isBlank(name) ? blankError('/display_name') : []
}

const blankError = (path: string): DefinitionError[] => oneError(path, 'blank', 'Must contain visible characters.')

function* statusErrors(document: unknown): Check {
  const first = new Map<string, string>()
  for (const { value, path } of members(document, 'statuses')) {
    if (typeof value !== 'string' || value === '') continue
    const folded = foldText(value)
    const earlier = first.get(folded)
    if (isBlank(value)) yield blankError(path)
    else if (earlier === undefined) yield none
    else {
      const detail = `Must be unique, ignoring case and spacing; "${value}" is also at ${earlier}.`
      yield oneError(path, 'duplicate_status', detail)
    }
    if (earlier === undefined && !isBlank(value)) first.set(folded, path)
  }
}

function placementErrors(
  placement: Placed,
  first: ReadonlyMap<string, Placed>,
  known: ReadonlyMap<string, ReadQuestion>,
  complete: boolean,
): readonly DefinitionError[] {
  const { admin_name, path } = placement
  const error = (code: string, detail: string) => oneError(`${path}/question`, code, detail)
  const earlier = first.get(admin_name)!
  if (earlier !== placement) {
    return error('placed_twice', `Must be asked once; "${admin_name}" is already asked at ${earlier.path}.`)
  }
  const question = known.get(admin_name)
  if (question === undefined) {
    return complete
      ? error(
          'unknown_question',
          `Must be the name of a question; "${admin_name}" is neither in this document nor in the question bank.`,
        )
      : none
  }
  if (question.enumerator === null) return none
  const parent = first.get(question.enumerator)
  if (parent === undefined) {
    return error(
      'enumerator_not_placed',
      `Must come after its enumerator: add "${question.enumerator}", which repeats "${admin_name}", before it.`,
    )
  }
  return parent.position < placement.position
    ? none
    : error(
        'enumerator_not_placed',
        `Must come after its enumerator "${question.enumerator}", which is at ${parent.path}.`,
      )
}

/** D29, for an enumerator that is only in the bank. For enumerators in the document, the error is at their question (definition-questions). */
function bankedDepthErrors(
  { admin_name, path }: Placed,
  known: ReadonlyMap<string, ReadQuestion>,
  enumeratorDepthMax: number,
): readonly DefinitionError[] {
  const question = known.get(admin_name)
  if (question?.kind !== 'ENUMERATOR' || !question.banked) return none
  if (ancestors(admin_name, known).length !== enumeratorDepthMax + 1) return none
  return oneError(`${path}/question`, 'too_deep', enumeratorDepthLabel(admin_name, enumeratorDepthMax))
}

function* unplacedErrors(questions: readonly ReadQuestion[], first: ReadonlyMap<string, Placed>): Check {
  for (const { admin_name, path } of questions) {
    if (!first.has(admin_name))
      yield oneError(path, 'not_placed', `Must be on a screen; "${admin_name}" is defined but never asked.`)
  }
}

interface Scope {
  first: ReadonlyMap<string, Placed>
  known: ReadonlyMap<string, ReadQuestion>
  complete: boolean
  earlier: (target: Placed) => boolean
  /** The enumerators in whose entities the condition is evaluated, innermost first; none for a screen's condition. */
  inside: readonly string[]
}

function* conditionErrors(condition: unknown, path: string, scope: Scope): Check {
  if (!isObject(condition)) return
  const list = (['all', 'any'] as const).find(form => Object.hasOwn(condition, form))
  if (list !== undefined) {
    for (const inner of members(condition, list, path)) yield* conditionErrors(inner.value, inner.path, scope)
  } else if (Object.hasOwn(condition, 'not')) yield* conditionErrors(condition.not, `${path}/not`, scope)
  else yield targetErrors(condition, path, scope)
}

function targetErrors(condition: Readonly<Record<string, unknown>>, path: string, scope: Scope): DefinitionError[] {
  const name = condition.question
  if (typeof name !== 'string') return []
  const error = (code: string, detail: string) => oneError(`${path}/question`, code, detail)
  const target = scope.first.get(name)
  if (target === undefined) {
    return error('not_asked', `Must refer to an earlier question of this program; no screen asks "${name}".`)
  }
  const order = scope.earlier(target)
    ? []
    : error('not_earlier', `Must refer to an earlier question; "${name}" is at ${target.path}.`)
  const question = scope.known.get(name)
  if (question === undefined) return order
  const hidden = isVisibleIn(scope.inside, question.enumerator)
    ? []
    : error(
        'not_visible',
        `Must refer to a question in the same entity, in an enclosing entity or at the top level; "${name}" is repeated under "${question.enumerator}".`,
      )
  return [...order, ...hidden, ...comparisonErrors(condition, question, path)]
}
