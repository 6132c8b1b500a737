import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AnnotationChange, annotate, noteLengthMax } from '../../../src/core/applications/annotate.ts'
import { holdChanges } from '../../../src/db/applications/annotations.ts'
import { readNewestAnnotations } from '../../../src/db/applications/application-details.ts'
import { formatOffsetTime } from '../../../src/domain/values/offset-time.ts'
import { exportLines } from '../../support/export-lines.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { aProgram } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'
import { rejection } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

const timeZone = 'America/Chicago'
const start = Date.parse('2026-01-31T12:00:00Z') * 1000
const minute = 60_000_000

const database = await useDatabase({ timeZone })
let programs = 0
let slug: string
let program_id: number
let application_id: number
beforeEach(async () => {
  slug = `food-aid-${++programs}`
  const statuses = ['Received', 'Approved', 'Denied']
  const program = await insertRawProgram(database.sql, slug, { versions: 'one' })
  program_id = program.program_id
  await database.sql`update program set statuses = ${statuses} where program_id = ${program_id}`
  // Without status and note.
  const applications = await insertRawApplications(database.sql, program, 1)
  application_id = applications[0]!
})

const change = (more: Partial<AnnotationChange>) =>
  annotate(database.sql, { program_id, application_id, actor: 'admin:ada', now: start, timeZone, ...more })

/** Every state, oldest first. */
const history = async () => (await readNewestAnnotations(database.sql, program_id, application_id, 100)).toReversed()

async function exported(): Promise<Record<string, unknown>> {
  const { status, status_last_modified_time, application_note } = JSON.parse(
    (await exportLines(database.sql, slug))[0]!,
  )
  return { status, status_last_modified_time, application_note }
}

