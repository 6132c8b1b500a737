// A question's form as it was sent: what it makes of the question, and which field each error of the document belongs to.

import type { ProblemItem } from '../../../base/problem.ts'
import { kindsWith, type QuestionSetting } from '../../../domain/definitions/definition-schemas.ts'
import { type Asking, placeOf } from '../../../domain/definitions/edit-definition.ts'
import type {
  NamedCondition,
  OptionDefinition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { questionKinds } from '../../../domain/questions/question.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import { asciiName } from '../../../domain/values/slug.ts'
import { kindLabel } from '../programs/question-labels.ts'
import { type ConditionMode, conditionForm, conditionOf, readLines } from './condition-fields.ts'
import { detailInWords } from './condition-problems.ts'
import { inOneLine, sentOptions, takePasted } from './form-rows.ts'

export const bounds = ['min', 'max', 'min_length', 'max_length', 'min_count', 'max_count'] as const

/** The settings a form has fields for, of this kind. */
export const hasSetting = (kind: string, setting: QuestionSetting): boolean =>
  kindsWith(setting).some(one => one === kind)

interface SentQuestion {
  question: QuestionDefinition
  asking: Asking
  /** Errors that the form has before it is a document. */
  errors: ProblemItem[]
  /** Of each option in its order: the row of the form that it came from; undefined where it is a line. */
  optionRows: (number | undefined)[]
  /** The rows that the lines of the condition came from, in their order. */
  whenRows: number[]
}

/** The name and kind of a new question, as its form says them. */
export const newBase = (form: URLSearchParams): Pick<QuestionDefinition, 'admin_name' | 'kind' | 'enumerator'> => ({
  admin_name: (form.get('admin_name') ?? '').trim(),
  kind: questionKinds.find(kind => kind === form.get('kind')) ?? 'TEXT',
  enumerator: (form.get('enumerator') ?? '') === '' ? undefined : form.get('enumerator')!,
})

/** The content of the form, as a question of this name and kind; `before` is the question as it was. */
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
  takePasted(form)
  const options = readOptions(form, before?.options ?? [])
  if (hasSetting(kind, 'options')) question.options = options.map(({ option }) => option)
  const when = readCondition(form, definition, placementOf(definition, before?.admin_name)?.visible_when)
  const screen = /^\d{1,3}$/.test(text('screen')) ? Number(text('screen')) : -1
  const errors = [...when.errors, ...(hasSetting(kind, 'options') ? options.flatMap(({ error }) => error ?? []) : [])]
  // A question that is new was given its kind in the same form, which has fields for every kind.
  const which = `a question of the kind “${kindLabel(kind)}” has none.`
  for (const bound of bounds)
    if (!hasSetting(kind, bound) && text(bound) !== '')
      errors.push(error(bound, 'not_allowed', `Must be left empty: ${which}`))
  if (!hasSetting(kind, 'options') && options.length > 0)
    errors.push(error('options', 'not_allowed', `Must be left empty: ${which}`))
  if (definition.screens[screen] === undefined) errors.push(error('screen', 'required', 'Must be one of the screens.'))
  return {
    question,
    asking: { screen, optional: form.has('optional'), visible_when: when.condition },
    errors,
    optionRows: options.map(({ row }) => row),
    whenRows: when.rows,
  }
}

function placementOf(definition: ProgramDefinition, name: string | undefined): PlacementDefinition | undefined {
  const place = name === undefined ? undefined : placeOf(definition, name)
  return place && definition.screens[place.screen]!.questions[place.index]
}

interface ReadOption {
  option: OptionDefinition
  row: number | undefined
  error: ProblemItem | undefined
}

/** The options in the order of their rows or lines. One without an id has it made of its text. */
function readOptions(form: URLSearchParams, before: readonly OptionDefinition[]): ReadOption[] {
  const sent = sentOptions(form)
  const newId = idMaker(sent.map(({ id }) => id))
  const kept = new Map(before.map(one => [one.admin_id, one]))
  const first = new Map(sent.map(({ text }, at) => [text, at] as const).toReversed())
  return sent.map(({ row, id, text: written }, at) => {
    const admin_id = id === '' ? newId(asciiName(written, '_') || 'option') : id
    const was = kept.get(admin_id)
    // A text with line breaks was shown in one line.
    const text = was !== undefined && row === undefined && inOneLine(was.text) === written ? was.text : written
    const option: OptionDefinition =
      was?.legacy_id === undefined ? { admin_id, text } : { admin_id, text, legacy_id: was.legacy_id }
    const same = first.get(written)!
    const twice = written !== '' && same !== at && was === undefined
    const detail = `${placeOfOption(row, at)} must have a text of its own: ${placeOfOption(sent[same]!.row, same).toLowerCase()} has this one.`
    return { option, row, error: twice ? error(optionField('text', row), 'duplicate', detail) : undefined }
  })
}

