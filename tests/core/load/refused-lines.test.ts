// Inputs that are refused: which lines are reported, with what, and that nothing of them is stored.

import { beforeEach, expect, test } from 'bun:test'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { insertApplicant } from '../../../src/db/applications/applicants.ts'
import type { Sql } from '../../../src/db/client.ts'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'
import { testFrontEnd } from '../../support/keys.ts'
import {
  contents,
  line,
  lines,
  load,
  longPast,
  manyLines,
  newDatabase,
  now,
  reasonProgram,
  second,
  submit,
} from '../../support/load-input.ts'
import type { PublishedTestProgram } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'

let sql: Sql
let to: PublishedTestProgram
let other: PublishedTestProgram
beforeEach(async () => {
  ;({ sql } = await newDatabase())
  to = await reasonProgram(sql)
  other = await reasonProgram(sql, 'other-aid')
})

interface Refused {
  before?: () => Promise<unknown>
  input: () => string | Buffer
  options?: Parameters<typeof load>[2]
  reported: string[]
  /** What some of the reasons name, by their place among them; or all of it together. */
  reasons?: Record<number, RegExp>
  detail?: RegExp
}

/** When the last submission was made. */
let last: string
const submitted = async (program: PublishedTestProgram) =>
  submit(sql, program, await insertApplicant(sql, testFrontEnd, 'en-US'))
const anotherDay = (days: number): string => new Date(now / 1000 + days * 86_400_000).toISOString()

