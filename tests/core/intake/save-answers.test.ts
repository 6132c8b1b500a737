import { describe, expect, test } from 'bun:test'
import { loadSavedAnswers } from '../../../src/core/intake/save-answers.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { ensureTestProgram, testFrontEnd } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { IntakeStore } from './intake-store.ts'

const database = await useDatabase()
const { program_id } = await aProgram(database.sql, { questions: everyKind })
const store = new IntakeStore(database.sql, program_id)

const load = (applicant_id: number, program_id = store.program_id) =>
  loadSavedAnswers(database.sql, program_id, { applicant_id, front_end: testFrontEnd })

/** The kind of the Problem that a promise fails with. */
const kindOf = async (promise: Promise<unknown>): Promise<string> => (await rejection(promise)).kind

describe('saving answers', () => {
  test('the first answer sets the creation time, and later ones do not change it', async () => {
    const applicant = await store.register()
    const before = Date.now() * 1000 - 1_000_000
    const first = await store.save(applicant, { case_number: { id: '007' } })
    expect(first.create_time).toBeGreaterThan(before)
    const second = await store.save(applicant, { household_size: { number: 3 } })
    expect(second.create_time).toBe(first.create_time)
    await store.save(applicant, { household_size: null, case_number: null })
    expect(await load(applicant)).toEqual({ create_time: first.create_time, answers: '{}' })
  })

  test('each save postpones the erasure of abandoned answers', async () => {
    const applicant = await store.register()
    await store.save(applicant, { case_number: { id: '007' } })
    const touched = async (): Promise<number> => {
      const [row] = await database.sql<{ updated_at: number }[]>`
        select updated_at from application_in_progress where applicant_id = ${applicant}`
      return row!.updated_at
    }
    const first = await touched()
    await database.sql`
      update application_in_progress set updated_at = '2020-01-01T00:00:00Z' where applicant_id = ${applicant}`
    await store.save(applicant, { household_size: { number: 3 } })
    expect(await touched()).toBeGreaterThan(first)
  })

  test('"A question shared between programs only starts the clock when submitted as part of this program"', async () => {
    const other = await aProgram(database.sql, {
      questions: [q.text('anything else', { max_length: 2000, optional: true })],
    })
    const applicant = await store.register()
    await new IntakeStore(database.sql, other.program_id).save(applicant, { anything_else: { text: 'x' } })
    expect(await kindOf(load(applicant))).toBe('not_found')
    expect((await load(applicant, other.program_id)).answers).toContain('anything_else')
  })

  test('empty answers do not set the creation time', async () => {
    const applicant = await store.register()
    for (const answers of [
      {},
      { case_number: null },
      { utilities: { selections: [] } },
      { home_address: { city: null } },
    ]) {
      expect(await store.save(applicant, answers)).toEqual({ create_time: null, answers: '{}' })
    }
    expect(await kindOf(load(applicant))).toBe('not_found')
  })

  test('answers are merged by question: each replaces its own, null removes, and the rest is unchanged', async () => {
    const applicant = await store.register()
    await store.save(
      applicant,
      '{"monthly_rent":{"currency_dollars":90071992547409.91},"anything_else":{"text":"\\u0000\\ud83c\\udff3"}}',
    )
    await store.save(applicant, { household_member: { entities: [{ entity_name: 'A' }, { entity_name: 'B' }] } })
    const { answers } = await store.save(applicant, {
      household_member: { entities: [{ entity_name: 'C' }] },
      anything_else: {},
      case_number: { id: '42' },
    })
    expect(answers).toContain('"monthly_rent":{"question_type":"CURRENCY","currency_dollars":90071992547409.91}')
    const saved = JSON.parse(answers)
    expect(Object.keys(saved).sort()).toEqual(['case_number', 'household_member', 'monthly_rent'])
    expect(saved.household_member.entities.map((entity: { entity_name: string }) => entity.entity_name)).toEqual(['C'])
    expect(await load(applicant)).toMatchObject({ answers })
  })

  test('an invalid answer saves nothing from its request and reports every error', async () => {
    const applicant = await store.register()
    const saving = store.save(applicant, {
      case_number: { id: '42' },
      household_size: { number: 31 },
      county: { selection: 'x' },
    })
    expect((await rejection(saving)).errors.map(error => error.path)).toEqual([
      '/answers/household_size/number',
      '/answers/county/selection',
    ])
    expect(await kindOf(load(applicant))).toBe('not_found')
  })

  test('the saved answers of one application are bounded over all saves', async () => {
    const applicant = await store.register()
    await store.save(applicant, { contact_email: { email: 'x'.repeat(600) } }, 1000)
    const more = { household_member: { entities: [{ entity_name: 'x'.repeat(300) }] } }
    expect(await kindOf(store.save(applicant, more, 1000))).toBe('too_large')
    expect((await load(applicant)).answers).not.toContain('entities')
  })

  test('the limit counts stored bytes, whatever the characters', async () => {
    const merged = async (letters: string, bytesMax: number) => {
      const applicant = await store.register()
      return kindOrAnswers(store.save(applicant, { anything_else: { text: letters } }, bytesMax))
    }
    const kindOrAnswers = (saved: Promise<{ answers: string }>) =>
      saved.then(
        ({ answers }) => Buffer.byteLength(answers),
        error => error.kind,
      )
    for (const letters of ['é'.repeat(300), '語'.repeat(300), '🏠'.repeat(300)]) {
      const bytes = (await merged(letters, 8_000_000)) as number
      expect(bytes).toBeGreaterThan(Buffer.byteLength(letters))
      expect([await merged(letters, bytes), await merged(letters, bytes - 1)]).toEqual([bytes, 'too_large'])
    }
  })

  test('an unknown applicant and a program without a version are reported as such', async () => {
    expect(await kindOf(store.save(999_999, { case_number: { id: '42' } }))).toBe('not_found')
    expect(await kindOf(load(999_999))).toBe('not_found')
    const unpublished = new IntakeStore(database.sql, await ensureTestProgram(database.sql, 'unpublished'))
    expect(await kindOf(unpublished.save(await store.register(), {}))).toBe('not_found')
  })

  test('concurrent first saves all count and share one creation time', async () => {
    const applicant = await store.register()
    const bodies = [
      { case_number: { id: '42' } },
      { household_size: { number: 3 } },
      { contact_email: { email: 'a@example.org' } },
      { county: { selection: 'king' } },
      { owns_home: { selection: 'no' } },
    ]
    const saved = await Promise.all(bodies.map(body => store.save(applicant, body)))
    expect(new Set(saved.map(application => application.create_time)).size).toBe(1)
    expect(Object.keys(JSON.parse((await load(applicant)).answers)).length).toBe(bodies.length)
  })
})
