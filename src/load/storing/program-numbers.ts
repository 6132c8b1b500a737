// One program while it is being loaded into: where its numbering stands, and who is CURRENT in the input.

import { lockSubmissionCounter, type SubmissionCounter } from '../../db/bulk-rows.ts'
import type { Transaction } from '../../db/client.ts'
import { findProgram, readPublishedVersions } from '../../db/programs.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { PackedApplication } from '../packing/pack-applications.ts'
import type { Fault } from '../reading/document-faults.ts'
import { type LoadDefinition, loadDefinition } from '../reading/known-program.ts'
import { describePlace, type LinePlace } from './load-faults.ts'

/** Numbers an application is stored under. */
interface Numbers {
  submit_seq: number
  superseded_seq: number | null
  /** Whether an older application of the applicant, which the database may have, is to be superseded by this one. */
  supersedes: boolean
}

export class LoadProgram {
  /** Of the last application numbered, or of the last submission before the load. */
  #submitSeq: number
  #last: { submit_time: Micros; place: LinePlace | undefined } | undefined
  #lastIsObsolete = false
  readonly #current = new Map<number, LinePlace>()
  readonly #seen = new Set<number>()

  constructor(
    readonly definition: LoadDefinition,
    /** The counter as it stood when the load came to the program. */
    readonly before: SubmissionCounter,
  ) {
    this.#submitSeq = before.submit_seq
    if (before.submit_seq > 0) this.#last = { submit_time: before.last_submit_time, place: undefined }
  }

  /** Applications numbered so far. */
  get applications(): number {
    return this.#submitSeq - this.before.submit_seq
  }

  /** Where the counter is to stand after what was numbered so far. */
  get counter(): SubmissionCounter {
    return {
      submit_seq: this.#submitSeq + (this.#lastIsObsolete ? 1 : 0),
      last_submit_time: this.#last?.submit_time ?? this.before.last_submit_time,
    }
  }

  /** What is wrong with an application coming after those checked before it. */
  check({ submit_time, applicant_id, is_current, place }: PackedApplication): Fault[] {
    const faults: Fault[] = []
    if (this.#last !== undefined && submit_time < this.#last.submit_time) {
      const { place: lastPlace, submit_time: lastTime } = this.#last
      const whose =
        lastPlace === undefined
          ? `the last submission to ${this.definition.slug} (${formatMicros(lastTime)})`
          : `the one on ${describePlace(lastPlace)} (${formatMicros(lastTime)}), so they are not in order of submit_time`
      const detail = `is before that of ${whose}: clients that ask from Snapshot-Time on would never see it`
      faults.push({ path: '/submit_time', code: 'too_early', detail })
    } else {
      this.#last = { submit_time, place }
    }
    const current = this.#current.get(applicant_id)
    if (current !== undefined) {
      const older = `the CURRENT application of applicant ${applicant_id}, on ${describePlace(current)}, is older`
      const detail = `must not be ${is_current ? 'CURRENT' : 'OBSOLETE'}: ${older}, so that one cannot be CURRENT`
      faults.push({ path: '/revision_state', code: 'inconsistent', detail })
    } else if (is_current) {
      this.#current.set(applicant_id, place)
    }
    return faults
  }

  /**
   * The next numbers. The first application of an applicant in the input, CURRENT or OBSOLETE, is newer than any the database
   * has. An OBSOLETE one gets `superseded_seq = submit_seq + 1`: a load commits as one, so no walk has its
   * horizon between the two.
   */
  number({ applicant_id, is_current }: PackedApplication): Numbers {
    const submit_seq = ++this.#submitSeq
    this.#lastIsObsolete = !is_current
    const supersedes = this.before.submit_seq > 0 && !this.#seen.has(applicant_id)
    if (supersedes) this.#seen.add(applicant_id)
    return { submit_seq, superseded_seq: this.#lastIsObsolete ? submit_seq + 1 : null, supersedes }
  }
}

/** The program, its submission counter locked to the end of the transaction; undefined when there is none of that slug. */
export async function openLoadProgram(tx: Transaction, slug: string): Promise<LoadProgram | undefined> {
  const found = await findProgram(tx, slug)
  if (found === undefined) return undefined
  const before = await lockSubmissionCounter(tx, found.program_id)
  const published = await readPublishedVersions(tx, found.program_id)
  return new LoadProgram(loadDefinition(found.program_id, slug, published), before)
}