const refused: Record<string, Refused> = {
  'one bad line after many': {
    input: () => `${manyLines(to, 12_000, { application_note: 'x'.repeat(900) })}{"oops":\n`,
    reported: ['line 12001: not_json'],
    detail: /^\D+1 of 12,001 \D+$/,
  },
  'every bad line, with its number': {
    input: () =>
      [
        line(to, { id: 1 }),
        'not JSON',
        line(to, { id: 2, more: { program_version_id: 999 } }),
        line(to, { id: 3, more: { program_name: 'nowhere' } }),
        '',
        line(to, { id: 4, more: { language: 5, ti_email: 'x' } }),
        '[]',
      ].join('\n'),
    reported: [
      'line 2: not_json',
      'line 3: unknown_version',
      'line 4: unknown_version',
      'line 6: not_a_string',
      'line 6: wrong_submitter',
      'line 7: not_an_object',
    ],
    reasons: {
      1: /^\/program_version_id .* 999, .* food-aid .* [0-9]+$/,
      2: /^\/program_version_id .* nowhere\b/,
    },
  },
  'of very many, how many more': {
    before: async () => submitted(to),
    input: () => 'x\n'.repeat(30) + manyLines(to, 1204),
    reported: Array.from({ length: 50 }, (_, i) => `line ${i + 1}: ${i < 30 ? 'not_json' : 'too_early'}`),
    detail: /^\D+1,234 of 1,234 \D+50 of 1,235 \D+$/,
  },
  'applications of a page, with their place on it': {
    before: () => load(sql, lines(to, { id: 1 }, { id: 9 })),
    input: () => `\n{"payload":[${line(to, { id: 4 })},7]}\n{"payload":7}`,
    reported: ['line 2, application 1: too_early', 'line 2, application 2: not_an_object', 'line 3: not_an_array'],
  },
  'bytes that are not UTF-8, which are not replaced': {
    input: () => Buffer.concat([Buffer.from(lines(to, { id: 1 })), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    reported: ['line 2: not_utf8'],
  },
  'a key that occurs twice, what is nested too deeply, and an id that a double would change': {
    input: () =>
      [
        '{"application_id":1,"application_\\u0069d":1}',
        '['.repeat(100_000),
        line(to, { id: 1 }).replace('"application_id":1', '"application_id":9007199254740993'),
      ].join('\n'),
    reported: ['line 1: duplicate_key', 'line 2: too_deep', 'line 3: wrong_format'],
    reasons: {
      0: /: \/application_id: .* \(column 21\)\.$/,
      2: /^\/application_id .* 9007199254740993$/,
    },
  },
  'what is deep within, and a long key, by the beginning and the end of the path': {
    input: () => `{"${'k'.repeat(5000)}/":{"twice":1,"twice":2}}\n${'{"level":'.repeat(600)}`,
    reported: ['line 1: duplicate_key', 'line 2: too_deep'],
    reasons: {
      0: /: \/k{99}…k{92}~1\/twice: /,
      1: /: (\/level){16}\/lev…evel(\/level){16}: /,
    },
  },
  'another program than the one that was named': {
    input: () => lines(to, { id: 1 }) + lines(other, { id: 2 }),
    options: { programSlug: 'food-aid' },
    reported: ['line 2: unknown_version'],
  },
  'D57: times of another zone than the database has': {
    input: () => lines(to, { id: 1 }),
    options: { timeZone: 'America/New_York' },
    reported: [],
    detail: /^INSTANCE_TIME_ZONE .*America\/New_York.* UTC/,
  },
  'what is before the last submission: "clients … would never see it" (G6)': {
    before: async () => {
      await submitted(to)
      const [counter] = await sql<{ last: number }[]>`
        select last_submit_time as last from submission_counter where program_id = ${to.program_id}`
      last = formatMicros(counter!.last)
    },
    input: () => lines(to, { id: 100 }, { id: 101, more: { submit_time: last } }),
    options: { now: now + 3600 * second },
    reported: ['line 1: too_early', 'line 2: too_early'],
    reasons: { 0: /Snapshot-Time/ },
  },
  'an id that an application had before it was erased': {
    before: async () => {
      const { application_id } = await submitted(other)
      const erased = { program_id: other.program_id, application_id }
      await eraseApplication(sql, erased, { actor: 'operator:test', reason: undefined })
    },
    input: () => lines(to, { id: 1, applicant: 70 }),
    reported: ['line 1: taken_id'],
  },
  'lines out of the order of submit_time, with the line each should stand before': {
    input: () => lines(to, { id: 1, at: 5 }, { id: 2, at: 9 }, { id: 3, at: 8 }, { id: 4, at: 4 }),
    reported: ['line 3: too_early', 'line 4: too_early'],
    reasons: { 1: / line 2\b/ },
  },
  'what is of the future': {
    input: () => lines(to, { id: 1, more: { submit_time: anotherDay(1) } }),
    reported: ['line 1: in_the_future'],
  },
  'two CURRENT of one applicant, and an OBSOLETE after the CURRENT, with the other line (G11)': {
    input: () =>
      lines(
        to,
        { id: 1, applicant: 1 },
        { id: 2, applicant: 2 },
        { id: 3, applicant: 1 },
        { id: 4, applicant: 2, state: 'OBSOLETE' },
      ),
    reported: ['line 3: inconsistent', 'line 4: inconsistent'],
    reasons: {
      0: / CURRENT: .* applicant 1, on line 1,/,
      1: / OBSOLETE: .* applicant 2, on line 2,/,
    },
  },
  'an id that an application has, in any program or in the input': {
    before: () => load(sql, lines(other, { id: 5 })),
    input: () =>
      lines(to, { id: 4 }, { id: 5 }, { id: 6 }, { id: 6, at: 7, applicant: 7 }, { id: 4, at: 8, applicant: 8 }),
    reported: ['line 2: taken_id', 'line 4: duplicate_id', 'line 5: duplicate_id'],
    reasons: { 1: /^\/application_id .*\b6, .* line 3$/ },
  },
  'more ids that the intake drew and lost than are looked for': {
    before: () => sql`select setval('application_application_id_seq', 2000)`,
    input: () => manyLines(to, 1002),
    reported: ['line 1001: taken_id', 'line 1002: taken_id'],
    reasons: { 0: / 1001,/ },
  },
  'one bad line, whatever the others would supersede': {
    before: () => load(sql, lines(to, { id: 1 })),
    input: () => {
      const at = (now - longPast) / second + 1800
      return `${lines(to, { id: 2, at, applicant: 1, state: 'OBSOLETE' }, { id: 3, at, applicant: 1 })}oops`
    },
    options: { now: now + 3600 * second },
    reported: ['line 3: not_json'],
  },
}

test.each(Object.entries(refused))('a load is refused and stores nothing: %s', async (_, asked) => {
  await asked.before?.()
  const before = await contents(sql)
  const problem = await rejection(load(sql, asked.input(), asked.options))
  expect(problem.errors.map(error => `${error.parameter}: ${error.code}`)).toEqual(asked.reported)
  for (const [place, reason] of Object.entries(asked.reasons ?? {}))
    expect(problem.errors[Number(place)]!.detail).toMatch(reason)
  expect(problem.detail).toMatch(asked.detail ?? /^\D+[0-9,]+ of [0-9,]+ /)
  expect(await contents(sql)).toEqual(before)
  expect((await sql`select from audit_event where action = 'load_begun'`).length).toBe(before.loads.length)
})
