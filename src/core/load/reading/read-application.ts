// Parses an application object in the export's format: the submission, and its later status and note.

import type { Answers } from '../../../domain/questions/answers.ts'
import type { Annotations, RevisionState, Submitter } from '../../../domain/questions/application.ts'
import { exactInteger } from '../../../domain/values/exact-number.ts'
import { isJsonObject, type Json, JsonNumber, type JsonObject } from '../../../domain/values/json-text.ts'
import { canonicalLanguageTag } from '../../../domain/values/language-tag.ts'
import { beforeAllSubmissions, formatMicros, type Micros, parseOffsetTime } from '../../../domain/values/offset-time.ts'
import { type DocumentError, describeValue, ErrorFinder } from './document-errors.ts'
import { type KnownMembers, readMembers } from './question-objects.ts'

/** The content of an application object. */
export interface ExportedApplication {
  applicant_id: number
  application_id: number
  program_name: string
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  language: string
  submitter: Submitter
  revision_state: RevisionState
  annotations: Annotations
  answers: Answers
}

/** What to expect in `application`, by program and program version; `error` is the reason if nothing can be expected. */
export type FindMembers = (programName: string, programVersionId: number) => KnownMembers | { error: string }

const fields = [
  'applicant_id',
  'application_id',
  'create_time',
  'language',
  'program_name',
  'program_version_id',
  'revision_state',
  'status',
  'status_last_modified_time',
  'application_note',
  'submit_time',
  'submitter_type',
  'ti_email',
  'ti_organization',
  'application',
] as const
type Field = (typeof fields)[number]
const fieldNames: ReadonlySet<string> = new Set(fields)

/**
 * Reads an application object, or reports all of its errors. Answers are checked for shape, format and options ever selectable, but not for bounds,
 * which older answers may violate. Nullable fields may be missing; times may have any offset but must not be after `now`. Source: spec, "Application
 * object" and "Question objects".
 */
export function readExportedApplication(
  value: Json,
  findMembers: FindMembers,
  now: Micros,
): { application: ExportedApplication } | { errors: readonly DocumentError[] } {
  const find = new ErrorFinder()
  if (!isJsonObject(value)) {
    find.add('not_an_object', `must be an application object, but is ${describeValue(value)}`)
    return { errors: find.errors }
  }
  const application = new ApplicationReader(value, find, now).read(findMembers)
  return find.errors.length > 0 ? { errors: find.errors } : { application }
}

/** Reads field by field. For an invalid field, it notes the error and uses a placeholder that is never stored. */
class ApplicationReader {
  constructor(
    private readonly object: JsonObject,
    private readonly find: ErrorFinder,
    private readonly now: Micros,
  ) {}

  read(findMembers: FindMembers): ExportedApplication {
    const application = {
      applicant_id: this.#id('applicant_id'),
      application_id: this.#id('application_id'),
      program_name: this.#text('program_name'),
      program_version_id: this.#id('program_version_id'),
      create_time: this.#time('create_time'),
      submit_time: this.#time('submit_time'),
      language: this.#language(),
      submitter: this.#submitter(),
      revision_state: this.#oneOf('revision_state', ['CURRENT', 'OBSOLETE'] as const),
      annotations: this.#annotations(),
    }
    this.#refuseOthers()
    const { create_time, submit_time, program_name, program_version_id } = application
    if (create_time > submit_time && submit_time !== unread)
      this.find.add('wrong_order', 'must not be after submit_time', 'create_time')
    if (submit_time !== unread && submit_time < submitTimeMin)
      this.find.add('too_early', `must not be before ${beforeAllSubmissions}`, 'submit_time')
    return { ...application, answers: this.#answers(findMembers, program_name, program_version_id) }
  }

  #answers(findMembers: FindMembers, programName: string, programVersionId: number): Answers {
    const nothing: Answers = new Map()
    const value = this.#value('application')
    if (!isJsonObject(value)) {
      this.find.add(
        'not_an_object',
        `must be an object of question objects, but is ${describeValue(value)}`,
        'application',
      )
      return nothing
    }
    if (programName === '' || programVersionId === unread) return nothing
    const members = findMembers(programName, programVersionId)
    if ('error' in members) {
      this.find.add('unknown_version', members.error, 'program_version_id')
      return nothing
    }
    this.find.enter('application')
    const answers = readMembers(value, members, this.find, [])
    this.find.leave()
    return answers
  }

