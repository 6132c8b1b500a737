// The framing of an OData entity set: the table rows of a page's applications, then the link to the next page.
//
// Values are copied unchanged from the stored JSON text. An application is one row, or one row per entity of the table's enumerator, so a
// page can have any number of rows. The number of rows before each application is recorded.

import { isList } from '../../../domain/fields/question-type.ts'
import type { KeyNode } from '../../../domain/questions/key-map.ts'
import { outlineEntity } from '../../../domain/questions/text-outline.ts'
import { visibleOnly } from '../framings/all-framings.ts'
import { NamedValues } from '../framings/named-values.ts'
import type { PageFraming, RowWriter, VersionedRow, WalkQuestions } from '../framings/page-framing.ts'
import { findValues, notesOfValue, type OutlinedBytes, outlineBytes } from '../framings/stored-values.ts'
import { entityFacts, type FeedColumn, type FeedTable } from './feed-tables.ts'

export interface FeedPage {
  table: FeedTable
  /** Selected columns, including the key. */
  columns: readonly FeedColumn[]
  /** Maximum rows on this and later pages; undefined for all. */
  rowsMax: number | undefined
  context: string
  /** `@odata.count`, if requested. */
  count: number | undefined
  /** Link to a page, given its token and the number of rows still wanted. */
  linkTo: (token: string, rowsMax: number | undefined) => string
}

export function feedFraming(page: FeedPage, questions: WalkQuestions): PageFraming {
  const { context, count, rowsMax = Number.POSITIVE_INFINITY, linkTo } = page
  const rows = new FeedRows(page, questions, rowsMax)
  const counted = count === undefined ? '' : `"@odata.count":${count},`
  const end = (token: string | null, applications: number): string => {
    const left = rowsMax - rows.before(applications)
    if (token === null || left <= 0) return ']}'
    const link = linkTo(token, page.rowsMax === undefined ? undefined : left)
    return `],"@odata.nextLink":${JSON.stringify(link)}}`
  }
  const opening = Buffer.from(`{"@odata.context":${JSON.stringify(context)},${counted}"value":[`)
  return visibleOnly({ opening, rows, between: Buffer.alloc(0), end }, questions)
}

/** How a cell is rendered, as a number, because it is tested for every cell. The last ones are those of `facts`. */
const [plainCell, listCell, countCell, revisionCell, idCell, timeCell] = [0, 1, 2, 3, 4, 5]
const facts: readonly string[] = ['revision_state', 'application_id', 'submit_time', ...entityFacts]

function cellOf({ source, form }: FeedColumn): number {
  if (form === 'entities') return countCell
  if (isList(form)) return listCell
  const fact = facts.indexOf(source)
  return fact === -1 ? plainCell : revisionCell + fact
}

/** An entity of the current row: its index among its siblings, and its own and its parent's path. */
interface Place {
  index: number
  path: string
  parent: string
}

/** How to read entities of a program version at one depth. The last level has the column values; each level before it has only the next list. */
interface EntityPlan {
  outline: OutlinedBytes
  values: Int32Array
  notes: Int32Array
}

const nextList = ({ question_key }: KeyNode): string => `${question_key}.entities`

class FeedRows implements RowWriter {
  readonly #names: readonly Buffer[]
  readonly #cells: Uint8Array
  readonly #top: NamedValues
  readonly #plans = new Map<number, readonly EntityPlan[]>()
  /** Number of rows up to the end of each application on the page. */
  readonly #rowsUpTo: number[] = []
  readonly #out = new GrowingText()
  #row: VersionedRow | undefined
  /** Number of rows on the page, including the current application's. */
  #rows = 0

  constructor(
    private readonly page: FeedPage,
    private readonly questions: WalkQuestions,
    private readonly rowsMax: number,
  ) {
    const { columns, table } = page
    this.#names = columns.map(({ name }, i) => Buffer.from(`${i === 0 ? '{' : ','}"${name}":`))
    this.#cells = Uint8Array.from(columns, cellOf)
    const [first] = table.path
    const names = first === undefined ? columns.map(({ source }) => source) : [nextList(first), ...facts.slice(1, 3)]
    this.#top = new NamedValues(questions, names)
  }

  /** Number of rows before the current application. */
  before(application: number): number {
    return application === 0 ? 0 : this.#rowsUpTo[application - 1]!
  }

  write(target: Buffer, offset: number, row: VersionedRow, _: unknown, index = 0): number {
    this.#render(row, this.before(index), this.rowsMax)
    const { bytes, length } = this.#out
    if (offset + length > target.length) return -1
    this.#rowsUpTo[index] = this.#rows
    return offset + bytes.copy(target, offset, 0, length)
  }

  bytes(row: VersionedRow): number {
    this.#render(row, 1, Number.POSITIVE_INFINITY)
    return this.#out.length
  }

