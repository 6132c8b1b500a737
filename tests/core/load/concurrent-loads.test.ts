// Ids and times of a load alongside what the intake gives out, and alongside other loads, at the same time and later.

import { beforeEach, expect, test } from 'bun:test'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { giveUpLoad } from '../../../src/core/load/storing/store-load.ts'
import { insertApplicant } from '../../../src/db/applications/applicants.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { exportLines } from '../../support/export-lines.ts'
import { testFrontEnd } from '../../support/keys.ts'
import {
  type LineSpec,
  lines,
  load,
  loadOptions,
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
import { startStatementRecorder } from '../../support/statement-recorder.ts'

let url: string
let sql: Sql
let to: PublishedTestProgram
let other: PublishedTestProgram
beforeEach(async () => {
  ;({ url, sql } = await newDatabase())
  to = await reasonProgram(sql)
  other = await reasonProgram(sql, 'other-aid')
})
const register = () => insertApplicant(sql, testFrontEnd, 'en-US')

test('IDs continue after loaded ones, near or far', async () => {
  await load(sql, lines(to, { id: 40, applicant: 30 }))
  expect(await submit(sql, to, await register())).toMatchObject({ application_id: 41 })
  await load(sql, lines(other, { id: 7_000_000_000, applicant: 9_000_000_000, at: 1 }))
  const applicant = await register()
  expect(applicant).toBe(9_000_000_001)
  expect(await submit(sql, other, applicant)).toMatchObject({ application_id: 7_000_000_001 })
})

test('applicants are created with the language of their first line, and existing ones are unchanged', async () => {
  const known = await insertApplicant(sql, testFrontEnd, 'vi')
  const first = { id: 2, applicant: 70, state: 'OBSOLETE' } as const
  await load(sql, lines(to, { id: 1, applicant: known }, first, { id: 3, applicant: 70, more: { language: 'fr' } }))
  expect(await sql`select applicant_id, language from applicant order by 1`).toMatchObject([
    { applicant_id: known, language: 'vi' },
    { applicant_id: 70, language: 'es-US' },
  ])
})

test('IDs between those of an earlier load are checked in one table, not in every program', async () => {
  await load(sql, lines(to, { id: 5000 }, { id: 5002 }))
  const recorder = await startStatementRecorder(url)
  const recorded = openDatabase({ url: recorder.url, connectionsMax: 2 })
  await load(recorded, lines(other, { id: 5001 })).finally(() => recorded.end().then(() => recorder.stop()))
  const asked = (what: RegExp) => recorder.statements.filter(({ text }) => what.test(text)).length
  expect([asked(/join loaded_ids/), asked(/from program p\s+join application/)]).toEqual([1, 0])
})

/** Loads an input of which the first line makes more than a block, so that it is checked before `between` and the rest is there after. */
function loadAround(first: LineSpec, rest: LineSpec, between: () => Promise<void>) {
  async function* input() {
    yield Buffer.from(lines(to, { ...first, more: { application_note: 'x'.repeat(1_200_000) } }))
    await between()
    yield Buffer.from(lines(to, rest))
  }
  return loadLines(sql, input(), { ...loadOptions, now: now + 3600 * second })
}

test('a submission during the check does not wait, and nothing from before it is loaded afterwards', async () => {
  const applicant = await register()
  const at = Math.ceil((now - longPast) / second) + 3000
  const loading = loadAround({ id: 50, at }, { id: 51, at: at + 1 }, async () => {
    await submit(sql, to, applicant)
    // In the very moment of the first line.
    await sql`update submission_counter set last_submit_time = ${longPast + at * second} where program_id = ${to.program_id}`
  })
  expect((await rejection(loading)).detail).toMatch(/\bsubmit_time\b.*\bfood-aid\b/)
  expect(await sql`select from application`).toHaveLength(1)
})

test.each([
  [
    'an ID that another program has drawn meanwhile is refused',
    { id: 1, at: 60, applicant: 51 },
    async () => expect(await submit(sql, other, await register())).toMatchObject({ application_id: 1 }),
  ],
  [
    'an applicant registered meanwhile is not confused with one of the input',
    { id: 51, applicant: 1 },
    async () => expect(await register()).toBe(1),
  ],
] as const)('%s', async (_, last, between) => {
  const { errors } = await rejection(loadAround({ id: 50 }, last, async () => between()))
  expect(errors).toMatchObject([{ parameter: 'line 2', code: 'taken_id' }])
})

test('of two concurrent loads with an application ID in common, one fails before storing that application', async () => {
  const input = lines(to, { id: 50 }, { id: 51 }, { id: 52 })
  let between: Promise<unknown> | undefined
  const first = load(sql, input, {
    batchBytes: 1,
    onProgress: async stored => {
      if (stored === 1) between = load(sql, lines(other, { id: 52 }))
      await between
    },
  })
  expect(await rejection(first)).toMatchObject({ internal: 'ids_taken' })
  await between
  expect(await exportLines(sql, 'food-aid')).toHaveLength(2)
  expect(await exportLines(sql, 'other-aid')).toHaveLength(1)
  expect((await rejection(load(sql, input))).errors).toMatchObject([{ parameter: 'line 3', code: 'taken_id' }])
})

/** Seconds of a line that no clock has come to yet: what is submitted after it gets the microsecond after it. */
const ahead = Math.ceil((now - longPast) / second) + 3000
const isoOf = (micros: number): string =>
  new Date(micros / 1000).toISOString().replace('Z', `${String(micros % 1000).padStart(3, '0')}Z`)

test.each([
  ['earlier than', 2, [3, null]],
  ['at the same time as', 1, [null, 4]],
  ['later than', 0, [null, 4]],
] as const)(
  'an application submitted between two batches, %s a loaded one of its applicant: the later one is CURRENT, and of two at one time the submitted one',
  async (_, microsAfter, superseded) => {
    const applicant = await register()
    const submit_time = isoOf(longPast + ahead * second + microsAfter)
    await load(sql, lines(to, { id: 50, at: ahead }, { id: 51, applicant, more: { submit_time } }), {
      now: now + 7200 * second,
      batchBytes: 1,
      onProgress: async stored => {
        if (stored === 1) await submit(sql, to, applicant)
      },
    })
    const rows = await sql`
      select submit_seq, superseded_seq from application where applicant_id = ${applicant} order by submit_seq`
    expect(rows.map(row => [row.submit_seq, row.superseded_seq])).toEqual([
      [2, superseded[0]],
      [3, superseded[1]],
    ])
  },
)

test('a load that is given up while it runs stores nothing more', async () => {
  const loading = load(sql, manyLines(to, 3), {
    batchBytes: 1,
    onProgress: async () => void (await giveUpLoad(sql, 1, 'operator:test')),
  })
  expect(await rejection(loading)).toMatchObject({ internal: 'loaded_elsewhere' })
  expect(await exportLines(sql, 'food-aid')).toHaveLength(1)
})

test('the same input by two processes at once is stored once', async () => {
  const text = manyLines(to, 60)
  for (let done = false; !done; ) {
    const both = await Promise.allSettled([1, 2].map(() => load(sql, text, { batchBytes: 1000 })))
    for (const result of both)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ internal: 'loaded_elsewhere' })
    done = both.some(result => result.status === 'fulfilled')
  }
  expect(await exportLines(sql, 'food-aid')).toHaveLength(60)
  expect(await sql`select action from audit_event where action = 'applications_loaded'`).toHaveLength(1)
})