/** The field in which a member of an option was sent. */
const optionField = (member: string, row: number | undefined): string =>
  row === undefined ? 'option_lines' : `option_${member}_${row}`

/** `Row 3`; of a line, `Option 3`: lines that are empty do not count. */
const placeOfOption = (row: number | undefined, index: number): string =>
  row === undefined ? `Option ${index + 1}` : `Row ${row + 1}`

/** Makes ids: this name, or with the first number after it that makes it one that is not taken. */
function idMaker(sent: readonly string[]): (name: string) => string {
  const taken = new Set(sent)
  const last = new Map<string, number>()
  return name => {
    let id = name
    let number = last.get(name) ?? 1
    while (taken.has(id)) id = `${name}_${++number}`
    last.set(name, number)
    taken.add(id)
    return id
  }
}

/**
 * The admin names that a new question may have by its text, the best first: `Which kind of tree?` → `which kind of tree`. Those whose
 * key the program has already are left out. Keys have words and no digits: for "Housing 2026" and "Housing 2027" a letter is added.
 */
export function adminNamesOf(text: string, { questions, display_name }: ProgramDefinition): string[] {
  const words = (all: string): string =>
    all
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim()
  const whole = words(text)
  const name = whole.length <= 60 ? whole : whole.slice(0, 60).replace(/ [^ ]*$/, '')
  const taken = new Set(questions.map(({ admin_name }) => foldedKeyOf(admin_name)))
  const program = ` for ${words(display_name)}`
  return [
    '',
    program,
    ' again',
    ' once more',
    ...[...'bcdefghijklmnopqrstuvwxyz'].map(letter => `${program} ${letter}`),
  ]
    .map(after => name + after)
    .filter(one => !taken.has(foldedKeyOf(one)))
}

interface SentCondition {
  condition: NamedCondition | undefined
  /** The rows of the form that its lines came from. */
  rows: number[]
  errors: ProblemItem[]
}

/**
 * The condition that a form was sent with; `opened` is the one it was opened with. What was entered alongside a choice that has no place
 * for it is an error; what the form was opened with gives way to the choice.
 */
export function readCondition(
  form: URLSearchParams,
  definition: ProgramDefinition,
  opened: NamedCondition | null | undefined,
): SentCondition {
  const mode = (form.get('when') ?? 'always') as ConditionMode
  const before = conditionForm(opened)
  const sent = readLines(form, before.lines)
  const errors = sent.flatMap(({ error }) => error ?? [])
  const none = (...more: ProblemItem[]): SentCondition => ({
    condition: undefined,
    rows: [],
    errors: [...errors, ...more],
  })
  const written = (form.get('when_document') ?? '').replaceAll('\r\n', '\n').trim()
  if (mode !== 'document' && written !== '' && written !== before.document.trim())
    return none(error('when_document', 'not_allowed', 'Must be as it was, or chosen above as what holds.'))
  if (mode !== 'all' && mode !== 'any') {
    const detail = 'Choose whether all or any of the lines must hold, or clear the lines: here they would not count.'
    if (sent.some(({ what, untouched }) => what !== '' && !untouched))
      return none(error('when', 'contradiction', detail))
    if (mode !== 'document') return none()
    try {
      return { condition: JSON.parse(written) as NamedCondition, rows: [], errors }
    } catch {
      return none(error('when_document', 'malformed_json', 'Must be a condition as JSON, as in the document.'))
    }
  }
  const lines = sent.filter(({ what }) => what !== '')
  if (lines.length === 0) return none(error('when', 'required', 'Must have a line that says when; or choose “always”.'))
  const rows = lines.map(({ row }) => row)
  const conditions = lines.map(line => conditionOf(line, definition.questions))
  if (conditions.length === 1) return { condition: conditions[0], rows, errors }
  return { condition: mode === 'all' ? { all: conditions } : { any: conditions }, rows, errors }
}

