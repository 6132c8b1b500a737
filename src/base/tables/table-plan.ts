// Derives a program's tables from its docs: one for applications, and one for each enumerator at every depth. Pure.
//
// A column is named after the path of its value, `home_address.zip`, so its meaning never changes. Programs only gain questions, fields
// and options, and a new column goes after the existing ones, so no column changes its place.

import { fixedHeadings, partHeading } from './headings.ts'

/** What tables need of a program version's docs about its questions. */
export interface DocumentedQuestion {
  question_key: string
  question_type: string
  /** `application.household_members.entities[<index>].member_name` */
  path: string
  /** As applicants read it. */
  text?: string
  fields: readonly { path: string; type: string }[]
  options: readonly {
    id: string
    text: string
    /** The earlier meanings of its ID, if they changed. A service before 1.1 doesn't report them. */
    earlier?: readonly { text: string; first_version_id: number }[]
  }[]
}

export type ColumnKind = 'text' | 'integer' | 'number' | 'money' | 'boolean' | 'date' | 'time' | 'list'

export interface PlannedColumn {
  name: string
  /** Its name for people. */
  heading: string
  kind: ColumnKind
  /** For an answer: the question's key and the field. For a value of the application or entity itself: only the field. */
  question?: string
  field: string
  /** For a column of one option: the option. */
  option?: string
  /** The texts that replace option IDs in applications to one program version. */
  labels?: (id: string, programVersionId: number) => string
}

export interface Table {
  /** Keys of the enumerators on the path to this table; none for the applications themselves. */
  path: readonly string[]
  columns: readonly PlannedColumn[]
}

export interface TableOptions {
  /** Whether a list of selections becomes one column, or a column for each option. */
  multi: 'one' | 'columns'
  /** Option texts instead of IDs. */
  labels: boolean
}

/** The column's value for an unanswered question, and for an application pulled before the question was added. */
export function unansweredIn({ option, field, kind }: PlannedColumn): false | 0 | readonly [] | null {
  if (option !== undefined) return false
  if (field === 'entities') return 0
  return kind === 'list' ? [] : null
}

/** Columns of earlier tables, by table name. */
export type KnownColumns = Readonly<Record<string, readonly string[]>>

export const tableName = ({ path }: Pick<Table, 'path'>): string => path.join('.')

const ofApplications: readonly PlannedColumn[] = (
  [
    ['application_id', 'integer'],
    ['applicant_id', 'integer'],
    ['program_name', 'text'],
    ['program_version_id', 'integer'],
    ['submit_time', 'time'],
    ['create_time', 'time'],
    ['revision_state', 'text'],
    ['status', 'text'],
    ['status_last_modified_time', 'time'],
    ['application_note', 'text'],
    ['language', 'text'],
    ['submitter_type', 'text'],
    ['ti_email', 'text'],
    ['ti_organization', 'text'],
  ] as const
).map(([field, kind]) => ({ name: field, heading: fixedHeadings[field], kind, field }))

/**
 * `entity_path` identifies an entity within its application: `0` is the first, `0.2` the third within it. With `application_id` it is the key of its
 * row, and `parent_path` identifies the entity that contains it; null at the top level.
 */
const ofEntities: readonly PlannedColumn[] = (
  [
    ['application_id', 'integer'],
    ['entity_path', 'text'],
    ['parent_path', 'text'],
    ['entity_index', 'integer'],
    ['entity_name', 'text'],
  ] as const
).map(([field, kind]) => ({ name: field, heading: fixedHeadings[field], kind, field }))

const entitiesStep = '.entities[<index>].'

/** The keys of the enumerators that contain a question, and its own. */
export function keysOf({ path }: DocumentedQuestion): string[] {
  const [first, ...more] = path.split(entitiesStep)
  return [first!.slice('application.'.length), ...more]
}

/** The questions selected by `fields`: those named, the questions repeated under them, and the enumerators that contain them. */
export function chosenOf(questions: readonly DocumentedQuestion[], fields: string | undefined): DocumentedQuestion[] {
  const names = fields?.split(',').map(name => `${name}.`)
  return questions.filter(question => {
    const own = `${keysOf(question).join('.')}.`
    return names?.some(name => own.startsWith(name) || name.startsWith(own)) ?? true
  })
}

