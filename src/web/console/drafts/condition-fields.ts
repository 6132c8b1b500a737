// A condition as fields of a form: lines of question, comparison and value, of which all or any must hold. What is nested deeper
// is a text of its own.

import type { ProblemItem } from '../../../base/problem.ts'
import { fieldLabel, operatorLabel } from '../../../domain/definitions/condition-text.ts'
import { conditionFields, operatorsOfForm } from '../../../domain/definitions/definition-conditions.ts'
import { ancestors, isVisibleIn } from '../../../domain/definitions/definition-questions.ts'
import type {
  NamedCondition,
  OptionDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import type { FieldForm } from '../../../domain/fields/question-type.ts'
import type { ComparisonOperator } from '../../../domain/questions/program-version.ts'
import { exportedType, questionTypes } from '../../../domain/questions/question.ts'
import { optionRowsMax, sentRows } from './form-rows.ts'

export type ConditionMode = 'always' | 'all' | 'any' | 'document'

/** One line. `what` is the question, and the field of its answer. */
interface ConditionLine {
  what: string
  operator: string
  values: readonly string[]
}

interface ConditionForm {
  mode: ConditionMode
  lines: ConditionLine[]
  document: string
}

const lists: ReadonlySet<string> = new Set(['in', 'includes_any', 'includes_all'])

/** Fields that say nothing to people. */
const technical: ReadonlySet<string> = new Set([
  'well_known_id',
  'latitude',
  'longitude',
  'corrected',
  'file_key',
  'file_urls',
])

const whatOf = (question: string, field: string): string => JSON.stringify([question, field])

/** What a line looks at: a field of the answer to a question, with the comparisons that fit it. */
export interface Target {
  value: string
  text: string
  /** Undefined where a condition can only test whether it was answered. */
  form: FieldForm | undefined
  operators: readonly (ComparisonOperator | 'answered')[]
  options: readonly OptionDefinition[] | undefined
}

/** Whether the options are there to be ticked; of a long list, ids are typed. */
const isTicked = ({ options = [] }: QuestionDefinition, form: FieldForm | undefined): boolean =>
  (form === 'option' || form === 'option_list') && options.length <= optionRowsMax

/** What lines can look at: each field of the answers to these questions that says something to people, and those in `used`. */
export const targetsIn = (questions: readonly QuestionDefinition[], used: readonly string[]): Target[] =>
  questions.flatMap((question): Target[] => {
    const { admin_name, kind, text } = question
    const type = exportedType(kind)
    if (type === undefined) return []
    const fields = conditionFields(type).filter(
      field => !technical.has(field) || used.includes(whatOf(admin_name, field)),
    )
    if (fields.length === 0)
      return [{ value: whatOf(admin_name, ''), text, form: undefined, operators: ['answered'], options: undefined }]
    return fields.map(field => {
      const { form } = questionTypes[type].fields[field]!
      return {
        value: whatOf(admin_name, field),
        text: fields.length === 1 ? text : `${text} (${fieldLabel(field)})`,
        form,
        operators: [...operatorsOfForm[form], 'answered'],
        options: isTicked(question, form) ? question.options : undefined,
      }
    })
  })

/** The target of a line; of a question that was only asked whether it was answered, any field of it. */
export const targetOf = (targets: readonly Target[], what: string): Target | undefined =>
  targets.find(({ value }) => value === what) ??
  (what === '' ? undefined : targets.find(({ value }) => questionOf(value) === questionOf(what)))

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
  if (operator === 'answered') return { what: whatOf(question, ''), operator, values: [] }
  const values = [condition.value].flat().map(String)
  const line = { what: whatOf(question, condition.field), operator, values }
  if (!lists.has(operator)) return line
  // What would be read back otherwise is left as it is written.
  return values.every(one => /^[^,\s](?:[^,]*[^,\s])?$/.test(one)) ? line : undefined
}

/** A line of a form that was sent, with the number it has there. */
export interface SentLine extends ConditionLine {
  row: number
  /** Whether it is as it was when the form was opened. */
  untouched: boolean
  /** What was entered in it that its other fields leave no place for, if anything. */
  error?: ProblemItem
}

