// The tables of a program's OData feed, by its questions: one of applications, and one for each enumerator at every depth. Pure.
//
// A table is an entity set whose rows are flat, since spreadsheets and dashboards are: a column for each field of an answer,
// `home_address__zip`, and no links between rows but their keys. The questions of a program only grow, and names are given in the order of first
// publication, so no name ever changes its meaning.

import type { FieldForm } from '../../../domain/fields/question-type.ts'
import { type ExportProfile, exportedFields, type KeyMap, type KeyNode } from '../../../domain/questions/key-map.ts'
import { applicationColumns } from '../framings/csv-page.ts'

/** Types of CSDL. A time has whole seconds, as everywhere in an export. */
export type FeedType = 'Edm.String' | 'Edm.Int64' | 'Edm.Decimal' | 'Edm.Date' | 'Edm.DateTimeOffset'

export interface FeedColumn {
  /** Its name in the feed. */
  name: string
  type: FeedType
  /** What it holds: a value as the outline of a stored text names it, or a fact of the row. */
  source: string
  form: FieldForm
  /** The question it is of; undefined of what every row has. */
  questionId?: number
}

export interface FeedTable {
  /** Of the entity set, and of its type. */
  name: string
  /** Enumerators that lead here; none for the applications. */
  path: readonly KeyNode[]
  /** The first is the key. */
  columns: readonly FeedColumn[]
}

export const applicationsTable = 'Applications'
/** Shares a scope with the names of types: those that have a digit begin with an underscore. */
export const containerName = 'Feed1'

const fixed = (names: readonly string[]): FeedColumn[] =>
  names.map(name => ({ name, type: typeOfFixed(name), source: name, form: 'text' }))

const typeOfFixed = (name: string): FeedType =>
  name.endsWith('_time') ? 'Edm.DateTimeOffset' : /_(id|index)$/.test(name) ? 'Edm.Int64' : 'Edm.String'

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

/** The tables of what is seen of a program's questions; that of applications comes first, every other after the one that it lies in. */
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

/** Most code points of a key in the name of a column. No name of a field has more than the 28 that are left of an identifier's 128. */
const keyMax = 100

/** Keys have no digits, so the id that takes the place of what is cut off makes the name one of its own, for ever. */
const shortened = ({ question_key: key, question_id }: KeyNode): string =>
  key.length <= keyMax ? key : `${[...key].slice(0, keyMax - 16).join('')}${question_id}`

/** `household_members__jobs`. Where that could be another's name too, it ends with the id of the question. */
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
