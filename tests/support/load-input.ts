// Inputs of a bulk load line by line, the loading of them, and everything that it writes.

import { submitApplication } from '../../src/core/intake/submit.ts'
import { loadLines } from '../../src/core/load/load-lines.ts'
import type { Sql } from '../../src/db/client.ts'
import type { TestDatabase } from './database.ts'
import { endWithTest, useDatabase } from './fixtures.ts'
import { createTestKey, testFrontEnd } from './keys.ts'
import { aProgram, type PublishedTestProgram, q } from './programs.ts'

export const now = Date.now() * 1000
export const second = 1_000_000
export const loadOptions = { now, timeZone: 'UTC', actor: 'operator:test' }

/** Until the test ends. */
export const newDatabase = (timeZone = 'UTC'): Promise<TestDatabase> => useDatabase({ timeZone }, endWithTest)

export const reasonProgram = (sql: Sql, slug = 'food-aid'): Promise<PublishedTestProgram> =>
  aProgram(sql, { slug, questions: [q.text('reason', { optional: true })] })

/** Bytes in chunks that end anywhere, as when read from a file. */
export async function* pieces(text: string | Buffer, bytes = 1000): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}

export const load = (to: Sql, text: string | Buffer, more: Partial<Parameters<typeof loadLines>[2]> = {}) =>
  loadLines(to, pieces(text), { ...loadOptions, ...more })

export interface LineSpec {
  id: number
  /** The same as the ID by default. */
  applicant?: number
  /** Seconds after a fixed moment in the distant past. */
  at?: number
  state?: 'CURRENT' | 'OBSOLETE'
  more?: Record<string, unknown>
}
export const longPast = Date.parse('2020-01-01T00:00:00Z') * 1000

export function line({ program_version_id, slug }: PublishedTestProgram, spec: LineSpec): string {
  const time = new Date((longPast + (spec.at ?? spec.id) * second) / 1000).toISOString()
  return JSON.stringify({
    applicant_id: spec.applicant ?? spec.id,
    application_id: spec.id,
    create_time: time,
    submit_time: time,
    language: 'es-US',
    program_name: slug,
    program_version_id,
    revision_state: spec.state ?? 'CURRENT',
    submitter_type: 'APPLICANT',
    application: { reason: { question_type: 'TEXT', text: `reason ${spec.id}` } },
    ...spec.more,
  })
}
export const lines = (of: PublishedTestProgram, ...specs: LineSpec[]): string =>
  specs.map(spec => `${line(of, spec)}\n`).join('')
/** This many lines, with IDs from 1. */
export const manyLines = (of: PublishedTestProgram, count: number, more = {}): string =>
  lines(of, ...Array.from({ length: count }, (_, i) => ({ id: i + 1, more })))

/** Submits to a program for an applicant. */
export async function submit(sql: Sql, to: PublishedTestProgram, applicant_id: number) {
  await sql`
    insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
    values (${to.program_id}, ${applicant_id}, now(), '{}', now())`
  const { api_key_id } = await createTestKey(sql, { maySubmit: true })
  const { receipt } = await submitApplication(sql, {
    program_id: to.program_id,
    applicant_id,
    timeZone: 'UTC',
    key: { api_key_id, front_end: testFrontEnd, address: '127.0.0.1' },
    submitter: { submitter_type: 'APPLICANT' },
    idempotency_key: crypto.randomUUID(),
  })
  return receipt
}

/** Everything a load writes. */
export async function contents(sql: Sql) {
  const [applications, applicants, notes, counters, loads, ids, sequences] = await Promise.all([
    sql`
      select program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq,
        superseded_seq, status, status_last_modified_time, application_note, snapshot, annotations
      from application order by program_id, submit_seq`,
    sql`select applicant_id, language from applicant order by applicant_id`,
    sql`
      select application_id, changed_at, changed_by, status, application_note
      from application_annotation order by application_id`,
    sql`select program_id, submit_seq, last_submit_time from submission_counter order by program_id`,
    sql`select load_id, stored from bulk_load order by load_id`,
    sql`select page, ids::text from loaded_ids order by page`,
    sql`select last_value, is_called from application_application_id_seq`,
  ])
  return { applications: [...applications], applicants, notes, counters, loads, ids, sequences }
}
