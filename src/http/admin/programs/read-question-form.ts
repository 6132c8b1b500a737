// A question's form as it was sent: what it makes of the question, and which field each fault of the document belongs to.

import { kindsWith, type Setting } from '../../../domain/definitions/definition-schemas.ts'
import { type Asking, placeOf } from '../../../domain/definitions/edit-definition.ts'
import type {
  NamedCondition,
  OptionDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import type { ProblemItem } from '../../../problem.ts'
import { type ConditionMode, conditionOf, readLines } from './condition-fields.ts'

export const bounds = ['min', 'max', 'min_length', 'max_length', 'min_count', 'max_count'] as const

/** The settings a form has fields for, of this kind. */
export const hasSetting = (kind: string, setting: Setting): boolean => kindsWith(setting).some(one => one === kind)

interface SentQuestion {
  question: QuestionDefinition
  asking: Asking
  /** Faults that the form has before it is a document. */
  faults: ProblemItem[]
  /** The rows of the form that options and lines of the condition came from, in their order. */
  optionRows: number[]
  whenRows: number[]
}

/** What stands in the form, as a question of this name and kind; `before` is the question as it was. */
export function readQuestionForm(
  form: URLSearchParams,
  base: Pick<QuestionDefinition, 'admin_name' | 'kind' | 'enumerator'>,
  before: QuestionDefinition | undefined,
  definition: ProgramDefinition,
): SentQuestion {
  const { kind } = base
  const text = (name: string): string => (form.get(name) ?? '').trim()
  const question: QuestionDefinition = { ...base, text: text('text') }
  if (text('help') !== '') question.help = text('help')
  for (const bound of bounds) {
    const typed = text(bound)
    // A text that is not a number is kept as it was typed: the check of the document says what is wrong with it.
    if (hasSetting(kind, bound) && typed !== '')
      question[bound] = (/^-?\d{1,16}$/.test(typed) ? Number(typed) : typed) as number
  }
  if (hasSetting(kind, 'correct_addresses') && form.has('correct_addresses')) question.correct_addresses = true
  const options = hasSetting(kind, 'options') ? readOptions(form, before?.options ?? []) : []
  if (hasSetting(kind, 'options')) question.options = options.map(({ option }) => option)
  // A question that is new was given its kind in the same form, which has a field for every bound.
  const inapplicable = bounds.filter(bound => !hasSetting(kind, bound) && text(bound) !== '')
  const when = readCondition(form, definition)
  const screen = /^\d{1,3}$/.test(text('screen')) ? Number(text('screen')) : -1
  const faults = [...when.faults]
  for (const parameter of inapplicable)
    faults.push({
      parameter,
      code: 'not_allowed',
      detail: `Must be left empty: a question of type ${kind} has no such bound.`,
    })
  if (definition.screens[screen] === undefined)
    faults.push({ parameter: 'screen', code: 'required', detail: 'Must be one of the screens.' })
  return {
    question,
    asking: { screen, optional: form.has('optional'), visible_when: when.condition },
    faults,
    optionRows: options.map(({ row }) => row),
    whenRows: when.rows,
  }
}

function readOptions(
  form: URLSearchParams,
  before: readonly OptionDefinition[],
): { option: OptionDefinition; row: number }[] {
  const read = (name: string, row: number): string => (form.get(`option_${name}_${row}`) ?? '').trim()
  return [...form.keys()]
    .flatMap(name => /^option_id_(\d{1,4})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter(row => !form.has(`option_gone_${row}`) && (read('id', row) !== '' || read('text', row) !== ''))
    .map(row => {
      const [admin_id, text, at] = [read('id', row), read('text', row), read('at', row)]
      const legacy_id = before.find(one => one.admin_id === admin_id)?.legacy_id
      const option: OptionDefinition = legacy_id === undefined ? { admin_id, text } : { admin_id, text, legacy_id }
      return { option, row, at: /^\d{1,5}$/.test(at) ? Number(at) : Number.POSITIVE_INFINITY }
    })
    .sort((a, b) => (a.at === b.at ? a.row - b.row : a.at - b.at))
}

export function readCondition(
  form: URLSearchParams,
  definition: ProgramDefinition,
): { condition: NamedCondition | undefined; rows: number[]; faults: ProblemItem[] } {
  const mode = (form.get('when') ?? 'always') as ConditionMode
  if (mode === 'document') {
    try {
      return { condition: JSON.parse(form.get('when_document') ?? '') as NamedCondition, rows: [], faults: [] }
    } catch {
      const detail = 'Must be a condition as JSON, as in the document.'
      return {
        condition: undefined,
        rows: [],
        faults: [{ parameter: 'when_document', code: 'malformed_json', detail }],
      }
    }
  }
  if (mode !== 'all' && mode !== 'any') return { condition: undefined, rows: [], faults: [] }
  const lines = readLines(form)
  const conditions = lines.map(line => conditionOf(line, definition.questions))
  const rows = lines.map(({ row }) => row)
  if (conditions.length === 0) {
    const detail = 'Must have a line that says when; or choose “always”.'
    return { condition: undefined, rows, faults: [{ parameter: 'when', code: 'required', detail }] }
  }
  if (conditions.length === 1) return { condition: conditions[0], rows, faults: [] }
  return { condition: mode === 'all' ? { all: conditions } : { any: conditions }, rows, faults: [] }
}

/** The faults of the document, each at the field it belongs to; those of other places say which place. */
export function faultsOfForm(
  faults: readonly ProblemItem[],
  edited: ProgramDefinition,
  name: string,
  { optionRows, whenRows }: Pick<SentQuestion, 'optionRows' | 'whenRows'>,
): ProblemItem[] {
  const defined = `/questions/${edited.questions.findIndex(({ admin_name }) => admin_name === name)}`
  const place = placeOf(edited, name)
  const placed = place === undefined ? undefined : `/screens/${place.screen}/questions/${place.index}`
  return faults.map(({ path = '', code, detail }): ProblemItem => {
    if (path.startsWith(`${defined}/`))
      return { parameter: settingField(path.slice(defined.length + 1), optionRows), code, detail }
    if (placed !== undefined && path.startsWith(`${placed}/`))
      return { parameter: placementField(path.slice(placed.length + 1), whenRows), code, detail }
    return { parameter: 'content', code, detail: `${whereIn(edited, path)}${detail}` }
  })
}

/** The faults of a screen's own heading and condition, each at its field. */
export function faultsOfScreen(
  faults: readonly ProblemItem[],
  edited: ProgramDefinition,
  index: number,
  whenRows: readonly number[],
): ProblemItem[] {
  return faults.map(({ path = '', code, detail }): ProblemItem => {
    const rest = path.startsWith(`/screens/${index}/`) ? path.slice(`/screens/${index}/`.length) : undefined
    if (rest === 'name' || rest?.startsWith('visible_when'))
      return { parameter: placementField(rest, whenRows), code, detail }
    return { parameter: 'content', code, detail: `${whereIn(edited, path)}${detail}` }
  })
}

function settingField(rest: string, optionRows: readonly number[]): string {
  const [, index, member] = /^options\/(\d+)\/(\w+)$/.exec(rest) ?? []
  if (index === undefined) return rest.split('/')[0]!
  return `option_${member === 'admin_id' ? 'id' : member}_${optionRows[Number(index)] ?? 0}`
}

function placementField(rest: string, whenRows: readonly number[]): string {
  if (rest === 'question') return 'admin_name'
  if (!rest.startsWith('visible_when')) return rest
  if (whenRows.length === 0) return 'when_document'
  const [, index = '0', member] =
    /^visible_when(?:\/(?:all|any)\/(\d+))?\/(question|field|operator|value)/.exec(rest) ?? []
  if (member === undefined) return 'when'
  const row = whenRows[Number(index)] ?? 0
  return `when_${member === 'question' || member === 'field' ? 'what' : member}_${row}`
}

/** Which question or screen a path of the document leads to, in words. */
function whereIn(definition: ProgramDefinition, path: string): string {
  const [, screen, , index] = /^\/screens\/(\d+)(\/questions\/(\d+))?/.exec(path) ?? []
  const found = screen === undefined ? undefined : definition.screens[Number(screen)]
  if (found !== undefined)
    return index === undefined ? `Screen "${found.name}": ` : `Question "${found.questions[Number(index)]?.question}": `
  const question = /^\/questions\/(\d+)/.exec(path)?.[1]
  return question === undefined ? '' : `Question "${definition.questions[Number(question)]?.admin_name}": `
}
