// What sheets of applications must hold, from the application objects of a walk and the texts of the program's definition.

import type { Db } from '../../src/db/client.ts'
import { loadProgram, readPublishedVersions } from '../../src/db/programs/programs.ts'
import type { QuestionSettings } from '../../src/domain/questions/question.ts'
import type { ExportedApplication } from './export-client.ts'
import type { ReadSheet } from './read-workbook.ts'

type Members = Readonly<Record<string, unknown>>
type Row = Readonly<Record<string, unknown>>

/** Texts by question key, and the texts of its options by ID. */
export interface SheetTexts {
  question: (key: string) => string
  option: (key: string, id: string) => string
}

/** From the newest version that asks a question, in a language where `translated` finds it. */
export async function textsOf(sql: Db, slug: string, language = ''): Promise<SheetTexts> {
  const versions = await readPublishedVersions(sql, (await loadProgram(sql, slug)).program_id)
  const textOf = ({ text, translations }: Pick<QuestionSettings, 'text' | 'translations'>): string =>
    translations?.[language]?.text ?? text
  const [questions, options] = [new Map<string, string>(), new Map<string, string>()]
  for (const { question_key: key, settings } of versions.flatMap(({ questions }) => questions)) {
    questions.set(key, textOf(settings))
    for (const option of settings.options ?? []) options.set(`${key} ${option.admin_id}`, textOf(option))
  }
  return { question: key => questions.get(key)!, option: (key, id) => options.get(`${key} ${id}`)! }
}

/** Rows of each list of entities by its path, those of applications by the empty path; cells by key. */
export function expectedRows(applications: readonly ExportedApplication[], texts: SheetTexts): Map<string, Row[]> {
  const tables = new Map<string, Row[]>([['', []]])
  const add = (path: string, fixed: Row, answers: Members, place: readonly number[], id: number): void => {
    const row: Record<string, unknown> = { ...fixed }
    tables.set(path, [...(tables.get(path) ?? []), row])
    for (const [key, answer] of Object.entries(answers)) {
      if (key === 'entity_name') continue
      const { question_type, ...fields } = answer as Members
      for (const [field, value] of Object.entries(fields))
        row[`${key}.${field}`] =
          field === 'entities' ? (value as unknown[]).length : cellOf(texts, key, question_type, value)
      const entities = (fields.entities ?? []) as readonly Members[]
      for (const [i, entity] of entities.entries()) {
        const inner = [...place, i]
        const own = {
          application_id: id,
          entity_path: inner.join('.'),
          parent_path: place.length === 0 ? null : place.join('.'),
          entity_index: i,
          entity_name: entity.entity_name,
        }
        add(path === '' ? key : `${path}.${key}`, own, entity, inner, id)
      }
    }
  }
  for (const { application, ...fields } of applications) {
    const times = Object.entries(fields).map(([name, value]) => [
      name,
      name.endsWith('_time') && typeof value === 'string' ? value.slice(0, 19) : value,
    ])
    add('', Object.fromEntries(times), application, [], Number(fields.application_id))
  }
  return tables
}

function cellOf({ option }: SheetTexts, key: string, type: unknown, value: unknown): unknown {
  const isChoice = type === 'SINGLE_SELECT' || type === 'MULTI_SELECT' || type === 'MAP'
  if (Array.isArray(value)) {
    const items = isChoice ? value.map(id => option(key, id)) : value
    return items.length === 0 ? null : items.join('; ')
  }
  if (typeof value !== 'string') return value
  return type === 'DATE' ? `${value}T00:00:00` : isChoice ? option(key, value) : value
}

/** The rows of a sheet by key, an empty cell as null. */
export const keyedRows = ({ rows: [, keys = [], ...rows] }: Pick<ReadSheet, 'rows'>): Row[] =>
  rows.map(row => Object.fromEntries(keys.map((key, i) => [String(key), row[i] ?? null])))
