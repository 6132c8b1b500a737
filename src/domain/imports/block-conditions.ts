// Translates a CiviForm block's visibility condition into one of ours, as far as possible. Imported programs use it to show questions; for
// followed programs, it is only displayed. What can't be translated is left out and reported.

import type { ComparisonOperator, Condition, ConditionValue } from '../questions/program-version.ts'

interface ComparedQuestion {
  id: number
  name: string
  options: readonly { id: string; adminName: string }[]
}

/** Deepest nesting of a predicate that is translated. */
const depthMax = 20

/** Our field for each of CiviForm's. Fields that aren't listed can't be translated. */
const fields: Readonly<Record<string, string>> = {
  CITY: 'city',
  CORRECTED: 'corrected',
  CURRENCY_CENTS: 'currency_dollars',
  DATE: 'date',
  EMAIL: 'email',
  FIRST_NAME: 'first_name',
  ID: 'id',
  LAST_NAME: 'last_name',
  LINE2: 'line2',
  MIDDLE_NAME: 'middle_name',
  NUMBER: 'number',
  SELECTION: 'selection',
  SELECTIONS: 'selections',
  STATE: 'state',
  STREET: 'street',
  TEXT: 'text',
  ZIP: 'zip',
}

const operators: Readonly<Record<string, ComparisonOperator>> = {
  ANY_OF: 'includes_any',
  EQUAL_TO: 'equal',
  GREATER_THAN: 'greater_than',
  GREATER_THAN_OR_EQUAL_TO: 'greater_than_or_equal',
  IN: 'in',
  IS_AFTER: 'greater_than',
  IS_BEFORE: 'less_than',
  IS_ON_OR_AFTER: 'greater_than_or_equal',
  IS_ON_OR_BEFORE: 'less_than_or_equal',
  LESS_THAN: 'less_than',
  LESS_THAN_OR_EQUAL_TO: 'less_than_or_equal',
  NOT_EQUAL_TO: 'not_equal',
}

/** CiviForm's negating operators, each with the operator it negates. */
const negated: Readonly<Record<string, string>> = { NONE_OF: 'ANY_OF', NOT_IN: 'IN' }

type Stored = Readonly<Record<string, unknown>> | null | undefined

/** A condition that could not be expressed, with the reason. */
class Unsayable extends Error {}

/**
 * The condition of a block, with questions named by their row IDs in CiviForm. Null if the block is always shown. `why` lists what could not be
 * translated; the block then counts as always shown.
 */
export function blockCondition(
  hidePredicate: unknown,
  questions: ReadonlyMap<number, ComparedQuestion>,
): { condition: Condition | null; why?: string } {
  const predicate = hidePredicate as Stored
  if (predicate === null || predicate === undefined) return { condition: null }
  try {
    const shown = node((predicate.rootNode as Stored)?.node, 0)
    switch (predicate.action) {
      case 'SHOW_BLOCK':
        return { condition: shown }
      case 'HIDE_BLOCK':
        return { condition: { not: shown } }
      default:
        throw new Unsayable(`has the action "${String(predicate.action)}", which is unknown here`)
    }
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error
    return { condition: null, why: error.message }
  }

  function node(stored: unknown, depth: number): Condition {
    const { type, children, node: inner } = (stored ?? {}) as Record<string, unknown>
    if (depth > depthMax) throw new Unsayable('is nested too deeply')
    // A child may be wrapped like the root.
    if (type === undefined && inner !== undefined) return node(inner, depth + 1)
    if ((type === 'and' || type === 'or') && Array.isArray(children)) {
      const conditions = children.map(child => node(child, depth + 1))
      return type === 'and' ? { all: conditions } : { any: conditions }
    }
    if (type !== 'leaf') throw new Unsayable(`contains a node of type "${String(type)}"`)
    return leaf(stored as Record<string, unknown>)
  }

  function leaf({ questionId, scalar, operator, value }: Record<string, unknown>): Condition {
    const question = questions.get(Number(questionId))
    if (question === undefined)
      throw new Unsayable(`depends on question ${String(questionId)}, which this version does not ask`)
    const field = Object.hasOwn(fields, String(scalar)) ? fields[String(scalar)]! : undefined
    const name = String(operator)
    const positive = Object.hasOwn(negated, name) ? negated[name]! : name
    const ours = Object.hasOwn(operators, positive) ? operators[positive]! : undefined
    if (field === undefined || ours === undefined)
      throw new Unsayable(`tests whether ${String(scalar)} of "${question.name}" is ${name}`)
    const condition: Condition = {
      question_id: question.id,
      field,
      operator: ours,
      value: exportedValue(value as Stored, field, question),
    }
    return positive === name ? condition : { not: condition }
  }
}

/** The value as in exports: option names instead of IDs, dollars instead of cents, days instead of milliseconds. */
function exportedValue(stored: Stored, field: string, question: ComparedQuestion): ConditionValue {
  const parsed = parse(stored?.value)
  const item = (value: unknown): string | number => {
    if (field === 'selection' || field === 'selections')
      return question.options.find(({ id }) => id === String(value))?.adminName ?? String(value)
    if (field !== 'currency_dollars' && field !== 'number' && field !== 'date') return String(value)
    const number = Number(value)
    if (!Number.isSafeInteger(number) || Math.abs(number) > 8.64e15)
      throw new Unsayable(`compares "${question.name}" with ${String(value)}`)
    if (field === 'date') return new Date(number).toISOString().slice(0, 10)
    return field === 'number' ? number : number / 100
  }
  return Array.isArray(parsed) ? (parsed.map(item) as string[] | number[]) : item(parsed)
}

/** Values are JSON texts; the oldest ones are bare. */
function parse(value: unknown): unknown {
  try {
    return JSON.parse(String(value))
  } catch {
    return value
  }
}
