// What a benchmark says: findings held against what is wanted, and tables, as text for people and JSON for programs.

/** One measured figure and the line it must not cross. */
export interface Finding {
  what: string
  measured: number
  unit: '×' | 'ms' | 'MB'
  side: '≥' | '≤'
  wanted: number
}

export interface Table {
  title: string
  head: readonly string[]
  /** The first cell of a row is its name; the rest are aligned as numbers. */
  rows: readonly (readonly string[])[]
}

/** What one section of the benchmark found. `raw` goes to the JSON only: every single measurement. */
export interface SectionReport {
  findings?: readonly Finding[]
  tables: readonly Table[]
  notes?: readonly string[]
  raw: unknown
}

export const atLeast = (wanted: number, what: string, measured: number): Finding => ({
  what,
  measured,
  unit: '×',
  side: '≥',
  wanted,
})

export const atMost = (wanted: number, what: string, measured: number, unit: Finding['unit'] = '×'): Finding => ({
  what,
  measured,
  unit,
  side: '≤',
  wanted,
})

export function isReached({ measured, side, wanted }: Finding): boolean {
  return side === '≥' ? measured >= wanted : measured <= wanted
}

/** `measured`, `wanted` and whether it was reached, one line for each finding. */
export function findingsTable(findings: readonly Finding[]): Table {
  return {
    title: 'Measured against wanted',
    head: ['', 'measured', 'wanted', 'reached'],
    rows: findings.map(finding => [
      finding.what,
      figure(finding.measured, finding.unit),
      `${finding.side} ${figure(finding.wanted, finding.unit)}`,
      isReached(finding) ? 'yes' : 'no',
    ]),
  }
}

/** Three significant digits and the unit: `0.812 ×`, `15.3 ms`, `118 MB`. */
export function figure(value: number, unit: string): string {
  return `${digits(value)} ${unit}`
}

/** Three significant digits, and never an exponent: `0.0123`, `1.2`, `12,300`. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}

/** Columns as wide as their widest cell; numbers to the right. */
export function renderTable({ title, head, rows }: Table): string {
  const lines = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...lines.map(cells => width(cells[column] ?? ''))))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? padEnd(cell, widths[0]!) : padStart(cell, widths[column]!))).join('  ')
  return [title, line(head), widths.map(count => '─'.repeat(count)).join('  '), ...rows.map(line)]
    .map(text => text.trimEnd())
    .join('\n')
}

const width = (text: string): number => Bun.stringWidth(text)
const padEnd = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)))
const padStart = (text: string, to: number): string => ' '.repeat(Math.max(0, to - width(text))) + text
