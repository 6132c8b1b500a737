// A page as CSV (RFC 4180, UTF-8): a record for each application, with the columns of the top level.
//
// Columns: `next_page_token`; what every application has; then for each question of the key map, in its order, a column for each field
// of its answer, `home_address.zip`. The order of the key map only ever grows at its end, so columns keep their places when a program is
// published again. Of an enumerator there is how many entities it has, `household_member.entities`; the entities themselves are in JSON.
//
// CSV that is cut between two records looks like a shorter one. So a page ends with a record that has nothing but
// `next_page_token`: the token, or `none` on the last page. A page without that record is not whole.
//
// It begins with a byte order mark: without one Excel takes UTF-8 for something else, and garbles every name that is not ASCII.

import { type FieldForm, isList } from '../../domain/question-types/question-type.ts'
import type { KeyMap } from '../../domain/questions/key-map.ts'
import { annotationsOutline, outlineSnapshot } from '../../domain/questions/text-outline.ts'
import type { PageFraming, RowWriter, VersionedRow, WalkQuestions } from '../page-framing.ts'
import { findValues, notesOfValue, outlineBytes } from '../stored-values.ts'
import { cellGrowth, writeList, writeNumber, writeText } from './csv-cells.ts'

const tokenColumn = 'next_page_token'
const revisionColumn = 'revision_state'
const endOfRecord = '\r\n'
const byteOrderMark = '\ufeff'

/** What every application has, those first that people look for. */
const applicationColumns = [
  'application_id',
  'applicant_id',
  'program_name',
  'program_version_id',
  'submit_time',
  'create_time',
  revisionColumn,
  'status',
  'status_last_modified_time',
  'application_note',
  'language',
  'submitter_type',
  'ti_email',
  'ti_organization',
]

export function csvPage(questions: WalkQuestions): PageFraming {
  const rows = rowsOf(questions)
  const emptyCells = ','.repeat(rows.columns.length)
  return {
    opening: rows.header,
    rows,
    between: Buffer.alloc(0),
    end: nextPageToken => `"${nextPageToken ?? 'none'}"${emptyCells}${endOfRecord}`,
  }
}

/** Made once for a key map, which is kept for as long as it is used. */
const made = new WeakMap<KeyMap, CsvRows>()

function rowsOf(questions: WalkQuestions): CsvRows {
  let rows = made.get(questions.keyMap)
  if (rows === undefined) {
    rows = new CsvRows(questions)
    made.set(questions.keyMap, rows)
  }
  return rows
}

interface Column {
  name: string
  form: FieldForm
  /** Of texts, which are joined into one cell. */
  isList: boolean
}

/** How the text of one program version is read: its outline, and for each column which of its values is in it, or -1. */
interface VersionPlan {
  snapshot: ReturnType<typeof outlineBytes>
  values: Int32Array
}

const annotationBytes = outlineBytes(annotationsOutline)

class CsvRows implements RowWriter {
  readonly columns: readonly Column[]
  readonly header: Buffer
  readonly #plans = new Map<number, VersionPlan>()
  /** Of the values of the row at hand; those of its annotations come first. */
  #notes = new Int32Array(0)

  constructor(private readonly questions: WalkQuestions) {
    const { values } = outlineSnapshot(questions.keyMap)
    const byName = new Map([...annotationsOutline.values, ...values].map(value => [value.name, value.form]))
    byName.set(revisionColumn, 'text')
    for (const name of applicationColumns) if (!byName.has(name)) throw new Error(`no application has a ${name}`)
    const known = new Set(applicationColumns)
    const names = [...applicationColumns, ...[...byName.keys()].filter(name => !known.has(name))]
    this.columns = names.map(name => {
      const form = byName.get(name)!
      return { name, form, isList: isList(form) && form !== 'entities' }
    })
    this.header = Buffer.from(`${byteOrderMark}${[tokenColumn, ...names].join(',')}${endOfRecord}`)
  }

  bytes(row: VersionedRow): number {
    const { columns } = this
    let listBytes = 0
    const plan = this.#find(row)
    for (let i = 0; i < columns.length; i++) {
      const value = plan.values[i]!
      const at = value * notesOfValue
      if (value >= 0 && columns[i]!.isList) listBytes += this.#notes[at + 1]! - this.#notes[at]!
    }
    // In a list each sign of a text may get a backslash, elsewhere a value only gets shorter but for its apostrophe; and a comma each.
    const texts = row.snapshotTo - row.snapshotFrom + row.annotationsTo - row.annotationsFrom
    return texts + listBytes + columns.length * (1 + cellGrowth) + 16
  }

  write(target: Buffer, offset: number, row: VersionedRow): number {
    if (offset + this.bytes(row) > target.length) return -1
    const { bytes } = row
    const notes = this.#notes
    const { values } = this.#planOf(row)
    for (let i = 0; i < this.columns.length; i++) {
      const { name, form, isList } = this.columns[i]!
      target[offset++] = comma
      const value = values[i]!
      if (value === -1) {
        if (name === revisionColumn) offset += target.write(row.isCurrent ? 'CURRENT' : 'OBSOLETE', offset)
        else if (form === 'entities') target[offset++] = zero
        continue
      }
      const from = notes[value * notesOfValue]!
      const to = notes[value * notesOfValue + 1]!
      const noted = notes[value * notesOfValue + 2]!
      if (bytes[from] === letterN) continue
      if (form === 'entities') offset += target.write(String(noted), offset)
      else if (isList) offset = writeList(target, offset, bytes, from, to)
      else if (form === 'number') offset = writeNumber(target, offset, bytes, from, to)
      else offset = writeText(target, offset, bytes, from, to, noted === 1)
    }
    target[offset++] = carriageReturn
    target[offset++] = lineFeed
    return offset
  }

  /** Finds the values of a row. */
  #find(row: VersionedRow): VersionPlan {
    const plan = this.#planOf(row)
    const { bytes, snapshotFrom, snapshotTo, annotationsFrom, annotationsTo } = row
    findValues(bytes, annotationsFrom, annotationsTo, annotationBytes, this.#notes, 0)
    findValues(bytes, snapshotFrom, snapshotTo, plan.snapshot, this.#notes, annotationBytes.values.length)
    return plan
  }

  #planOf({ programVersionId }: VersionedRow): VersionPlan {
    let plan = this.#plans.get(programVersionId)
    if (plan !== undefined) return plan
    const shape = this.questions.shapes.get(programVersionId)
    if (shape === undefined)
      throw new Error(`an application is of program version ${programVersionId}, which the key map does not cover`)
    const outline = outlineSnapshot(shape)
    const names = [...annotationsOutline.values, ...outline.values].map(({ name }) => name)
    const places = new Map(names.map((name, i) => [name, i]))
    plan = {
      snapshot: outlineBytes(outline),
      values: Int32Array.from(this.columns, ({ name }) => places.get(name) ?? -1),
    }
    this.#plans.set(programVersionId, plan)
    const numbers = names.length * notesOfValue
    if (this.#notes.length < numbers) this.#notes = new Int32Array(numbers)
    return plan
  }
}

const comma = 44
const carriageReturn = 13
const lineFeed = 10
const zero = 48
const letterN = 110