describe('annotate', () => {
  test('"Time the status was last set or changed": changes when the status is set or removed, and not with the note', async () => {
    const steps: [set: Partial<AnnotationChange>, status: string | null, since: number, note: string | null][] = [
      [{ status: 'Received' }, 'Received', 0, null],
      [{ note: 'called' }, 'Received', 0, 'called'],
      [{ note: 'called twice' }, 'Received', 0, 'called twice'],
      [{ status: 'Denied' }, 'Denied', 3, 'called twice'],
      [{ status: null }, null, 4, 'called twice'],
      [{ note: null }, null, 4, null],
    ]
    for (const [at, [set, status, since, application_note]] of steps.entries()) {
      await change({ ...set, now: start + at * minute })
      const status_last_modified_time = formatOffsetTime(start + since * minute, timeZone)
      expect(await exported()).toEqual({ status, status_last_modified_time, application_note })
    }
  })

  test('"A status set again counts: the time moves, the history has it" (D30)', async () => {
    await change({ status: 'Received', note: 'called' })
    await change({ status: 'Received', now: start + minute, actor: 'admin:ada' })
    expect(await exported()).toEqual({
      status: 'Received',
      status_last_modified_time: formatOffsetTime(start + minute, timeZone),
      application_note: 'called',
    })
    expect((await history()).at(-1)).toEqual({
      changed_at: start + minute,
      changed_by: 'admin:ada',
      status: 'Received',
      application_note: 'called',
    })
    await change({ status: null, now: start + 2 * minute })
    await change({ status: null, now: start + 3 * minute })
    expect(await exported()).toMatchObject({
      status: null,
      status_last_modified_time: formatOffsetTime(start + 2 * minute, timeZone),
    })
  })

  test('records every state in the history, and every change without the note in the audit log', async () => {
    await change({ status: 'Received', actor: 'admin:ada' })
    const address = '192.0.2.7'
    await change({
      status: 'Received',
      note: 'secret of someone',
      now: start + minute,
      actor: 'operator:bob',
      address,
    })
    await change({ note: 'secret of someone', now: start + 2 * minute })
    await change({ status: undefined, now: start + 3 * minute })
    expect([...(await history())]).toEqual([
      { changed_at: start, changed_by: 'admin:ada', status: 'Received', application_note: null },
      {
        changed_at: start + minute,
        changed_by: 'operator:bob',
        status: 'Received',
        application_note: 'secret of someone',
      },
    ])
    const subject = String(application_id)
    const events = await database.sql`
      select actor, subject, host(address) as address, detail
      from audit_event where action = 'application_annotated' and subject = ${subject} order by audit_event_id`
    const detail = { program_id, status: 'Received' }
    expect([...events]).toEqual([
      { actor: 'admin:ada', subject, address: null, detail: { ...detail, status_changed: true, note_changed: false } },
      { actor: 'operator:bob', subject, address, detail: { ...detail, status_changed: false, note_changed: true } },
    ])
  })

  test("only the program's own statuses, which are named when another is given", async () => {
    const problem = await rejection(change({ status: 'approved', note: 'x'.repeat(noteLengthMax + 1) }))
    expect(problem.errors.map(({ path, code }) => [path, code])).toEqual([
      ['/status', 'unknown_status'],
      ['/note', 'too_long'],
    ])
    expect(problem.errors[0]!.detail).toContain('"Received", "Approved", "Denied"')
    expect(await exported()).toEqual({ status: null, status_last_modified_time: null, application_note: null })
  })

  test('refuses U+0000 and lone surrogates, and every other text is exported as it was set', async () => {
    for (const note of ['a\0b', '\ud800', 'x\udc00y'])
      expect((await rejection(change({ note }))).errors).toMatchObject([{ path: '/note', code: 'unstorable_text' }])
    const anyNote = fc.string({ unit: 'binary' }).filter(note => !note.includes('\0'))
    await fc.assert(
      fc.asyncProperty(anyNote, async note => {
        await change({ note })
        expect((await exported()).application_note).toBe(note)
      }),
      { numRuns: 30 },
    )
  })

  test('does not find an application of another program or one that does not exist', async () => {
    const other = await aProgram(database.sql, { slug: 'other-aid' })
    expect((await rejection(change({ program_id: other.program_id, note: 'x' }))).kind).toBe('not_found')
    expect((await rejection(change({ application_id: 4711, note: 'x' }))).kind).toBe('not_found')
    expect((await rejection(change({ program_id: 4711, status: 'Received' }))).kind).toBe('not_found')
  })

  test('applies concurrent changes one after the other and loses none', async () => {
    const changes = [
      ...['Received', 'Approved', 'Denied', null].map(status => ({ status })),
      ...Array.from({ length: 12 }, (_, i) => ({ note: `note ${i}` })),
    ]
    await Promise.all(changes.map((item, i) => change({ ...item, now: start + i * minute })))
    const states = await history()
    // Each state differs from the one before in what one change sets, and in nothing else.
    let last = { status: null as string | null, application_note: null as string | null }
    for (const { status, application_note } of states) {
      expect(Number(status !== last.status) + Number(application_note !== last.application_note)).toBe(1)
      last = { status, application_note }
    }
    expect(new Set(states.map(state => state.application_note)).size).toBeGreaterThanOrEqual(12)
    expect(await exported()).toMatchObject(last)
    // D22: what is exported is from one and the same change.
    const [row] = await database.sql<
      { status_last_modified_time: number }[]
    >`select status_last_modified_time from application where application_id = ${application_id}`
    expect((await exported()).status_last_modified_time).toBe(
      formatOffsetTime(row!.status_last_modified_time, timeZone),
    )
  })

  test('waits for a submission under way before it locks the application, which that one may supersede', async () => {
    const { sql } = database
    const release = await holdTransaction(sql, tx => holdChanges(tx, program_id))
    const changing = change({ note: 'late' })
    await until('the change to wait', async () => (await waitingForLocks(sql, 'hold_changes')) === 1)
    const [row] = await sql`
      select from application where program_id = ${program_id} and application_id = ${application_id} for update skip locked`
    await release()
    await changing
    expect(row).toBeDefined()
  })

  test('writes nothing in a process with another time zone than the instance', async () => {
    expect((await rejection(change({ note: 'x', timeZone: 'UTC' }))).kind).toBe('conflict')
  })
})