  #annotations(): Annotations {
    const status = this.#storable('status')
    const status_last_modified_time = this.#nullableTime('status_last_modified_time')
    const application_note = this.#storable('application_note')
    if (status !== null && status_last_modified_time === null)
      this.find.add('incomplete', 'is required if there is a status', 'status_last_modified_time')
    return { status, status_last_modified_time, application_note }
  }

  #submitter(): Submitter {
    const submitter_type = this.#oneOf('submitter_type', ['APPLICANT', 'TRUSTED_INTERMEDIARY'] as const)
    const ti_email = this.#nullableText('ti_email')
    const ti_organization = this.#nullableText('ti_organization')
    if (submitter_type === 'APPLICANT') {
      if (ti_email !== null || ti_organization !== null)
        this.find.add(
          'wrong_submitter',
          'must be TRUSTED_INTERMEDIARY if there is a ti_email or ti_organization',
          'submitter_type',
        )
      return { submitter_type }
    }
    if (ti_email === null) this.find.add('incomplete', 'is required for a TRUSTED_INTERMEDIARY', 'ti_email')
    if (ti_organization === null)
      this.find.add('incomplete', 'is required for a TRUSTED_INTERMEDIARY', 'ti_organization')
    return { submitter_type, ti_email: ti_email ?? '', ti_organization: ti_organization ?? '' }
  }

  #language(): string {
    const language = this.#text('language')
    if (language !== '' && canonicalLanguageTag(language) === undefined)
      this.find.add(
        'wrong_format',
        `must be a language tag such as en-US, but is ${describeValue(language)}`,
        'language',
      )
    return language
  }

  #value(field: Field): Json | undefined {
    return this.object.get(field)
  }

  #id(field: Field): number {
    const value = this.#value(field)
    const id = value instanceof JsonNumber ? exactInteger(value.source) : undefined
    if (id !== undefined && id > 0) return id
    this.find.add('wrong_format', `must be a whole number of at least 1, but is ${describeValue(value)}`, field)
    return unread
  }

  #text(field: Field): string {
    const value = this.#value(field)
    if (typeof value === 'string' && value !== '') return value
    this.find.add('not_a_string', `must be a non-empty string, but is ${describeValue(value)}`, field)
    return ''
  }

  #nullableText(field: Field): string | null {
    const value = this.#value(field) ?? null
    if (value === null || typeof value === 'string') return value
    this.find.add('not_a_string', `must be a string or null, but is ${describeValue(value)}`, field)
    return null
  }

  /** A text with a column of its own, which can hold neither U+0000 nor lone surrogates. */
  #storable(field: Field): string | null {
    const value = this.#nullableText(field)
    if (value === null || (value.isWellFormed() && !value.includes('\0'))) return value
    this.find.add('unstorable_text', 'must be valid Unicode without U+0000 or lone surrogates', field)
    return null
  }

  #time(field: Field): Micros {
    const time = this.#nullableTime(field)
    if (time === null && (this.#value(field) ?? null) === null)
      this.find.add('wrong_format', 'is required: a date-time such as 2026-01-31T09:30:00-08:00', field)
    return time ?? unread
  }

  #nullableTime(field: Field): Micros | null {
    const value = this.#value(field) ?? null
    if (value === null) return null
    const time = typeof value === 'string' ? parseOffsetTime(value) : undefined
    if (time === undefined) {
      const right =
        'a date-time with an offset such as 2026-01-31T09:30:00-08:00, in the years 1684 to 2255, with at most microsecond precision'
      this.find.add('wrong_format', `must be ${right}, but is ${describeValue(value)}`, field)
      return null
    }
    if (time > this.now)
      this.find.add('in_the_future', `must not be in the future; the current time is ${formatMicros(this.now)}`, field)
    return time
  }

  #oneOf<const T extends string>(field: Field, values: readonly T[]): T {
    const value = this.#value(field)
    for (const item of values) if (item === value) return item
    this.find.add('unknown_value', `must be ${values.join(' or ')}, but is ${describeValue(value)}`, field)
    return values[0]!
  }

  #refuseOthers(): void {
    for (const key of this.object.keys())
      if (!fieldNames.has(key)) this.find.add('unknown_field', 'is not a field of an application object', key)
  }
}

/** D35. */
const submitTimeMin = parseOffsetTime(beforeAllSubmissions)!

/** Stands for a number that could not be read; no application has it as an ID or time. */
const unread = Number.MIN_SAFE_INTEGER
