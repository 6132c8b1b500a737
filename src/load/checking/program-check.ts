// One program's applications in an input, held against one another and against what was submitted before: order of time, and who is
// CURRENT. What it keeps does not grow with the input, but for a bit or so for each applicant.

import type { SubmissionCounter } from '../../db/bulk-loads.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { PackedApplication } from '../packing/pack-applications.ts'
import type { Fault } from '../reading/document-faults.ts'
import type { LoadDefinition } from '../reading/known-program.ts'
import { IdSet } from './id-set.ts'
import { describePlace, type LinePlace } from './load-faults.ts'

/** What is wrong with an application beside others. */
export interface ProgramFaults {
  /** Within the input. */
  within: Fault[]
  /** Beside what was submitted before. */
  beside: Fault[]
  /** Whether the input has an older application of the applicant that says it is CURRENT. */
  followsCurrent: boolean
}

export class ProgramCheck {
  applications = 0
  #first: Micros | undefined
  #last: { submit_time: Micros; place: LinePlace } | undefined
  readonly #current = new IdSet()

  constructor(
    readonly definition: LoadDefinition,
    /** The counter as it stood when the check came to the program. */
    readonly before: SubmissionCounter,
  ) {}

  /** When the first of the applications was submitted. */
  get firstTime(): Micros {
    return this.#first!
  }

  check({ submit_time, applicant_id, is_current, place }: PackedApplication): ProgramFaults {
    this.applications++
    this.#first ??= submit_time
    const faults: ProgramFaults = { within: [], beside: [], followsCurrent: false }
    const { submit_seq, last_submit_time } = this.before
    if (submit_seq > 0 && submit_time <= last_submit_time) {
      faults.beside.push(tooEarly(this.definition.slug, last_submit_time))
    } else if (this.#last !== undefined && submit_time < this.#last.submit_time) {
      const { place: lastPlace, submit_time: lastTime } = this.#last
      const whose = `that of the one on ${describePlace(lastPlace)} (${formatMicros(lastTime)})`
      const detail = `is before ${whose}, so they are not in order of submit_time`
      faults.within.push({ path: '/submit_time', code: 'too_early', detail })
    } else {
      this.#last = { submit_time, place }
    }
    if (is_current) faults.followsCurrent = !this.#current.add(applicant_id)
    else faults.followsCurrent = this.#current.has(applicant_id)
    return faults
  }
}

/** Clients that ask from Snapshot-Time on are told of nothing before it (G6). */
export function tooEarly(slug: string, last: Micros): Fault {
  const detail =
    `is not after that of the last submission to ${slug} (${formatMicros(last)}): ` +
    'clients that ask from Snapshot-Time on would never see it'
  return { path: '/submit_time', code: 'too_early', detail }
}
