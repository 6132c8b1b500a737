// Applications into rows that the database takes as they are, but for their numbers, with what has to be known to number them.
// It is most of the work of a load, so it is done in threads, which have no database.

import { packAnnotation, packApplication } from '../../db/bulk-rows.ts'
import { CopyRows } from '../../db/copy-rows.ts'
import { renderAnnotations, renderSnapshot } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { LinePlace } from '../checking/load-faults.ts'
import type { Fault } from '../reading/document-faults.ts'
import type { LoadDefinition } from '../reading/known-program.ts'
import type { ExportedApplication } from '../reading/read-application.ts'

export interface PackOptions {
  /** No application may be of later. */
  now: Micros
  /** The zone of the instance, in which times are rendered. */
  timeZone: string
  /** Who sets a status or note, for its history. */
  actor: string
}

/** Rows packed together, in their order. */
export interface PackedRows {
  count: number
  /** What has to be known of each: `packedApplication` tells one. */
  columns: Float64Array<ArrayBuffer>
  /** Rows for COPY, unnumbered. */
  applications: Uint8Array<ArrayBuffer>
  annotations: Uint8Array<ArrayBuffer>
}

/** Made of what can be handed from one thread to another. */
export interface PackedApplications extends PackedRows {
  /** Applications looked at, refused ones among them. */
  read: number
  /** What `program` and `language` of the columns count into. */
  programs: string[]
  languages: string[]
  faults: { place: LinePlace; faults: readonly Fault[] }[]
}

/** What has to be known of a packed application to number it. */
export interface PackedApplication {
  program: number
  application_id: number
  applicant_id: number
  language: number
  submit_time: Micros
  is_current: boolean
  place: LinePlace
  /** Where its rows begin in `applications` and `annotations`, and where its numbers are to be put. */
  rowAt: number
  numbersAt: number
  annotationsAt: number
}

/** How many columns each application has. */
export const packedColumns = 10

export function packedApplication({ columns }: Pick<PackedApplications, 'columns'>, i: number): PackedApplication {
  const at = i * packedColumns
  return {
    program: columns[at]!,
    application_id: columns[at + 1]!,
    applicant_id: columns[at + 2]!,
    language: columns[at + 3]!,
    submit_time: columns[at + 4]!,
    is_current: columns[at + 5] === 1,
    place: columns[at + 6]!,
    rowAt: columns[at + 7]!,
    numbersAt: columns[at + 8]!,
    annotationsAt: columns[at + 9]!,
  }
}

/** Counts the programs and languages of packed applications in other lists than their own. */
export function recount({ columns }: PackedApplications, programs: readonly number[], languages: readonly number[]) {
  for (let at = 0; at < columns.length; at += packedColumns) {
    columns[at] = programs[columns[at]!]!
    columns[at + 3] = languages[columns[at + 3]!]!
  }
}

/** Those from the one number `from` on, up to the one before `to`, with their rows. The rows are not copied. */
export function slicePacked(packed: PackedRows, from: number, to: number): PackedRows {
  const first = packedApplication(packed, from)
  const end =
    to === packed.count
      ? { rowAt: packed.applications.length, annotationsAt: packed.annotations.length }
      : packedApplication(packed, to)
  const columns = packed.columns.slice(from * packedColumns, to * packedColumns)
  for (let at = 0; at < columns.length; at += packedColumns) {
    columns[at + 7]! -= first.rowAt
    columns[at + 8]! -= first.rowAt
    columns[at + 9]! -= first.annotationsAt
  }
  return {
    count: to - from,
    columns,
    applications: packed.applications.subarray(first.rowAt, end.rowAt),
    annotations: packed.annotations.subarray(first.annotationsAt, end.annotationsAt),
  }
}

export class ApplicationPacker {
  readonly #applications = new CopyRows()
  readonly #annotations = new CopyRows(64 * 1024)
  #columns: number[] = []
  #programs = new Map<string, number>()
  #languages = new Map<string, number>()
  #faults: PackedApplications['faults'] = []
  #read = 0

  constructor(private readonly options: PackOptions) {}

  /** Bytes packed so far. */
  get bytes(): number {
    return this.#applications.bytes
  }

  refuse(place: LinePlace, faults: readonly Fault[]): void {
    this.#read++
    this.#faults.push({ place, faults })
  }

  /** Renders and packs an application that is right by itself. Throws when its program has no such version. */
  add(definition: LoadDefinition, application: ExportedApplication, place: LinePlace): void {
    const { timeZone } = this.options
    const { program_id, slug } = definition
    const { application_id, applicant_id, program_version_id, create_time, submit_time, annotations } = application
    const version = definition.versions.get(program_version_id)
    if (version === undefined) throw new Error(`program ${slug} has no published version ${program_version_id}`)
    this.#read++
    const is_current = application.revision_state === 'CURRENT'
    const rowAt = this.#applications.bytes
    const annotationsAt = this.#annotations.bytes
    const numbersAt = packApplication(this.#applications, {
      program_id,
      application_id,
      applicant_id,
      program_version_id,
      create_time,
      submit_time,
      submit_seq: 0,
      superseded_seq: is_current ? null : 0,
      ...annotations,
      snapshot: renderSnapshot(application, version.shape, timeZone),
      annotations: renderAnnotations(annotations, timeZone),
      followed: false,
    })
    const program = placeIn(this.#programs, slug)
    const language = placeIn(this.#languages, application.language)
    // As `packedApplication` reads them.
    this.#columns.push(
      program,
      application_id,
      applicant_id,
      language,
      submit_time,
      Number(is_current),
      place,
      rowAt,
      numbersAt,
      annotationsAt,
    )
    this.#packAnnotation(program_id, application)
  }

  #packAnnotation(program_id: number, { application_id, annotations }: ExportedApplication): void {
    const { status, status_last_modified_time, application_note } = annotations
    if (status === null && application_note === null) return
    const changed_at = status_last_modified_time ?? this.options.now
    const changed_by = this.options.actor
    packAnnotation(this.#annotations, { program_id, application_id, changed_at, changed_by, status, application_note })
  }

  /** Everything packed since the last time. */
  take(): PackedApplications {
    const packed: PackedApplications = {
      read: this.#read,
      count: this.#columns.length / packedColumns,
      columns: Float64Array.from(this.#columns),
      programs: [...this.#programs.keys()],
      languages: [...this.#languages.keys()],
      applications: this.#applications.take(),
      annotations: this.#annotations.take(),
      faults: this.#faults,
    }
    this.#columns = []
    this.#programs = new Map()
    this.#languages = new Map()
    this.#faults = []
    this.#read = 0
    return packed
  }
}

/** The place of a text in a table of those that came, to which it is added if it is the first of its kind. */
export function placeIn(table: Map<string, number>, text: string): number {
  const known = table.get(text)
  if (known !== undefined) return known
  table.set(text, table.size)
  return table.size - 1
}