  #render(row: VersionedRow, rowsBefore: number, rowsMax: number): void {
    this.#out.clear()
    this.#rows = rowsBefore
    this.#row = row
    if (rowsBefore >= rowsMax) return
    const values = this.#top.find(row)
    if (this.page.table.path.length === 0) this.#writeRow(values, this.#top.notes, undefined)
    else this.#entities(this.#plansOf(row), 0, values[0]!, this.#top.notes, '', rowsMax)
  }

  /** The entities of the list that is this value. */
  #entities(
    plans: readonly EntityPlan[],
    depth: number,
    value: number,
    notes: Int32Array,
    within: string,
    rowsMax: number,
  ) {
    const plan = plans[depth]
    if (plan === undefined || value === -1) return
    const { bytes } = this.#row!
    const to = notes[value * notesOfValue + 1]!
    let at = notes[value * notesOfValue]! + 1
    for (let index = 0; at < to - 1 && this.#rows < rowsMax; index++) {
      if (bytes[at] === comma) at++
      at = findValues(bytes, at, to, plan.outline, plan.notes, 0)
      const path = `${within === '' ? '' : `${within}.`}${index}`
      if (depth === plans.length - 1) this.#writeRow(plan.values, plan.notes, { index, path, parent: within })
      else this.#entities(plans, depth + 1, plan.values[0]!, plan.notes, path, rowsMax)
    }
  }

  #plansOf({ programVersionId }: VersionedRow): readonly EntityPlan[] {
    let plans = this.#plans.get(programVersionId)
    if (plans !== undefined) return plans
    const { columns, table } = this.page
    const made: EntityPlan[] = []
    let shape = this.questions.shapes.get(programVersionId) ?? []
    for (const [i, { question_key }] of table.path.entries()) {
      const node = shape.find(node => node.question_key === question_key)
      // A version without the enumerator has no rows in this table.
      if (node === undefined) break
      const outline = outlineEntity(node, this.questions.profile)
      const next = table.path[i + 1]
      const names = next === undefined ? columns.map(({ source }) => source) : [nextList(next)]
      const places = new Map(outline.values.map(({ name }, place) => [name, place]))
      made.push({
        outline: outlineBytes(outline),
        values: Int32Array.from(names, name => places.get(name) ?? -1),
        notes: new Int32Array(outline.values.length * notesOfValue),
      })
      shape = node.children
    }
    plans = made.length === table.path.length ? made : []
    this.#plans.set(programVersionId, plans)
    return plans
  }

  #writeRow(values: Int32Array, notes: Int32Array, place: Place | undefined): void {
    const out = this.#out
    const { bytes } = this.#row!
    if (this.#rows++ > 0) out.text(',')
    for (let i = 0; i < values.length; i++) {
      const name = this.#names[i]!
      out.copy(name, 0, name.length)
      const value = values[i]!
      const cell = this.#cells[i]!
      if (value === -1) {
        this.#fact(cell, place)
        continue
      }
      const at = value * notesOfValue
      if (cell === countCell) out.text(String(notes[at + 2]))
      else if (cell === listCell) out.list(bytes, notes[at]!, notes[at + 1]!)
      else out.copy(bytes, notes[at]!, notes[at + 1]!)
    }
    out.text('}')
  }

  /** A cell without a value at its level: a question that the version did not ask, or a fact about the row. */
  #fact(cell: number, place: Place | undefined): void {
    const out = this.#out
    if (cell === revisionCell) out.text(this.#row!.isCurrent ? '"CURRENT"' : '"OBSOLETE"')
    else if (cell === countCell) out.text('0')
    else if (cell === listCell) out.text('""')
    else if (place === undefined || cell === plainCell) out.text('null')
    else if (cell === idCell) this.#topValue(1)
    else if (cell === timeCell) this.#topValue(2)
    else this.#placeCell(cell, place)
  }

  #placeCell(cell: number, { index, path, parent }: Place): void {
    const out = this.#out
    const fact = facts[cell - revisionCell]
    if (fact === 'entity_index') out.text(String(index))
    else if (fact === 'entity_path') out.text(`"${path}"`)
    else if (fact === 'parent_key' && parent === '') out.text('null')
    else {
      out.text('"')
      this.#topValue(1)
      out.text(`:${fact === 'parent_key' ? parent : path}"`)
    }
  }

  #topValue(name: number): void {
    const at = this.#top.valuesOf(this.#row!)[name]! * notesOfValue
    this.#out.copy(this.#row!.bytes, this.#top.notes[at]!, this.#top.notes[at + 1]!)
  }
}

const comma = 44
const quote = 34
const semicolon = 59
const backslash = 92

/** Reusable text in a growing buffer. */
class GrowingText {
  static readonly keptMax = 1024 * 1024
  bytes = Buffer.allocUnsafeSlow(64 * 1024)
  length = 0

  clear(): void {
    if (this.bytes.length > GrowingText.keptMax) this.bytes = Buffer.allocUnsafeSlow(64 * 1024)
    this.length = 0
  }

  /** ASCII only. */
  text(text: string): void {
    this.#room(text.length)
    for (let i = 0; i < text.length; i++) this.bytes[this.length++] = text.charCodeAt(i)
  }

  /** For a few bytes, a loop is faster than a call into the runtime. */
  copy(source: Buffer, from: number, to: number): void {
    this.#room(to - from)
    if (to - from > 40) this.length += source.copy(this.bytes, this.length, from, to)
    else for (let at = from; at < to; at++) this.bytes[this.length++] = source[at]!
  }

  /** A list of strings as one string, as in CSV: separated by semicolons, with semicolons and backslashes escaped by a backslash. */
  list(source: Buffer, from: number, to: number): void {
    this.#room((to - from) * 3 + 2)
    const { bytes } = this
    bytes[this.length++] = quote
    let inString = false
    for (let at = from + 1; at < to - 1; at++) {
      const byte = source[at]!
      if (byte === quote) inString = !inString
      else if (!inString) bytes[this.length++] = semicolon
      else if (byte === semicolon) {
        bytes[this.length++] = backslash
        bytes[this.length++] = backslash
        bytes[this.length++] = byte
      } else if (byte !== backslash) bytes[this.length++] = byte
      else {
        const escaped = source[++at]!
        for (let times = escaped === backslash ? 2 : 1; times > 0; times--) {
          bytes[this.length++] = backslash
          bytes[this.length++] = escaped
        }
      }
    }
    bytes[this.length++] = quote
  }

  #room(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(this.length + more)))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
  }
}
