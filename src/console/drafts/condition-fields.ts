// A condition as fields of a form: lines of question, comparison and value, of which all or any must hold. What is nested deeper
// is a text of its own.

import { conditionFields } from '../../domain/definitions/definition-conditions.ts'
import type { NamedCondition, QuestionDefinition } from '../../domain/definitions/program-definition.ts'
import type { ComparisonOperator } from '../../domain/questions/program-version.ts'
import { exportedType, questionTypes } from '../../domain/questions/question.ts'
import type { ProblemItem } from '../../problem.ts'

export type ConditionMode = 'always' | 'all' | 'any' | 'document'

/** One line. `what` is the question, and the field of its answer. */
interface ConditionLine {
  what: string
  operator: string
  value: string
}

interface ConditionForm {
  mode: ConditionMode
  lines: ConditionLine[]
  document: string
}

const lists: ReadonlySet<string> = new Set(['in', 'includes_any', 'includes_all'])

const whatOf = (question: string, field: string): string => JSON.stringify([question, field])

/** What a line can look at: each field of the answers to these questions. */
export const lookable = (questions: readonly QuestionDefinition[]): { value: string; text: string }[] =>
  questions.flatMap(({ admin_name, kind }) => {
    const type = exportedType(kind)
    if (type === undefined) return []
    const fields = conditionFields(type)
    if (fields.length === 0) return [{ value: whatOf(admin_name, ''), text: admin_name }]
    return fields.map(field => ({
      value: whatOf(admin_name, field),
      text: fields.length === 1 ? admin_name : `${admin_name}: ${field}`,
    }))
  })

export function conditionForm(condition: NamedCondition | null | undefined): ConditionForm {
  if (condition == null) return { mode: 'always', lines: [], document: '' }
  const [mode, inner] =
    'all' in condition
      ? (['all', condition.all] as const)
      : 'any' in condition
        ? (['any', condition.any] as const)
        : (['all', [condition]] as const)
  const lines = inner.map(lineOf)
  if (lines.every(line => line !== undefined)) return { mode, lines, document: '' }
  return { mode: 'document', lines: [], document: JSON.stringify(condition, null, 2) }
}

function lineOf(condition: NamedCondition): ConditionLine | undefined {
  if (!('operator' in condition)) return undefined
  const { question, operator } = condition
  if (operator === 'answered') return { what: whatOf(question, ''), operator, value: '' }
  const values = [condition.value].flat()
  const value = values.join(', ')
  // What would be read back otherwise is left as it is written.
  if (lists.has(operator) && values.some(one => typeof one === 'string' && !/^[^,\s](?:[^,]*[^,\s])?$/.test(one)))
    return undefined
  return { what: whatOf(question, condition.field), operator, value }
}

/** A line of a form that was sent, with the number it has there. */
export interface SentLine extends ConditionLine {
  row: number
  /** Whether it stands as the form was opened with it. */
  untouched: boolean
  /** What was entered in it that its other fields leave no place for, if anything. */
  fault?: ProblemItem
}

const blank: ConditionLine = { what: '', operator: 'equal', value: '' }

/** The lines of a form that was sent; `opened` are those that it was opened with. Lines without a question are there only with a fault. */
export function readLines(form: URLSearchParams, opened: readonly ConditionLine[]): SentLine[] {
  const read = (name: string, row: number): string => (form.get(`when_${name}_${row}`) ?? '').trim()
  return [...form.keys()]
    .flatMap(name => /^when_what_(\d{1,3})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .map(row => {
      const line = { what: read('what', row), operator: read('operator', row), value: read('value', row) }
      const was = opened[row] ?? blank
      const kept = line.operator === was.operator && line.value === was.value
      const untouched = kept && (line.what === was.what || questionOf(line.what) === questionOf(was.what))
      const fault = lineFault(line, row, { kept, value: was.value })
      return { row, ...line, untouched, ...(fault !== undefined && { fault }) }
    })
    .filter(({ what, fault }) => what !== '' || fault !== undefined)
}

function lineFault(
  { what, operator, value }: ConditionLine,
  row: number,
  was: { kept: boolean; value: string },
): ProblemItem | undefined {
  if (what === '' && !was.kept) {
    const detail = `Choose the question that line ${row + 1} looks at, or clear the rest of the line.`
    return { parameter: `when_what_${row}`, code: 'required', detail }
  }
  if (what === '' || operator !== 'answered' || value === '' || value === was.value) return undefined
  const detail = `Must be empty in line ${row + 1}: whether a question was answered is not compared with a value.`
  return { parameter: `when_value_${row}`, code: 'not_allowed', detail }
}

/** What a line says. Values are typed as the field is; what does not fit is reported on saving. */
export function conditionOf(
  { what, operator, value }: ConditionLine,
  questions: readonly QuestionDefinition[],
): NamedCondition {
  const [name, chosen] = readWhat(what)
  if (operator === 'answered') return { question: name, operator }
  const kind = questions.find(({ admin_name }) => admin_name === name)?.kind
  const type = kind === undefined ? undefined : exportedType(kind)
  const isNumber = type !== undefined && questionTypes[type].fields[chosen]?.form === 'number'
  const typed = (text: string): string | number => (isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text)
  const values = lists.has(operator) ? value.split(',').map(one => typed(one.trim())) : typed(value)
  return {
    question: name,
    field: chosen,
    operator: operator as ComparisonOperator,
    value: values as Extract<NamedCondition, { value: unknown }>['value'],
  }
}

/** Which question a line looks at, whatever the field of its answer. */
const questionOf = (what: string): string => readWhat(what)[0]

function readWhat(what: string): [question: string, field: string] {
  try {
    const [question, field] = JSON.parse(what) as unknown[]
    return [String(question), String(field ?? '')]
  } catch {
    return [what, '']
  }
}
