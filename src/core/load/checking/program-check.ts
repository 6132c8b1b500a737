// Checks the order of a program's applications in an input, among themselves and against earlier submissions.

import type { SubmissionCounter } from '../../../db/loads/bulk-loads.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../../domain/questions/key-map.ts'
import { formatMicros, type Micros } from '../../../domain/values/offset-time.ts'
import type { DocumentError } from '../reading/document-errors.ts'
import { type KnownMembers, knownMembers } from '../reading/question-objects.ts'
import { describePlace, type LinePlace } from './load-errors.ts'

interface LoadVersion {
  shape: KeyMap
  members: KnownMembers
}

/** What is needed of a program to read and render its applications. */
export interface LoadDefinition {
  program_id: number
  slug: string
  /** Every published version, by program version id. */
  versions: ReadonlyMap<number, LoadVersion>
}

export function loadDefinition(
  program_id: number,
  slug: string,
  published: readonly PublishedVersion[],
): LoadDefinition {
  const keyMap = buildKeyMap(published)
  const versions = published.map(version => {
    const shape = buildKeyMap([version])
    return [version.program_version_id, { shape, members: knownMembers(keyMap, shape) }] as const
  })
  return { program_id, slug, versions: new Map(versions) }
}

export class ProgramCheck {
  applications = 0
  #first: Micros | undefined
  #last: { submit_time: Micros; place: LinePlace } | undefined

  constructor(
    readonly definition: LoadDefinition,
    /** The counter at the beginning of this program's check. */
    readonly before: SubmissionCounter,
  ) {}

  /** Submission time of the first application. */
  get firstTime(): Micros {
    return this.#first!
  }

  /** Errors of the next application compared with the rest of the input and earlier submissions. */
  check(submitTime: Micros, place: LinePlace): { within?: DocumentError; clash?: DocumentError } {
    this.applications++
    this.#first ??= submitTime
    const { submit_seq, last_submit_time } = this.before
    if (submit_seq > 0 && submitTime <= last_submit_time)
      return { clash: tooEarly(this.definition.slug, last_submit_time) }
    if (this.#last !== undefined && submitTime < this.#last.submit_time) {
      const { place: lastPlace, submit_time: lastTime } = this.#last
      const whose = `that of the application on ${describePlace(lastPlace)} (${formatMicros(lastTime)})`
      const detail = `is before ${whose}; sort the input by submit_time`
      return { within: { path: '/submit_time', code: 'too_early', detail } }
    }
    this.#last = { submit_time: submitTime, place }
    return {}
  }
}

/** Clients that continue from Snapshot-Time receive nothing before it (G6). */
export function tooEarly(slug: string, last: Micros): DocumentError {
  const detail =
    `is not after the last submission to ${slug} (${formatMicros(last)}): ` +
    'clients that poll with Snapshot-Time would never see it'
  return { path: '/submit_time', code: 'too_early', detail }
}
