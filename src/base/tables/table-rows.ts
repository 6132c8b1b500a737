// Turns an application into rows of every table. A value without a column is an error: nothing is dropped silently. Pure.

import type { CsvCell } from '../csv-text.ts'
import { type PlannedColumn, type Table, tableName, unansweredIn } from './table-plan.ts'

export type Cell = CsvCell

/** A parsed object of an application. */
export type ApplicationMembers = Readonly<Record<string, unknown>>

/** Takes the rows of each table, in the order of the plan's columns. */
export type TakeRow = (table: number, cells: Cell[]) => void

/** An application with content that the tables have no column for. */
export class NoColumn extends Error {
  override name = 'NoColumn'
}

/** The destination of a field's values. */
interface FieldPlace {
  column: number
  labels: PlannedColumn['labels']
  /** The column of each option; undefined if one column holds the whole list. */
  options?: Map<string, number>
}

interface Step {
  table: number
  /** The row of an object without any answer. */
  unanswered: readonly Cell[]
  /** Columns that don't belong to a question, by field. */
  own: readonly (readonly [field: string, column: number])[]
  /** Everything that can have a column at this level. */
  places: ReadonlyMap<string, ReadonlyMap<string, FieldPlace | undefined>>
  /** Enumerators at this level, by key. */
  enumerators: readonly (readonly [key: string, step: Step])[]
}

/** Creates a function that passes on the rows of one application after another. */
export function rowMaker(tables: readonly Table[]): (application: ApplicationMembers, take: TakeRow) => void {
  const names = tables.map(tableName)
  const stepOf = (table: number): Step => {
    const { path, columns } = tables[table]!
    const enumerators = tables.flatMap((other, i) =>
      other.path.length === path.length + 1 && names[i] === [...path, other.path.at(-1)].join('.')
        ? [[other.path.at(-1)!, stepOf(i)] as const]
        : [],
    )
    return { table, enumerators, ...placesOf(columns) }
  }
  const top = stepOf(0)
  return (application, take) => {
    const answers = application.application as ApplicationMembers
    const { application_id, program_version_id } = application as { application_id: number; program_version_id: number }
    writeObject(top, application, answers, { id: application_id, version: program_version_id }, [], take)
  }
}

function placesOf(columns: readonly PlannedColumn[]): Pick<Step, 'unanswered' | 'own' | 'places'> {
  const own: [string, number][] = []
  const places = new Map<string, Map<string, FieldPlace | undefined>>()
  for (const [column, { question, field, option, labels }] of columns.entries()) {
    if (question === undefined) {
      own.push([field, column])
      continue
    }
    const fields = places.get(question) ?? new Map<string, FieldPlace | undefined>([['question_type', undefined]])
    places.set(question, fields)
    const place = fields.get(field) ?? { column, labels }
    fields.set(field, place)
    if (option !== undefined) place.options = (place.options ?? new Map()).set(option, column)
  }
  return { unanswered: columns.map(unansweredIn), own, places }
}

function writeObject(
  step: Step,
  own: ApplicationMembers,
  answers: ApplicationMembers,
  of: { id: number; version: number },
  path: readonly number[],
  take: TakeRow,
): void {
  const cells = step.unanswered.slice()
  for (const [field, column] of step.own) cells[column] = (own[field] ?? null) as Cell
  fillAnswers(cells, step.places, answers, of)
  take(step.table, cells)
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

/** Iterates over the answers: looking up the answer for each column, and then each answer's columns, took twice as long. */
function fillAnswers(
  cells: Cell[],
  places: Step['places'],
  answers: ApplicationMembers,
  { id, version }: { id: number; version: number },
): void {
  for (const key in answers) {
    if (key === 'entity_name') continue
    const fields = places.get(key)
    const answer = answers[key] as ApplicationMembers
    if (fields === undefined) {
      // A type that the service doesn't know has no fields, so nothing is lost.
      if (Object.keys(answer).some(field => field !== 'question_type')) throw noColumn(key, id)
      continue
    }
    for (const field in answer) {
      const place = fields.get(field)
      const value = answer[field] ?? null
      if (place === undefined) {
        if (!fields.has(field)) throw noColumn(`${key}.${field}`, id)
      } else if (place.options === undefined) cells[place.column] = cellOf(field, value, place.labels, version)
      else
        for (const option of Array.isArray(value) ? value : []) {
          const column = place.options.get(option)
          if (column === undefined) throw noColumn(`${key}.${field}.${option}`, id)
          cells[column] = true
        }
    }
  }
}

function cellOf(field: string, value: unknown, labels: PlannedColumn['labels'], version: number): Cell {
  if (field === 'entities') return Array.isArray(value) ? value.length : 0
  if (labels === undefined || value === null) return value as Cell
  return Array.isArray(value) ? value.map(id => labels(String(id), version)) : labels(String(value), version)
}

const noColumn = (what: string, id: number): NoColumn =>
  new NoColumn(`Application ${id} has ${what}, which is missing from its program's docs, so it has no column.`)
