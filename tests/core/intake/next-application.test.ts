// What an applicant's next application starts from, and that nothing is never submitted in place of something (D28, D43).

import { describe, expect, test } from 'bun:test'
import type { Problem } from '../../../src/base/problem.ts'
import { loadSavedAnswers } from '../../../src/core/intake/save-answers.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { createTestKey, testFrontEnd } from '../../support/keys.ts'
import { aProgram, everyKind, type QuestionSpec, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { IntakeStore, openSnapshot } from './intake-store.ts'

const database = await useDatabase()
const key = await createTestKey(database.sql, { maySubmit: true })

async function aStore(questions: readonly QuestionSpec[]): Promise<IntakeStore & { slug: string }> {
  const { program_id, slug } = await aProgram(database.sql, { questions })
  return Object.assign(new IntakeStore(database.sql, program_id, key), { slug })
}
const publish = ({ slug }: { slug: string }, questions: readonly QuestionSpec[]) =>
  aProgram(database.sql, { slug, questions })

/** What a front end reads. */
async function read(store: IntakeStore, applicant_id: number) {
  const { create_time, answers } = await loadSavedAnswers(database.sql, store.program_id, {
    applicant_id,
    front_end: testFrontEnd,
  })
  return { create_time, answers: JSON.parse(answers) }
}
const stored = async (store: IntakeStore) =>
  (await store.applications()).map(row => openSnapshot(row.snapshot).application)

const two = (name: string) => [q.text(`${name} a`, { optional: true }), q.text(`${name} b`, { optional: true })]

describe('"submitting with nothing saved since the last submission returns 409 `nothing_saved` with the previous receipt" (D28)', () => {
  const nothingSaved = { kind: 'conflict', errors: [{ code: 'nothing_saved' }] }
  const receiptId = (problem: Problem) =>
    (problem.members as { receipt: { application_id: number } }).receipt.application_id

  test('for any Idempotency-Key, and the key of the earlier submission still gets its receipt', async () => {
    const store = await aStore(two('clicks'))
    const applicant = await store.register()
    await store.save(applicant, { clicks_a: { text: '1' }, clicks_b: { text: '2' } })
    const first = await store.submit(applicant, 'click-1')
    for (const again of ['click-2', 'click-3']) {
      const refused = await rejection(store.submit(applicant, again))
      expect(refused).toMatchObject(nothingSaved)
      expect(refused.members?.receipt).toMatchObject({
        application_id: first.receipt.application_id,
        program_version_id: first.receipt.program_version_id,
        revision_state: 'CURRENT',
      })
    }
    expect(await store.submit(applicant, 'click-1')).toEqual({ receipt: first.receipt, repeated: true })
    expect((await store.applications()).map(row => row.superseded_seq)).toEqual([null])
  })

  test('to an intermediary after the applicant, and to another key of the front end', async () => {
    const store = await aStore(two('others'))
    const applicant = await store.register()
    await store.apply(applicant, { others_a: { text: '1' } })
    const ti = { submitter_type: 'TRUSTED_INTERMEDIARY', ti_email: 'a@example.org', ti_organization: 'A' } as const
    expect(await rejection(store.submit(applicant, undefined, ti))).toMatchObject(nothingSaved)
    const other = new IntakeStore(
      database.sql,
      store.program_id,
      await createTestKey(database.sql, { maySubmit: true }),
    )
    expect(await rejection(other.submit(applicant))).toMatchObject(nothingSaved)
  })

  test('also where something is required, and while the program is closed', async () => {
    const store = await aStore([q.text('required one')])
    const applicant = await store.register()
    const { receipt } = await store.apply(applicant, { required_one: { text: '1' } })
    expect(receiptId(await rejection(store.submit(applicant)))).toBe(receipt.application_id)
    await database.sql`update submission_counter set closed = true where program_id = ${store.program_id}`
    expect(receiptId(await rejection(store.submit(applicant)))).toBe(receipt.application_id)
  })

  test.each([
    ['everything that was saved was taken back', { again_a: null, again_b: null }],
    ['nothing was saved but what says nothing', { again_b: null }],
    ['a save had no answers', {}],
  ])('where %s', async (_, body) => {
    const store = await aStore(two('again'))
    const applicant = await store.register()
    const { receipt } = await store.apply(applicant, { again_a: { text: '1' } })
    await store.save(applicant, { ...body, again_a: null })
    expect(receiptId(await rejection(store.submit(applicant)))).toBe(receipt.application_id)
    expect(await store.applications()).toHaveLength(1)
  })

  test('also after a first application without answers', async () => {
    const store = await aStore(two('empty'))
    const applicant = await store.register()
    const { receipt } = await store.submit(applicant)
    expect(receiptId(await rejection(store.submit(applicant)))).toBe(receipt.application_id)
    await store.apply(applicant, { empty_a: { text: '1' } })
    expect(await store.applications()).toHaveLength(2)
  })

  test('also if what was saved is no longer asked, so an application without answers supersedes none', async () => {
    const store = await aStore(two('moved'))
    const applicant = await store.register()
    const { receipt } = await store.apply(applicant, { moved_a: { text: '1' } })
    await store.save(applicant, { moved_a: { text: '2' } })
    await publish(store, [q.text('moved c', { optional: true })])
    expect(receiptId(await rejection(store.submit(applicant)))).toBe(receipt.application_id)
  })

  test('but the applicant may begin another program without answers', async () => {
    const [item, other] = [await aStore(two('here')), await aStore(two('there'))]
    const applicant = await item.register()
    await item.apply(applicant, { here_a: { text: '1' } })
    await other.submit(applicant)
    expect(await other.applications()).toHaveLength(1)
  })
})

describe('"the answers in progress start as a copy of the applicant\'s last application to this program" (D43)', () => {
  test('which can be read, changed one by one and submitted as a new application', async () => {
    const store = await aStore(two('next'))
    const applicant = await store.register()
    const { receipt } = await store.apply(applicant, { next_a: { text: '1' }, next_b: { text: '2' } })
    const copy = { next_a: { question_type: 'TEXT', text: '1' }, next_b: { question_type: 'TEXT', text: '2' } }
    expect(await read(store, applicant)).toEqual({ create_time: null, answers: copy })
    // Reading stores nothing.
    expect(await database.sql`select from application_in_progress where applicant_id = ${applicant}`).toHaveLength(0)
    const saved = await store.save(applicant, { next_a: { text: '3' } })
    expect(JSON.parse(saved.answers)).toEqual({ ...copy, next_a: { question_type: 'TEXT', text: '3' } })
    // "Time the first question of the program was submitted."
    expect(saved.create_time).toBeGreaterThan(receipt.submit_time)
    const next = await store.submit(applicant)
    expect(next.receipt.create_time).toBe(saved.create_time!)
    expect(await stored(store)).toMatchObject([
      { next_a: { text: '1' } },
      { next_a: { text: '3' }, next_b: { text: '2' } },
    ])
  })

  test('from which an answer can be removed, and a save without answers begins nothing', async () => {
    const store = await aStore(two('back'))
    const applicant = await store.register()
    await store.apply(applicant, { back_a: { text: '1' }, back_b: { text: '2' } })
    expect(await store.save(applicant, {})).toMatchObject({
      create_time: null,
      answers: expect.stringContaining('back_b'),
    })
    const saved = await store.save(applicant, { back_b: null })
    expect(saved.create_time).not.toBeNull()
    await store.submit(applicant)
    expect((await stored(store))[1]).toMatchObject({ back_a: { text: '1' }, back_b: { text: null } })
  })

  test('in which every kind of answer is as it was sent, at every depth', async () => {
    const store = await aStore(everyKind)
    const applicant = await store.register()
    const sent = {
      applicant_name: { first_name: 'Ada', last_name: '\u0000"}}' },
      monthly_rent: { currency_dollars: 1200.5 },
      household_member: { entities: [{ entity_name: 'Bo', member_job: { entities: [{ entity_name: 'Mill' }] } }] },
    }
    const { answers } = await store.save(applicant, sent)
    await store.submit(applicant)
    expect((await read(store, applicant)).answers).toEqual(JSON.parse(answers))
    await store.save(applicant, { case_number: { id: '42' } })
    await store.submit(applicant)
    const [first, second] = await stored(store)
    expect(second).toEqual({ ...first!, case_number: { question_type: 'ID', id: '42' } })
  })

  test('"limited to what is still asked and valid" in the current version, also within entities', async () => {
    const questions = (max: number, options: string[]) => [
      q.number('still size', { max, optional: true }),
      q.checkbox('still picked', options, { optional: true }),
      q.enumerator(
        'still people',
        [q.number('still age', { max, optional: true }), q.text('still job', { optional: true })],
        {
          optional: true,
        },
      ),
    ]
    const store = await aStore([...questions(100, ['x', 'y']), q.text('still gone', { optional: true })])
    const applicant = await store.register()
    await store.apply(applicant, {
      still_size: { number: 60 },
      still_picked: { selections: ['x', 'y'] },
      still_people: { entities: [{ entity_name: 'Bo', still_age: { number: 70 }, still_job: { text: 'baker' } }] },
      still_gone: { text: 'x' },
    })
    await publish(store, questions(50, ['y', 'z']))
    const left = {
      still_people: {
        question_type: 'ENUMERATOR',
        entities: [
          {
            entity_name: 'Bo',
            still_age: { question_type: 'NUMBER', number: null },
            still_job: { question_type: 'TEXT', text: 'baker' },
          },
        ],
      },
    }
    expect((await read(store, applicant)).answers).toEqual(left)
    await store.save(applicant, { still_size: { number: 5 } })
    await store.submit(applicant)
    expect((await stored(store))[1]).toMatchObject({
      ...left,
      still_size: { number: 5 },
      still_picked: { selections: [] },
    })
  })

  test('in which an address keeps its parts without the result of a disabled correction', async () => {
    const asks = (correct_addresses: boolean) => [q.address('home now', { correct_addresses, optional: true })]
    const store = await aStore(asks(true))
    const applicant = await store.register()
    const address = { street: '1 A', city: 'B', state: 'WA', zip: '98101', corrected: 'AsEnteredByUser' }
    await store.apply(applicant, { home_now: address })
    await publish(store, asks(false))
    expect((await read(store, applicant)).answers.home_now).toMatchObject({ ...address, corrected: null })
  })

  test('which has the other answers, however many no longer fit', async () => {
    const asks = (max_length: number) => [
      q.enumerator('many people', [q.text('many words', { max_length, optional: true })], { optional: true }),
      q.text('many last', { optional: true }),
    ]
    const store = await aStore(asks(100))
    const applicant = await store.register()
    const entities = Array.from({ length: 500 }, (_, i) => ({
      entity_name: `${i}`,
      many_words: { text: 'x'.repeat(50) },
    }))
    await store.apply(applicant, { many_people: { entities }, many_last: { text: 'kept' } })
    await publish(store, asks(10))
    const { answers } = await read(store, applicant)
    expect(answers.many_people.entities).toHaveLength(500)
    expect(answers.many_last.text).toBe('kept')
  })

  test('of which concurrent first saves make one, with one creation time', async () => {
    const store = await aStore(two('race'))
    const applicant = await store.register()
    await store.apply(applicant, { race_a: { text: '1' }, race_b: { text: '2' } })
    const saved = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        store.save(applicant, { [i % 2 === 0 ? 'race_a' : 'race_b']: { text: `${i}` } }),
      ),
    )
    expect(new Set(saved.map(application => application.create_time)).size).toBe(1)
    for (const { answers } of saved) expect(Object.keys(JSON.parse(answers)).sort()).toEqual(['race_a', 'race_b'])
  })

  test('which counts towards the limit on saved answers', async () => {
    const store = await aStore(two('large'))
    const applicant = await store.register()
    await store.apply(applicant, { large_a: { text: 'x'.repeat(600) } })
    expect(await rejection(store.save(applicant, { large_b: { text: 'x'.repeat(600) } }, 1000))).toMatchObject({
      kind: 'too_large',
    })
    expect((await read(store, applicant)).create_time).toBeNull()
  })
})
