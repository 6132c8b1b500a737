// Turns an application into rows of every table. A value without a column is an error: nothing is dropped silently. Pure.

import type { CsvCell } from '../csv-text.ts'
import { type PlannedColumn, type Table, tableName } from './table-plan.ts'

export type Cell = CsvCell

/** An object of an application, parsed. */
export type ApplicationMembers = Readonly<Record<string, unknown>>

/** Takes the rows of each table, in the order of the plan's columns. */
export type TakeRow = (table: number, cells: Cell[]) => void

/** An application that has what the tables have no place for. */
export class NoColumn extends Error {
  override name = 'NoColumn'
}

interface Step {
  table: number
  columns: readonly PlannedColumn[]
  /** Enumerators right here, by their keys. */
  enumerators: readonly (readonly [key: string, step: Step])[]
  /** Everything for which an object at this place may have a column. */
  known: ReadonlyMap<string, ReadonlySet<string>>
  /** For each column with an option: those of its list that have a column. */
  options: ReadonlyMap<string, ReadonlySet<string>>
}

/** Makes a function that hands over the rows of one application after another. */
export function rowMaker(tables: readonly Table[]): (application: ApplicationMembers, take: TakeRow) => void {
  const names = tables.map(tableName)
  const stepOf = (table: number): Step => {
    const { path, columns } = tables[table]!
    const known = new Map<string, Set<string>>()
    const options = new Map<string, Set<string>>()
    for (const { question, field, option } of columns) {
      if (question === undefined) continue
      known.set(question, (known.get(question) ?? new Set(['question_type'])).add(field))
      if (option !== undefined) options.set(question, (options.get(question) ?? new Set()).add(option))
    }
    const enumerators = tables.flatMap((other, i) =>
      other.path.length === path.length + 1 && names[i] === [...path, other.path.at(-1)].join('.')
        ? [[other.path.at(-1)!, stepOf(i)] as const]
        : [],
    )
    return { table, columns, enumerators, known, options }
  }
  const top = stepOf(0)
  return (application, take) => {
    const answers = application.application as ApplicationMembers
    const { application_id, program_version_id } = application as { application_id: number; program_version_id: number }
    writeObject(top, application, answers, { id: application_id, version: program_version_id }, [], take)
  }
}

function writeObject(
  step: Step,
  own: ApplicationMembers,
  answers: ApplicationMembers,
  of: { id: number; version: number },
  path: readonly number[],
  take: TakeRow,
): void {
  requireColumns(step, answers, of.id)
  take(
    step.table,
    step.columns.map(column => cellOf(column, own, answers, of.version)),
  )
  for (const [key, inner] of step.enumerators) {
    const entities = ((answers[key] as ApplicationMembers | undefined)?.entities ?? []) as readonly ApplicationMembers[]
    for (const [index, entity] of entities.entries()) {
      const place = [...path, index]
      const row = {
        application_id: of.id,
        entity_path: place.join('.'),
        parent_path: path.length === 0 ? null : path.join('.'),
        entity_index: index,
        entity_name: entity.entity_name,
      }
      writeObject(inner, row, entity, of, place, take)
    }
  }
}

function cellOf(
  { question, field, option, labels }: PlannedColumn,
  own: ApplicationMembers,
  answers: ApplicationMembers,
  version: number,
): Cell {
  if (question === undefined) return (own[field] ?? null) as Cell
  const value = (answers[question] as ApplicationMembers | undefined)?.[field] ?? null
  if (field === 'entities') return Array.isArray(value) ? value.length : 0
  if (option !== undefined) return Array.isArray(value) && value.includes(option)
  if (labels === undefined || value === null) return value as Cell
  return Array.isArray(value) ? value.map(id => labels(String(id), version)) : labels(String(value), version)
}

function requireColumns({ known, options }: Step, answers: ApplicationMembers, id: number): void {
  for (const key in answers) {
    if (key === 'entity_name') continue
    const fields = known.get(key)
    const answer = answers[key] as ApplicationMembers
    if (fields === undefined && Object.keys(answer).some(field => field !== 'question_type')) throw noColumn(key, id)
    // A type that the service doesn't know has no fields, so nothing of it is lost.
    if (fields === undefined) continue
    for (const field in answer) if (!fields.has(field)) throw noColumn(`${key}.${field}`, id)
    const columns = options.get(key)
    if (columns === undefined) continue
    for (const option of (answer.selections ?? []) as readonly string[])
      if (!columns.has(option)) throw noColumn(`${key}.selections.${option}`, id)
  }
}

const noColumn = (what: string, id: number): NoColumn =>
  new NoColumn(`Application ${id} has ${what}, which is missing from its program's docs, so it has no column.`)
