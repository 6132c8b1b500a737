import { describe, expect, test } from 'bun:test'
import { Problem } from '../../../src/base/problem.ts'
import { loadSavedAnswers } from '../../../src/core/intake/save-answers.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { testFrontEnd } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { IntakeStore, openSnapshot, type StoredApplication } from './intake-store.ts'

const database = await useDatabase({ connectionsMax: 24 })

async function aStore(): Promise<IntakeStore> {
  const { program_id } = await aProgram(database.sql, { questions: [q.number('n')] })
  return new IntakeStore(database.sql, program_id)
}

/** Whether another one submitted in between what this one had saved. */
const isTaken = (error: unknown): boolean => error instanceof Problem && error.internal === 'nothing_saved'

/** What must hold of a program's applications however they came about. */
function expectOrder(stored: readonly StoredApplication[]): void {
  expect(stored.map(row => row.submit_seq)).toEqual(stored.map((_, i) => i + 1))
  for (const [i, row] of stored.entries()) {
    if (i > 0) expect(row.submit_time).toBeGreaterThan(stored[i - 1]!.submit_time)
    const next = stored.slice(i + 1).find(later => later.applicant_id === row.applicant_id)
    expect(row.superseded_seq).toBe(next?.submit_seq ?? null)
  }
}

describe('submissions that race', () => {
  test('leave exactly one CURRENT application and no gap in the numbers, for 20 of one applicant (G11)', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.apply(applicant, { n: { number: -1 } })
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        try {
          return (await store.apply(applicant, { n: { number: i } })).receipt.application_id
        } catch (error) {
          if (isTaken(error)) return undefined
          throw error
        }
      }),
    )
    const submitted = outcomes.filter(id => id !== undefined)
    const stored = await store.applications()
    expect(submitted.length).toBeGreaterThan(1)
    expect(
      stored
        .slice(1)
        .map(row => row.application_id)
        .sort(),
    ).toEqual(submitted.sort())
    expect(stored.filter(row => row.superseded_seq === null).length).toBe(1)
    expectOrder(stored)
    expect(await store.counter()).toMatchObject({ submit_seq: stored.length })
  })

  test('make one application of answers saved once, for 20 with their own keys, and the others learn that nothing is left', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        store.submit(applicant).then(
          () => 'submitted',
          error => (isTaken(error) ? 'taken' : error),
        ),
      ),
    )
    expect(outcomes.sort()).toEqual(['submitted', ...Array(19).fill('taken')])
    expect((await store.applications()).length).toBe(1)
  })

  test('leave nothing in progress if a form of the submitted application is sent again meanwhile', async () => {
    const store = await aStore()
    for (let round = 0; round < 15; round++) {
      const applicant = await store.register()
      const again = () => store.save(applicant, { n: { number: 1 } }, 8_000_000, null)
      await again()
      const repeats = Array.from({ length: 3 }, () => again().catch((problem: Problem) => problem.kind))
      const { receipt } = await store.submit(applicant)
      await Promise.all(repeats)
      expect((await rejection(again())).kind).toBe('conflict')
      const { create_time } = await loadSavedAnswers(database.sql, store.program_id, {
        applicant_id: applicant,
        front_end: testFrontEnd,
      })
      expect(create_time).toBe(null)
      // A form that was opened afterwards begins the next application.
      const next = await store.save(applicant, { n: { number: 2 } }, 8_000_000, receipt.application_id)
      expect(next.create_time).not.toBe(null)
    }
  })

  test('make one application for 20 first ones without answers (D28)', async () => {
    const { program_id } = await aProgram(database.sql, { questions: [q.number('n', { optional: true })] })
    const store = new IntakeStore(database.sql, program_id)
    const applicant = await store.register()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        store.submit(applicant).then(
          ({ receipt }) => receipt.application_id,
          error => (isTaken(error) ? error.members.receipt.application_id : error),
        ),
      ),
    )
    const stored = await store.applications()
    expect(stored.length).toBe(1)
    expect(outcomes).toEqual(Array(20).fill(stored[0]!.application_id))
  })

  test('have times in the order of their numbers, for 8 writers, however long each takes to commit', async () => {
    const store = await aStore()
    // The delay that counts is between drawing a number and committing: it is put into the insert, for this database only.
    await database.sql.unsafe(`
      create function dawdle() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(random() * 0.01);
        return new;
      end $$;
      create trigger dawdle before insert on application for each row execute function dawdle()`)
    const applicants = await Promise.all(Array.from({ length: 5 }, () => store.register()))
    const writer = async (w: number): Promise<void> => {
      for (let i = 0; i < 12; i++) {
        const applicant = applicants[(w + i * 3) % applicants.length]!
        await store.apply(applicant, { n: { number: w * 100 + i } }).catch(error => {
          if (!isTaken(error)) throw error
        })
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, w) => writer(w)))
    const stored = await store.applications()
    expect(stored.length).toBeGreaterThan(40)
    expectOrder(stored)
    expect((await store.counter()).last_submit_time).toBe(stored.at(-1)!.submit_time)
    for (const row of stored) expect(openSnapshot(row.snapshot)).toMatchObject({ applicant_id: row.applicant_id })
    await database.sql.unsafe('drop trigger dawdle on application')
  })

  test('are refused without effect if they wait too long', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    const error = await database.sql.begin(async tx => {
      await tx`select from submission_counter where program_id = ${store.program_id} for update`
      const submitting = store.submit(applicant).then(
        () => undefined,
        refused => refused,
      )
      // Ended from outside as it would be by its own limit, which takes ten seconds.
      for (;;) {
        const ended = await database.sql`
          select pg_cancel_backend(pid) from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database() and query like '%submission_counter%'`
        if (ended.length > 0) break
      }
      return submitting
    })
    expect(error).toBeInstanceOf(Problem)
    expect(error).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 })
    expect(await store.applications()).toEqual([])
    expect((await store.submit(applicant)).repeated).toBe(false)
  })
})