/** The applications' table comes first, and each other table follows its parent. */
export function planTables(
  questions: readonly DocumentedQuestion[],
  options: TableOptions,
  known: KnownColumns = {},
): Table[] {
  const tables = new Map<string, { path: string[]; columns: PlannedColumn[] }>()
  tables.set('', { path: [], columns: [...ofApplications] })
  for (const question of questions) {
    const path = keysOf(question)
    const parent = tables.get(path.slice(0, -1).join('.'))
    if (parent === undefined) throw new Error(`the docs have a question at ${question.path} but no enumerator for it`)
    if (question.question_type === 'ENUMERATOR') tables.set(path.join('.'), { path, columns: [...ofEntities] })
    parent.columns.push(...columnsOf(question, options))
  }
  return [...tables.values()].map(table => ({
    ...table,
    columns: inOrder(table.columns, known[tableName(table)] ?? []),
  }))
}

function inOrder(columns: readonly PlannedColumn[], known: readonly string[]): PlannedColumn[] {
  const places = new Map(known.map((name, place) => [name, place]))
  const placeOf = ({ name }: PlannedColumn): number => places.get(name) ?? known.length
  // The sort is stable, so new columns keep their order.
  const sorted = columns.toSorted((a, b) => placeOf(a) - placeOf(b))
  const lost = known.find((name, place) => sorted[place]?.name !== name)
  if (lost !== undefined)
    throw new Error(
      `The output has a column ${lost} that is no longer in the docs; its question may have been hidden from the key. ` +
        'Pull everything again, without --since-last and with --restart.',
    )
  return sorted
}

function columnsOf(question: DocumentedQuestion, { multi, labels }: TableOptions): PlannedColumn[] {
  const { question_key: key, question_type, path, options, text = key } = question
  const words = labels && options.length > 0 ? wordsOf(options) : undefined
  // The answers about an entity have their own table.
  const fields = question.fields
    .map(({ path: at, type }) => ({ field: at.slice(path.length + 1), type }))
    .filter(({ field }) => !field.includes('['))
  return fields.flatMap(({ field, type }): PlannedColumn[] => {
    const column: PlannedColumn = {
      name: `${key}.${field}`,
      heading: fields.length === 1 ? text : `${text} – ${partHeading(field)}`,
      kind: kindOf(question_type, field, type),
      question: key,
      field,
    }
    const isChoice = field === 'selections' || field === 'selection'
    if (isChoice && column.kind === 'list' && multi === 'columns')
      return options.map(({ id, text: label }) => ({
        ...column,
        name: `${column.name}.${id}`,
        heading: `${text} – ${label}`,
        kind: 'boolean',
        option: id,
      }))
    return [isChoice && words !== undefined ? { ...column, labels: words } : column]
  })
}

/** An ID that the docs don't know has no text and stands for itself; so does an ID from before the earliest meaning they know. */
function wordsOf(options: DocumentedQuestion['options']): NonNullable<PlannedColumn['labels']> {
  const known = new Map(options.map(option => [option.id, option]))
  return (id, programVersionId) => {
    const option = known.get(id)
    if (option === undefined) return id
    const { text, earlier } = option
    // A service's response is not trusted.
    if (!Array.isArray(earlier) || earlier.length === 0) return text
    const run = earlier.findLast(({ first_version_id }) => Number(first_version_id) <= programVersionId)
    return run === undefined ? id : String(run.text)
  }
}

function kindOf(questionType: string, field: string, type: string): ColumnKind {
  if (type.startsWith('array of strings')) return 'list'
  // The number of entities.
  if (type.startsWith('array') || type.startsWith('integer')) return 'integer'
  if (type.startsWith('number')) return questionType === 'CURRENCY' ? 'money' : 'number'
  if (type.startsWith('boolean')) return 'boolean'
  return questionType === 'DATE' && field === 'date' ? 'date' : 'text'
}