const error = (parameter: string, code: string, detail: string): ProblemItem => ({ parameter, code, detail })

/**
 * The errors of the document, each at the field it belongs to; those of other places say which place. A name that is to be made
 * from the text is missing only because the text is.
 */
export function errorsOfForm(
  errors: readonly ProblemItem[],
  edited: ProgramDefinition,
  name: string,
  { optionRows, whenRows }: Pick<SentQuestion, 'optionRows' | 'whenRows'>,
): ProblemItem[] {
  const defined = `/questions/${edited.questions.findIndex(({ admin_name }) => admin_name === name)}`
  const place = placeOf(edited, name)
  const placed = place === undefined ? undefined : `/screens/${place.screen}/questions/${place.index}`
  const found = errors.map((error): ProblemItem => {
    const { path = '', code } = error
    const detail = detailInWords(edited, error)
    if (path.startsWith(`${defined}/`)) return settingError(path.slice(defined.length + 1), code, detail, optionRows)
    if (placed !== undefined && path.startsWith(`${placed}/`))
      return { parameter: placementField(path.slice(placed.length + 1), whenRows), code, detail }
    return { parameter: 'content', code, detail: `${whereIn(edited, path)}${detail}` }
  })
  const isNameless = name === '' && found.some(({ parameter }) => parameter === 'text')
  return found.filter(({ parameter }) => !(isNameless && parameter === 'admin_name'))
}

/** The errors of a screen's own heading and condition, each at its field. */
export function errorsOfScreen(
  errors: readonly ProblemItem[],
  edited: ProgramDefinition,
  index: number,
  whenRows: readonly number[],
): ProblemItem[] {
  return errors.map((error): ProblemItem => {
    const { path = '', code } = error
    const detail = detailInWords(edited, error)
    const rest = path.startsWith(`/screens/${index}/`) ? path.slice(`/screens/${index}/`.length) : undefined
    if (rest === 'name' || rest?.startsWith('visible_when'))
      return { parameter: placementField(rest, whenRows), code, detail }
    return { parameter: 'content', code, detail: `${whereIn(edited, path)}${detail}` }
  })
}

function settingError(rest: string, code: string, detail: string, optionRows: SentQuestion['optionRows']): ProblemItem {
  const [, index, member] = /^options\/(\d+)\/(\w+)$/.exec(rest) ?? []
  if (rest === 'text' && code === 'too_short') return error(rest, code, 'Write what the applicant reads.')
  if (index === undefined) return error(rest.split('/')[0]!, code, detail)
  const field = member === 'admin_id' ? 'id' : member
  // Ids that are older than the rule come with a document, not with a form.
  const rule = 'must have an id of lower case letters a to z, digits, _ and - only.'
  const words = field === 'id' && code === 'wrong_characters' ? rule : detail[0]!.toLowerCase() + detail.slice(1)
  const row = optionRows[Number(index)]
  return error(optionField(field!, row), code, `${placeOfOption(row, Number(index))}: ${words}`)
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

/** The errors of an edited document that no form was sent for, each with its place in words. */
export const errorsInWords = (errors: readonly ProblemItem[], edited: ProgramDefinition): ProblemItem[] =>
  errors.map(error => ({
    code: error.code,
    detail: `${whereIn(edited, error.path ?? '')}${detailInWords(edited, error)}`,
  }))

/** Which question or screen a path of the document leads to, in words. */
function whereIn(definition: ProgramDefinition, path: string): string {
  const textOf = (name: string | undefined) =>
    `Question “${definition.questions.find(({ admin_name }) => admin_name === name)?.text || name}”`
  const [, screen, , index] = /^\/screens\/(\d+)(\/questions\/(\d+))?/.exec(path) ?? []
  const found = screen === undefined ? undefined : definition.screens[Number(screen)]
  if (found !== undefined)
    return index === undefined ? `Screen “${found.name}”: ` : `${textOf(found.questions[Number(index)]?.question)}: `
  const question = /^\/questions\/(\d+)/.exec(path)?.[1]
  return question === undefined ? '' : `${textOf(definition.questions[Number(question)]?.admin_name)}: `
}
