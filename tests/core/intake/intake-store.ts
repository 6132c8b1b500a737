// Applicants, saved answers, submissions and stored applications of one program, for tests that work without HTTP.

import { saveAnswers } from '../../../src/core/intake/save-answers.ts'
import { type SubmitResult, submitApplication } from '../../../src/core/intake/submit.ts'
import { insertApplicant } from '../../../src/db/applications/applicants.ts'
import type { Sql } from '../../../src/db/client.ts'
import type { Submitter } from '../../../src/domain/questions/application.ts'
import type { Micros } from '../../../src/domain/values/offset-time.ts'
import { createTestKey, type TestKey, testFrontEnd } from '../../support/keys.ts'
import { asJson } from './checking/checking.ts'

export interface StoredApplication {
  application_id: number
  applicant_id: number
  program_version_id: number
  create_time: Micros
  submit_time: Micros
  submit_seq: number
  superseded_seq: number | null
  snapshot: string
  annotations: string
}

export class IntakeStore {
  /** The key that submits; made for the store unless one is given. */
  #key: Promise<TestKey> | undefined

  constructor(
    readonly sql: Sql,
    readonly program_id: number,
    key?: TestKey,
  ) {
    if (key !== undefined) this.#key = Promise.resolve(key)
  }

  register(language = 'en-US'): Promise<number> {
    return insertApplicant(this.sql, testFrontEnd, language)
  }

  save(applicant_id: number, answers: unknown, answersBytesMax = 8_000_000, lastApplicationId?: number | null) {
    return saveAnswers(this.sql, {
      program_id: this.program_id,
      applicant_id,
      front_end: testFrontEnd,
      answers: asJson(answers),
      answersBytesMax,
      ...(lastApplicationId !== undefined && { lastApplicationId }),
    })
  }

  /** With an idempotency key of its own unless one is given. */
  async submit(
    applicant_id: number,
    idempotency_key: string = crypto.randomUUID(),
    submitter: Submitter = { submitter_type: 'APPLICANT' },
    timeZone = 'UTC',
  ): Promise<SubmitResult> {
    this.#key ??= createTestKey(this.sql, { maySubmit: true })
    const { api_key_id } = await this.#key
    return submitApplication(this.sql, {
      program_id: this.program_id,
      applicant_id,
      key: { api_key_id, front_end: testFrontEnd, address: '127.0.0.1' },
      submitter,
      idempotency_key,
      timeZone,
    })
  }

  async apply(applicant_id: number, answers: unknown): Promise<SubmitResult> {
    await this.save(applicant_id, answers)
    return this.submit(applicant_id)
  }

  /** In order of their numbers. */
  async applications(): Promise<StoredApplication[]> {
    return this.sql<StoredApplication[]>`
      select application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, superseded_seq, snapshot, annotations
      from application
      where program_id = ${this.program_id}
      order by submit_seq`
  }

  async counter(): Promise<{ submit_seq: number; last_submit_time: Micros }> {
    const [row] = await this.sql<{ submit_seq: number; last_submit_time: Micros }[]>`
      select submit_seq, last_submit_time
      from submission_counter
      where program_id = ${this.program_id}`
    return row!
  }
}

/** A stored text as JSON: with its closing braces, without the marks at the ends of entities. */
export function openSnapshot(snapshot: string): Record<string, unknown> & { application: Record<string, unknown> } {
  return JSON.parse(`${snapshot.replace(/\u0001[0-9]+\u0002/g, '')}}}`)
}
