// Reports a benchmark: results compared with their targets, and tables, as text for people and JSON for tools.

import { textTable } from '../../command-line/text-table.ts'

/** A measured figure and its limit, which is inclusive. */
export interface BenchFinding {
  what: string
  measured: number
  unit?: 'MB' | 'ms'
  atLeast?: number
  atMost?: number
}

export interface FigureTable {
  title: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

/** The findings of one section of the benchmark. `raw` contains every single measurement and goes to the JSON only. */
export interface SectionReport {
  findings: readonly BenchFinding[]
  tables: readonly FigureTable[]
  raw: unknown
}

/** A result that could not be computed counts as missed. */
export function isReached({ measured, atLeast = 0, atMost = Number.POSITIVE_INFINITY }: BenchFinding): boolean {
  return measured >= atLeast && measured <= atMost
}

/** `measured`, `wanted` and whether it was reached, one line per finding. */
export function findingsTable(findings: readonly BenchFinding[]): FigureTable {
  const rows = findings.map(finding => {
    const { what, measured, unit = '×', atLeast, atMost } = finding
    const wanted = atLeast === undefined ? `≤ ${digits(atMost!)}` : `≥ ${digits(atLeast)}`
    return [what, `${digits(measured)} ${unit}`, `${wanted} ${unit}`, isReached(finding) ? 'yes' : 'no']
  })
  return { title: 'Results and targets', head: ['', 'measured', 'wanted', 'reached'], rows }
}

/** Three significant digits, and never an exponent: `0.0123`, `1.2`, `12,300`. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

export const renderTable = ({ title, head, rows }: FigureTable): string =>
  [title, ...textTable([head, ...rows])].join('\n')
