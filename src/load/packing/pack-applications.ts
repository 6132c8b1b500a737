// Applications into rows that the database takes as they are, but for their numbers, with what has to be known to number them.
// It is most of the work of a load, so it is done in threads, which have no database.

import { packAnnotation, packApplication } from '../../db/bulk-rows.ts'
import { CopyRows } from '../../db/copy-rows.ts'
import { renderAnnotations, renderSnapshot } from '../../domain/questions/application.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { Fault } from '../reading/document-faults.ts'
import type { LoadDefinition } from '../reading/known-program.ts'
import type { ExportedApplication } from '../reading/read-application.ts'
import type { LinePlace } from '../storing/load-faults.ts'

export interface PackOptions {
  /** No application may be of later. */
  now: Micros
  /** The zone of the instance, in which times are rendered. */
  timeZone: string
  /** Who sets a status or note, for its history. */
  actor: string
}

/** Applications packed together, in their order; made of what can be handed from one thread to another. */
export interface PackedApplications {
  /** Applications looked at, refused ones among them. */
  read: number
  /** Those that were packed, in columns: `columnsOf` tells one. */
  count: number
  columns: Float64Array<ArrayBuffer>
  /** What `program` and `language` of the columns count into. */
  programs: string[]
  languages: string[]
  /** Rows for COPY, unnumbered. */
  applications: Uint8Array<ArrayBuffer>
  annotations: Uint8Array<ArrayBuffer>
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
  numbersAt: number
  place: LinePlace
}

const columnsPerApplication = 8

export function packedApplication({ columns }: PackedApplications, i: number): PackedApplication {
  const at = i * columnsPerApplication
  return {
    program: columns[at]!,
    application_id: columns[at + 1]!,
    applicant_id: columns[at + 2]!,
    language: columns[at + 3]!,
    submit_time: columns[at + 4]!,
    is_current: columns[at + 5] === 1,
    numbersAt: columns[at + 6]!,
    place: columns[at + 7]!,
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
    const numbersAt = packApplication(this.#applications, {
      program_id,
      application_id,
      applicant_id,
      program_version_id,
      create_time,
      submit_time,
      is_current,
      ...annotations,
      snapshot: renderSnapshot(application, version.shape, timeZone),
      annotations: renderAnnotations(annotations, timeZone),
    })
    const program = indexOf(this.#programs, slug)
    const language = indexOf(this.#languages, application.language)
    // As `packedApplication` reads them.
    this.#columns.push(
      program,
      application_id,
      applicant_id,
      language,
      submit_time,
      Number(is_current),
      numbersAt,
      place,
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
      count: this.#columns.length / columnsPerApplication,
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

function indexOf(table: Map<string, number>, text: string): number {
  const known = table.get(text)
  if (known !== undefined) return known
  table.set(text, table.size)
  return table.size - 1
}