const blank: ConditionLine = { what: '', operator: '', values: [] }
const comparisonOf = ({ operator, values }: ConditionLine): string => JSON.stringify([operator, values])

/** The lines of a form that was sent; `opened` are those that it was opened with. Lines without a question are there only with an error. */
export function readLines(form: URLSearchParams, opened: readonly ConditionLine[]): SentLine[] {
  const read = (name: string, row: number): string[] => form.getAll(`when_${name}_${row}`).map(text => text.trim())
  return sentRows(form, 'when')
    .map(row => {
      const line = {
        what: read('what', row)[0] ?? '',
        operator: read('operator', row)[0] ?? '',
        values: read('value', row).filter(value => value !== ''),
      }
      const was = opened[row] ?? blank
      const kept = comparisonOf(line) === comparisonOf(was)
      // A line that another one was removed before is in another row.
      const untouched = opened.some(
        one =>
          comparisonOf(line) === comparisonOf(one) &&
          (line.what === one.what || questionOf(line.what) === questionOf(one.what)),
      )
      const error = lineError(line, row, { ...was, kept })
      return { row, ...line, untouched, ...(error !== undefined && { error }) }
    })
    .filter(({ what, error }) => what !== '' || error !== undefined)
}

function lineError(
  { what, operator, values }: ConditionLine,
  row: number,
  was: ConditionLine & { kept: boolean },
): ProblemItem | undefined {
  if (what === '' && !was.kept) {
    const detail = `Choose the question that line ${row + 1} looks at, or remove the line.`
    return { parameter: `when_what_${row}`, code: 'required', detail }
  }
  if (what !== '' && operator === '') {
    const detail = `Choose in line ${row + 1} what must hold for the answer.`
    return { parameter: `when_operator_${row}`, code: 'required', detail }
  }
  if (what !== '' && values.length > 1 && operator !== 'answered' && !lists.has(operator)) {
    const detail = `Choose one value in line ${row + 1}, or “${operatorLabel.in}” for several.`
    return { parameter: `when_value_${row}`, code: 'not_allowed', detail }
  }
  const value = values.join()
  if (what === '' || operator !== 'answered' || value === '' || value === was.values.join()) return undefined
  const detail = `Must be empty in line ${row + 1}: whether a question was answered is not compared with a value.`
  return { parameter: `when_value_${row}`, code: 'not_allowed', detail }
}

/** What a line says. Values are typed as the field is; what does not fit is reported on saving. */
export function conditionOf(
  { what, operator, values }: ConditionLine,
  questions: readonly QuestionDefinition[],
): NamedCondition {
  const [name, field] = readWhat(what)
  if (operator === 'answered') return { question: name, operator }
  const question = questions.find(({ admin_name }) => admin_name === name)
  const type = question && exportedType(question.kind)
  const form = type === undefined ? undefined : questionTypes[type].fields[field]?.form
  const typed = (text: string): string | number =>
    form === 'number' && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
  // Options are ticked, one or more; what else a list has was typed with commas.
  const listed =
    question !== undefined && isTicked(question, form)
      ? values
      : values.flatMap(value => value.split(',').map(one => one.trim()))
  return {
    question: name,
    field,
    operator: operator as ComparisonOperator,
    value: (lists.has(operator) ? listed.map(typed) : typed(values.join())) as Extract<
      NamedCondition,
      { value: unknown }
    >['value'],
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

/**
 * The questions that a condition may look at: of those asked up to this screen, before `name` if that is there, the ones that are asked
 * once, or for each of what `name` is asked for, too.
 */
export function earlierThan(
  { screens, questions }: ProgramDefinition,
  { name, enumerator, screen }: { name?: string | undefined; enumerator?: string | undefined; screen: number },
): QuestionDefinition[] {
  const known = new Map(questions.map(question => [question.admin_name, question]))
  const inside = enumerator === undefined ? [] : ancestors(enumerator, known)
  const asked = screens.slice(0, screen + 1).map(({ questions }) => questions.map(({ question }) => question))
  const at = asked[screen]?.indexOf(name ?? '') ?? -1
  if (at >= 0) asked[screen]!.splice(at)
  return asked
    .flat()
    .filter(one => one !== name)
    .map(one => known.get(one)!)
    .filter(one => isVisibleIn(inside, one.enumerator))
}
