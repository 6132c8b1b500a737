// Derives the tables of a program's OData feed from its questions: one for applications, and one for each enumerator at any depth. Pure.
//
// A table is an entity set with flat rows for spreadsheets and dashboards: a column for each field of an answer, such as `home_address__zip`,
// and only keys to link rows. Questions are never removed, and names are assigned in order of first publication, so a name never changes
// its meaning.

import type { FieldForm } from '../../../domain/fields/question-type.ts'
import { type ExportProfile, exportedFields, type KeyMap, type KeyNode } from '../../../domain/questions/key-map.ts'
import { applicationColumns } from '../framings/csv-rows.ts'

/** CSDL types. Times have whole seconds, as everywhere in exports. */
export type FeedType = 'Edm.String' | 'Edm.Int64' | 'Edm.Decimal' | 'Edm.Date' | 'Edm.DateTimeOffset'

export interface FeedColumn {
  /** Its name in the feed. */
  name: string
  type: FeedType
  /** Content: a value, by its name in the outline of a stored text, or a fact about the row. */
  source: string
  form: FieldForm
  /** The question it belongs to; undefined for columns of every row. */
  questionId?: number
}

export interface FeedTable {
  /** Name of the entity set and its type. */
  name: string
  /** Enclosing enumerators; empty for applications. */
  path: readonly KeyNode[]
  /** The first is the key. */
  columns: readonly FeedColumn[]
}

export const applicationsTable = 'Applications'
/** Shares a scope with type names, so a name with a digit starts with an underscore. */
export const containerName = 'Feed1'

const fixed = (names: readonly string[]): FeedColumn[] =>
  names.map(name => ({ name, type: typeOfFixed(name), source: name, form: 'text' }))

const timeColumns: readonly string[] = ['submit_time', 'create_time', 'status_last_modified_time']
const integerColumns: readonly string[] = ['application_id', 'applicant_id', 'program_version_id', 'entity_index']

const typeOfFixed = (name: string): FeedType => {
  if (timeColumns.includes(name)) return 'Edm.DateTimeOffset'
  return integerColumns.includes(name) ? 'Edm.Int64' : 'Edm.String'
}

/** `entity_path` identifies an entity within its application, as in the tables of `tributary pull`; with `application_id` it is the key. */
export const entityFacts = ['entity_key', 'parent_key', 'entity_path', 'entity_index'] as const
const entityColumns = [
  entityFacts[0],
  'application_id',
  'submit_time',
  'revision_state',
  ...entityFacts.slice(1),
  'entity_name',
]

/** Tables of the visible questions: applications first, and every other table after the table that contains it. */
export function feedTables(keyMap: KeyMap, profile: ExportProfile = 'contract'): FeedTable[] {
  const columnsOf = (node: KeyNode): FeedColumn[] =>
    exportedFields(node, profile).map(([field, { form }]) => ({
      name: `${shortened(node)}__${field}`,
      type: typeOf(node, form),
      source: `${node.question_key}.${field}`,
      form,
      questionId: node.question_id,
    }))
  const tablesIn = (path: readonly KeyNode[], nodes: KeyMap): FeedTable[] =>
    nodes.flatMap(node => {
      if (node.type !== 'ENUMERATOR') return []
      const inner = [...path, node]
      const columns = [...fixed(entityColumns), ...node.children.flatMap(columnsOf)]
      return [{ name: setName(inner), path: inner, columns }, ...tablesIn(inner, node.children)]
    })
  const columns = [...fixed(applicationColumns), ...keyMap.flatMap(columnsOf)]
  return [{ name: applicationsTable, path: [], columns }, ...tablesIn([], keyMap)]
}

/** Maximum code points of a question key in a column name. Field names fit into the remaining 28 of an identifier's 128. */
const keyMax = 100

/** Replaces the rest of a long key with the question ID. Keys contain no digits, so the name stays unique. */
const shortened = ({ question_key: key, question_id }: KeyNode): string =>
  key.length <= keyMax ? key : `${[...key].slice(0, keyMax - 16).join('')}${question_id}`

/** `household_members__jobs`, with the question ID appended if another table could have that name. */
function setName(path: readonly KeyNode[]): string {
  const keys = path.map(({ question_key }) => question_key)
  const name = keys.join('__')
  const isClear =
    keys.every(key => key !== '' && !/^_|__|_$/.test(key)) && name.toLowerCase() !== applicationsTable.toLowerCase()
  if (isClear && name.length <= keyMax) return name
  return `_${[...name].slice(0, keyMax - 16).join('')}${path.at(-1)!.question_id}`
}

function typeOf({ type }: KeyNode, form: FieldForm): FeedType {
  if (form === 'date') return 'Edm.Date'
  if (form === 'entities') return 'Edm.Int64'
  if (form === 'number') return type === 'CURRENCY' ? 'Edm.Decimal' : 'Edm.Int64'
  return 'Edm.String'
}
