// The rows of a page of CSV: a record for each application, with the columns of the top level.
//
// Columns: the fields of every application, then a column for each field of each question in key map order, such as `home_address.zip`.
// The key map only grows at its end, so columns keep their positions when a program is published again. An enumerator has a column with
// its number of entities, `household_member.entities`; the entities themselves are in JSON only.
//
// Each record begins with the line break that ends the previous record. The page's last line break therefore remains to be written at its end.

import { type FieldForm, isList } from '../../../domain/fields/question-type.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import { annotationsOutline, outlineSnapshot } from '../../../domain/questions/text-outline.ts'
import { cellGrowth, writeList, writeNumber, writeText } from './csv-cells.ts'
import { NamedValues } from './named-values.ts'
import type { PageFraming, RowWriter, VersionedRow, WalkQuestions } from './page-framing.ts'
import { notesOfValue } from './stored-values.ts'

const revisionColumn = 'revision_state'

/** Fields of every application, those that people look for first. */
export const applicationColumns = [
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

/** A framing that is created once per key map, and cached while the key map is used. */
export function oncePerKeyMap(frame: (questions: WalkQuestions) => PageFraming): typeof frame {
  const made = new WeakMap<KeyMap, PageFraming>()
  return questions => {
    const framing = made.get(questions.keyMap) ?? frame(questions)
    made.set(questions.keyMap, framing)
    return framing
  }
}

/** How a value becomes a cell, as a number, because it is tested for every cell. */
const [textKind, numberKind, listKind, entitiesKind] = [0, 1, 2, 3]

const kindOf = (form: FieldForm): number =>
  form === 'entities' ? entitiesKind : isList(form) ? listKind : form === 'number' ? numberKind : textKind

export class CsvRows implements RowWriter {
  readonly columns: readonly string[]
  readonly #kinds: Uint8Array
  readonly #lists: readonly number[]
  readonly #revision: number
  readonly #found: NamedValues

  /** `isExact`: for programs, with texts as they are. Otherwise for spreadsheets, with a first column for the token. */
  constructor(
    questions: WalkQuestions,
    private readonly isExact: boolean,
  ) {
    const { values } = outlineSnapshot(questions.keyMap, questions.profile)
    const byName = new Map([...annotationsOutline.values, ...values].map(value => [value.name, value.form]))
    byName.set(revisionColumn, 'text')
    for (const name of applicationColumns) if (!byName.has(name)) throw new Error(`no application has a ${name}`)
    const known = new Set(applicationColumns)
    const names = [...applicationColumns, ...[...byName.keys()].filter(name => !known.has(name))]
    this.columns = names
    this.#found = new NamedValues(questions, names)
    this.#kinds = Uint8Array.from(names, name => kindOf(byName.get(name)!))
    this.#lists = names.flatMap((_, i) => (this.#kinds[i] === listKind ? [i] : []))
    this.#revision = names.indexOf(revisionColumn)
  }

  bytes(row: VersionedRow): number {
    let listBytes = 0
    const values = this.#found.find(row)
    const { notes } = this.#found
    for (const i of this.#lists) {
      const value = values[i]!
      const at = value * notesOfValue
      if (value >= 0) listBytes += notes[at + 1]! - notes[at]!
    }
    // In a list every character can get a backslash; other values only get shorter, except for the apostrophe. Each cell has a comma.
    const texts = row.snapshotTo - row.snapshotFrom + row.annotationsTo - row.annotationsFrom
    return texts + listBytes + this.columns.length * (1 + cellGrowth) + 16
  }

  write(target: Buffer, offset: number, row: VersionedRow): number {
    if (offset + this.bytes(row) > target.length) return -1
    const { bytes } = row
    const { notes } = this.#found
    const values = this.#found.valuesOf(row)
    const kinds = this.#kinds
    const { isExact } = this
    target[offset++] = carriageReturn
    target[offset++] = lineFeed
    for (let i = 0; i < kinds.length; i++) {
      if (i > 0 || !isExact) target[offset++] = comma
      const value = values[i]!
      const kind = kinds[i]!
      if (value === -1) {
        if (kind === entitiesKind) target[offset++] = zero
        else if (i === this.#revision) offset += target.write(row.isCurrent ? 'CURRENT' : 'OBSOLETE', offset)
        continue
      }
      const from = notes[value * notesOfValue]!
      const to = notes[value * notesOfValue + 1]!
      const noted = notes[value * notesOfValue + 2]!
      if (bytes[from] === letterN) continue
      if (kind === textKind) offset = writeText(target, offset, bytes, from, to, noted === 1, isExact)
      else if (kind === numberKind) offset = writeNumber(target, offset, bytes, from, to)
      else if (kind === listKind) offset = writeList(target, offset, bytes, from, to, isExact)
      else if (noted < 10) target[offset++] = zero + noted
      else offset += target.write(String(noted), offset)
    }
    return offset
  }
}

const comma = 44
const carriageReturn = 13
const lineFeed = 10
const zero = 48
const letterN = 110
