// A page of CSV as a client reads it, by a reader that is not ours; and what the columns of an application ought to hold, from the
// application object of the JSON page.

import { expect } from 'bun:test'
import { parse } from 'csv-parse/sync'
import type { ExportedApplication } from './export-client.ts'

/** A cell: null if there is nothing between two commas, otherwise its text. */
type Cell = string | null
export type CsvRecord = Record<string, Cell>

interface CsvPage {
  columns: string[]
  /** The applications' records, without the last record of the page. */
  records: CsvRecord[]
  nextPageToken: string | null
}

/** Reads a page as documented. Throws if it does not comply with RFC 4180 or is incomplete. */
export function readCsvPage(text: string): CsvPage {
  expect(text).toStartWith('\ufeff')
  if (!text.endsWith('\r\n')) throw new Error('the page does not end with the end of a record')
  const [columns, ...lines] = cellsOf(text) as [string[], ...Cell[][]]
  const records = recordsOf(columns, lines)
  const end = records.pop()?.next_page_token
  if (typeof end !== 'string') throw new Error('the page has no record that ends it')
  for (const record of records) expect(record.next_page_token).toBeNull()
  return {
    columns,
    records: records.map(({ next_page_token: _, ...record }) => record),
    nextPageToken: end === 'none' ? null : end,
  }
}

/** Reads a page for software as documented: its count and token are in the headers. Throws if it is incomplete. */
export function readExactCsvPage(text: string, headers: Headers): CsvPage {
  expect(text).not.toStartWith('\ufeff')
  if (!text.endsWith('\r\n')) throw new Error('the page does not end with the end of a record')
  const [columns, ...lines] = cellsOf(text) as [string[], ...Cell[][]]
  const count = Number(headers.get('Application-Count'))
  if (lines.length !== count) throw new Error(`the page has ${lines.length} applications, and announces ${count}`)
  const token = headers.get('Next-Page-Token')!
  return { columns, records: recordsOf(columns, lines), nextPageToken: token === 'none' ? null : token }
}

const cellsOf = (text: string): Cell[][] =>
  parse(text, {
    bom: true,
    record_delimiter: '\r\n',
    cast: (value, { quoting }) => (value === '' && !quoting ? null : value),
  }) as unknown as Cell[][]

const recordsOf = (columns: readonly string[], lines: readonly Cell[][]): CsvRecord[] =>
  lines.map(cells => Object.fromEntries(cells.map((cell, i) => [columns[i]!, cell])))

/** The cell's text without the apostrophe that keeps spreadsheets from interpreting a formula. */
export const textOf = (cell: Cell): Cell => (cell?.startsWith("'") === true ? cell.slice(1) : cell)

/** The columns of an application, cells without their apostrophe. */
export function csvRecordOf({ application, ...fields }: ExportedApplication): CsvRecord {
  const cells: [string, Cell][] = Object.entries(fields).map(([name, value]) => [name, cellOf(value)])
  for (const [questionKey, answer] of Object.entries(application)) {
    for (const [field, value] of Object.entries(answer)) {
      if (field === 'entities') cells.push([`${questionKey}.entities`, String((value as unknown[]).length)])
      else if (field !== 'question_type') cells.push([`${questionKey}.${field}`, cellOf(value)])
    }
  }
  return Object.fromEntries(cells)
}

function cellOf(value: unknown): Cell {
  if (value === null) return null
  if (typeof value === 'number') return JSON.stringify(value)
  if (typeof value === 'string') return value.replaceAll('\0', '␀')
  const items = value as unknown[]
  if (items.length === 0) return null
  return items.map(item => String(item).replaceAll('\0', '␀').replaceAll(/[\\;]/g, '\\$&')).join(';')
}
