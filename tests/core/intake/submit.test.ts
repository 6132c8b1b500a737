import { describe, expect, test } from 'bun:test'
import type { Sql, Transaction } from '../../../src/db/client.ts'
import { type Answers, noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import type { Submitter } from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { answerSampler } from '../../../src/domain/samples/sample-answers.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, everyKind, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { IntakeStore, openSnapshot } from './intake-store.ts'

const database = await useDatabase()
const every = await aProgram(database.sql, { slug: 'every', questions: everyKind })
const key = await createTestKey(database.sql, { maySubmit: true, programs: ['every'] })

/** A store on a program of its own. */
async function aStore(questions = [q.number('n', { optional: true })]): Promise<IntakeStore & { slug: string }> {
  const { program_id, slug } = await aProgram(database.sql, { questions })
  return Object.assign(new IntakeStore(database.sql, program_id, key), { slug })
}

describe('the stored application', () => {
  test('equals what was sent, whatever was sent', async () => {
    const store = new IntakeStore(database.sql, every.program_id)
    const shape = buildKeyMap([every.version])
    const sample = answerSampler(every.version)
    for (let seed = 1; seed <= 25; seed++) {
      const answers: Answers = sample(seededRandom(seed))
      const applicant = await store.register('fr-CA')
      const sent = `{${renderMembers(shape, answers, noEntityEnd)}}`
      const { receipt } = await store.apply(applicant, sent)
      const stored = (await store.applications()).at(-1)!
      expect(openSnapshot(stored.snapshot)).toMatchObject({
        applicant_id: applicant,
        application_id: receipt.application_id,
        language: 'fr-CA',
        program_name: 'every',
        program_version_id: every.program_version_id,
        submitter_type: 'APPLICANT',
        ti_email: null,
        ti_organization: null,
        application: JSON.parse(sent),
      })
      expect(stored.snapshot.match(/\u0001/g)?.length ?? 0).toBe(sent.split('"entity_name"').length - 1)
    }
  })

  test('keeps every text exactly, from a million characters to what looks like SQL', async () => {
    const optional = { optional: true }
    const store = await aStore([q.text('t', optional), q.email('e', optional), q.enumerator('p', [], optional)])
    const texts = [
      '\u0000',
      '\u0001' + '7\u0002',
      "'; drop table application; --",
      '\\u0000',
      '"}}',
      '🏳️‍🌈',
      'x'.repeat(1_000_000),
    ]
    for (const text of texts) {
      const sent = { t: { text }, e: { email: text }, p: { entities: [{ entity_name: text }] } }
      await store.apply(await store.register(), sent)
      const { application } = openSnapshot((await store.applications()).at(-1)!.snapshot)
      expect(application).toMatchObject(sent)
    }
  })

  test('has exactly the exported questions of its version, with hidden ones unanswered', async () => {
    const store = await aStore([
      q.static('welcome'),
      q.radio('pet', ['cat', 'none']),
      q.text('pet name', { visible_when: { question: 'pet', field: 'selection', operator: 'equal', value: 'cat' } }),
    ])
    await store.apply(await store.register(), { pet: { selection: 'none' }, pet_name: { text: 'left over' } })
    const [stored] = await store.applications()
    expect(openSnapshot(stored!.snapshot).application).toEqual({
      pet: { question_type: 'SINGLE_SELECT', selection: 'none' },
      pet_name: { question_type: 'TEXT', text: null },
    })
    expect(stored!.annotations).toBe('"status":null,"status_last_modified_time":null,"application_note":null')
  })

  test('"Who submitted: the applicant, or a trusted intermediary on the applicant\'s behalf"', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    const submitter: Submitter = {
      submitter_type: 'TRUSTED_INTERMEDIARY',
      ti_email: 'Ti@example.org',
      ti_organization: 'A "quoted" Ärztin\u0000',
    }
    await store.submit(applicant, undefined, submitter)
    expect(openSnapshot((await store.applications())[0]!.snapshot)).toMatchObject(submitter)
  })

  test('has the times of the receipt, with the first save as its creation', async () => {
    const store = await aStore()
    const applicant = await store.register()
    const { create_time } = await store.save(applicant, { n: { number: 1 } })
    const { receipt } = await store.submit(applicant)
    const [stored] = await store.applications()
    expect(stored).toMatchObject({ create_time: create_time!, submit_time: receipt.submit_time, submit_seq: 1 })
    expect(receipt).toMatchObject({ create_time: create_time!, revision_state: 'CURRENT' })
    expect(receipt.submit_time).toBeGreaterThan(create_time!)
  })

  test('is never earlier than its first answer, even if the clock of the database was set back', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    const later = Date.now() * 1000 + 3_600_000_000
    await database.sql`update application_in_progress set create_time = ${later} where applicant_id = ${applicant}`
    const { receipt } = await store.submit(applicant)
    expect(receipt.submit_time).toBe(later)
    const { receipt: next } = await store.apply(await store.register(), { n: { number: 2 } })
    expect(next.submit_time).toBe(later + 1)
  })
})

describe('submitting again', () => {
  test('"The newer entry is a separate application entry. The older entry keeps its own answers as a snapshot"', async () => {
    const store = await aStore()
    const applicant = await store.register()
    const first = await store.apply(applicant, { n: { number: 1 } })
    const [before] = await store.applications()
    const second = await store.apply(applicant, { n: { number: 2 } })
    const [older, newer] = await store.applications()
    expect(older).toEqual({ ...before!, superseded_seq: newer!.submit_seq })
    expect(newer).toMatchObject({ application_id: second.receipt.application_id, superseded_seq: null })
    expect(second.receipt.application_id).not.toBe(first.receipt.application_id)
    expect(openSnapshot(newer!.snapshot).application).toMatchObject({ n: { number: 2 } })
  })

  test('leaves other applicants and other programs alone', async () => {
    const [item, other] = [await aStore(), await aStore()]
    const [a, b] = [await item.register(), await item.register()]
    for (const store of [item, other])
      for (const applicant of [a, b]) await store.apply(applicant, { n: { number: 1 } })
    await item.apply(a, { n: { number: 2 } })
    expect((await item.applications()).map(row => row.superseded_seq)).toEqual([3, null, null])
    expect((await other.applications()).map(row => row.superseded_seq)).toEqual([null, null])
  })
})

const answered = (question: string) => ({ question, operator: 'answered' }) as const

describe('"may be submitted without one answer; `create_time` is the first save, or the submission itself" (D28)', () => {
  test('create_time is the submission if nothing was ever saved', async () => {
    const store = await aStore([q.text('t', { optional: true }), q.name('hidden', { visible_when: answered('t') })])
    const applicant = await store.register()
    const { receipt } = await store.submit(applicant)
    expect(receipt.create_time).toBe(receipt.submit_time)
    const [stored] = await store.applications()
    expect(stored).toMatchObject({ create_time: receipt.submit_time, submit_time: receipt.submit_time })
    const snapshot = openSnapshot(stored!.snapshot)
    expect(snapshot.create_time).toBe(snapshot.submit_time as string)
  })

  test('create_time is the first save if every answer was removed again', async () => {
    const store = await aStore()
    const applicant = await store.register()
    const saved = await store.save(applicant, { n: { number: 1 } })
    await store.save(applicant, { n: null })
    const { receipt } = await store.submit(applicant)
    expect(receipt.create_time).toBe(saved.create_time!)
    expect(receipt.submit_time).toBeGreaterThan(receipt.create_time)
  })

  test('a required question is still reported as missing', async () => {
    const store = await aStore([q.text('t')])
    expect(await rejection(store.submit(await store.register()))).toMatchObject({
      kind: 'invalid_request',
      errors: [{ path: '/answers/t', code: 'required' }],
    })
  })
})

describe('rejected submissions', () => {
  test('report every error by its path, draw no number and keep what was saved', async () => {
    const store = await aStore([q.text('a'), q.text('b'), q.enumerator('p', [q.number('age')])])
    const applicant = await store.register()
    await store.save(applicant, { p: { entities: [{ entity_name: 'X' }] } })
    const problem = await rejection(store.submit(applicant, 'once'))
    expect(problem.errors.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/answers/a required',
      '/answers/b required',
      '/answers/p/entities/0/age required',
    ])
    expect(await store.counter()).toMatchObject({ submit_seq: 0 })
    await store.save(applicant, { a: { text: '1' }, b: { text: '2' }, p: null })
    // Under the same key, for the first attempt was none.
    expect(await rejection(store.submit(applicant, 'once'))).toMatchObject({ kind: 'invalid_request' })
    await store.save(applicant, { p: { entities: [{ entity_name: 'X', age: { number: 3 } }] } })
    expect(await store.submit(applicant, 'once')).toMatchObject({ repeated: false })
  })

  test('are those by an unknown applicant', async () => {
    const store = await aStore()
    expect(await rejection(store.submit(999_999))).toMatchObject({ kind: 'not_found' })
  })
})

describe('the currently published version', () => {
  test('decides: saved answers are checked against a version published later', async () => {
    const store = await aStore([q.number('limited one'), q.text('later gone', { optional: true })])
    const applicant = await store.register()
    await store.save(applicant, { limited_one: { number: 9 }, later_gone: { text: 'x' } })
    const stricter = await aProgram(database.sql, {
      slug: store.slug,
      questions: [q.number('limited one', { max: 5 })],
    })
    expect((await rejection(store.submit(applicant))).errors).toMatchObject([
      { path: '/answers/limited_one/number', code: 'too_large' },
    ])
    await store.save(applicant, { limited_one: { number: 5 } })
    const { receipt } = await store.submit(applicant)
    expect(receipt.program_version_id).toBe(stricter.program_version_id)
    expect(openSnapshot((await store.applications())[0]!.snapshot).application).toEqual({
      limited_one: { question_type: 'NUMBER', number: 5 },
    })
  })

  test('is used again from the start if it is published between checking and storing', async () => {
    const store = await aStore([q.number('moving one')])
    const applicant = await store.register()
    await store.save(applicant, { moving_one: { number: 1 } })
    // Holding the counter keeps the submission waiting where it has been checked already.
    const { submitting, published } = await database.sql.begin(async tx => {
      await tx`select from submission_counter where program_id = ${store.program_id} for update`
      const submitting = store.submit(applicant)
      submitting.catch(() => {})
      await until('it to wait', async () => (await waitingForLocks(database.sql, 'submission_counter')) > 0)
      const published = await aProgram(database.sql, {
        slug: store.slug,
        questions: [q.number('moving one'), q.text('new one', { optional: true })],
      })
      return { submitting: [submitting], published }
    })
    const { receipt } = await submitting[0]!
    expect(receipt.program_version_id).toBe(published.program_version_id)
    const stored = await store.applications()
    expect(stored.map(row => row.submit_seq)).toEqual([1])
    expect(Object.keys(openSnapshot(stored[0]!.snapshot).application)).toEqual(['moving_one', 'new_one'])
  })
})

test('once its version is known, a submission waits for the database four times, holding the lock of the counter only the last time', async () => {
  const store = await aStore()
  const roundTrips: string[][] = []
  let sending = false
  const note = (text: string): void => {
    if (!sending) {
      sending = true
      roundTrips.push([])
      // Whatever waits for an answer is sent in a later turn.
      setImmediate(() => {
        sending = false
      })
    }
    roundTrips.at(-1)!.push(/set local|(?<=(?:into|update|from) )\w+/.exec(text)?.[0] ?? text)
  }
  const counted = <T extends Sql | Transaction>(db: T): T =>
    new Proxy(db, {
      apply: (target, self, args: unknown[]) => {
        note((args[0] as string[]).join('?'))
        return Reflect.apply(target as (...values: unknown[]) => unknown, self, args)
      },
    })
  const counting = new Proxy(counted(database.sql), {
    get: (target, name) =>
      name === 'begin'
        ? (mode: string, work: (tx: Transaction) => Promise<unknown>) =>
            database.sql.begin(mode, tx => work(counted(tx)))
        : Reflect.get(target, name),
  })
  const submits = new IntakeStore(counting, store.program_id, key)
  for (const asked of ['first', 'second']) {
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    roundTrips.length = 0
    await submits.submit(applicant, asked)
  }
  expect(roundTrips).toEqual([
    ['set local', 'submission_request'],
    ['applicant'],
    ['submission_counter'],
    ['program_version', 'application', 'application_words', 'application', 'audit_event'],
  ])
})

test('answers saved for a newer version while a submission waited for them are checked against that version', async () => {
  const store = await aStore([q.number('raised one', { max: 5 })])
  const applicant = await store.register()
  await store.save(applicant, { raised_one: { number: 5 } })
  // As a concurrent save holds them.
  const { submitting, published } = await database.sql.begin(async tx => {
    await tx`
      update application_in_progress
      set answers = ${'{"raised_one":{"number":9}}'}
      where program_id = ${store.program_id}`
    const submitting = store.submit(applicant)
    submitting.catch(() => {})
    await until('it to wait', async () => (await waitingForLocks(database.sql, 'take_saved')) > 0)
    const published = await aProgram(database.sql, {
      slug: store.slug,
      questions: [q.number('raised one', { max: 9 })],
    })
    return { submitting: [submitting], published }
  })
  const { receipt } = await submitting[0]!
  expect(receipt.program_version_id).toBe(published.program_version_id)
})

describe('an idempotency key', () => {
  test('repeated gives the same receipt, even when the application has been superseded', async () => {
    const store = new IntakeStore(database.sql, every.program_id, key)
    const applicant = await store.register()
    await store.save(applicant, { applicant_name: { first_name: 'A', last_name: 'B' } })
    const first = await store.submit(applicant, 'again')
    expect(await store.submit(applicant, 'again')).toEqual({ receipt: first.receipt, repeated: true })
    await store.save(applicant, { applicant_name: { first_name: 'A', last_name: 'C' } })
    expect(await store.submit(applicant, 'again')).toEqual({ receipt: first.receipt, repeated: true })
    const second = await store.submit(applicant, 'another')
    expect(second.receipt.application_id).not.toBe(first.receipt.application_id)
    expect(await store.submit(applicant, 'again')).toEqual({ receipt: first.receipt, repeated: true })
  })

  test('with another applicant or submitter is refused', async () => {
    const store = new IntakeStore(database.sql, every.program_id, key)
    const [applicant, other] = [await store.register(), await store.register()]
    await store.save(applicant, { applicant_name: { first_name: 'A', last_name: 'B' } })
    await store.submit(applicant, 'taken')
    const ti: Submitter = { submitter_type: 'TRUSTED_INTERMEDIARY', ti_email: 'a,b', ti_organization: 'c' }
    await store.save(applicant, { applicant_name: { first_name: 'A', last_name: 'B' } })
    await store.submit(applicant, 'taken by another', ti)
    for (const attempt of [
      () => store.submit(other, 'taken'),
      () => store.submit(applicant, 'taken', ti),
      () => store.submit(applicant, 'taken by another'),
      () => store.submit(applicant, 'taken by another', { ...ti, ti_email: 'c' }),
      () => store.submit(applicant, 'taken by another', { ...ti, ti_organization: 'd' }),
      () => store.submit(applicant, 'taken by another', { ...ti, ti_email: 'a', ti_organization: 'b,c' }),
    ]) {
      expect(await rejection(attempt())).toMatchObject({
        kind: 'conflict',
        errors: [{ parameter: 'Idempotency-Key', code: 'idempotency_key_reused' }],
      })
    }
  })

  test('belongs to one API key and one program', async () => {
    const store = new IntakeStore(database.sql, every.program_id, key)
    const otherKey = new IntakeStore(
      database.sql,
      every.program_id,
      await createTestKey(database.sql, { maySubmit: true }),
    )
    const otherProgram = await aStore()
    const applicant = await store.register()
    const name = { applicant_name: { first_name: 'A', last_name: 'B' } }
    await store.save(applicant, name)
    const ids = [(await store.submit(applicant, 'shared')).receipt.application_id]
    await store.save(applicant, name)
    ids.push((await otherKey.submit(applicant, 'shared')).receipt.application_id)
    await otherProgram.save(applicant, { n: { number: 1 } })
    ids.push((await otherProgram.submit(applicant, 'shared')).receipt.application_id)
    expect(new Set(ids).size).toBe(3)
  })

  test('of duplicates under way lets one submit, and gives all of them its receipt', async () => {
    const store = new IntakeStore(database.sql, every.program_id, key)
    const applicant = await store.register()
    await store.save(applicant, { applicant_name: { first_name: 'A', last_name: 'B' } })
    const results = await Promise.all(Array.from({ length: 12 }, () => store.submit(applicant, 'duplicates')))
    expect(results.filter(result => !result.repeated).length).toBe(1)
    expect(new Set(results.map(result => JSON.stringify(result.receipt))).size).toBe(1)
    const stored = (await store.applications()).filter(row => row.applicant_id === applicant)
    expect(stored.length).toBe(1)
  })
})

describe('a program that is published over and over', () => {
  test('ends a submission after five attempts, with nothing submitted and everything kept', async () => {
    const store = await aStore()
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    // Another version is published in the moment between checking and storing, each time; it goes with the transaction.
    await database.sql.unsafe(`
      create sequence attempts;
      create function publish_concurrently() returns trigger language plpgsql as $$
      begin
        perform nextval('attempts');
        update program_version set state = 'OBSOLETE' where program_id = new.program_id and state = 'ACTIVE';
        return new;
      end $$;
      create trigger publish_concurrently before update on submission_counter
        for each row when (new.program_id = ${store.program_id}) execute function publish_concurrently()`)
    const refused = await rejection(store.submit(applicant))
    expect(refused).toMatchObject({
      kind: 'unavailable',
      internal: 'version_replaced',
      retryAfterSeconds: 1,
    })
    expect(await database.sql`select last_value from attempts`).toMatchObject([{ last_value: 5 }])
    expect(await store.applications()).toEqual([])
    await database.sql.unsafe('drop trigger publish_concurrently on submission_counter')
    await store.submit(applicant)
    const [stored] = await store.applications()
    expect(openSnapshot(stored!.snapshot).application).toMatchObject({ n: { number: 1 } })
  })
})

describe('times', () => {
  const submitIn = async (store: IntakeStore, timeZone: string) => {
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 4 } })
    return store.submit(applicant, undefined, { submitter_type: 'APPLICANT' }, timeZone)
  }

  test('are in the time zone of the instance, and a process with another zone stores nothing', async () => {
    const store = await aStore()
    await database.sql`update instance set time_zone = 'America/New_York'`
    try {
      const { receipt } = await submitIn(store, 'America/New_York')
      const [stored] = await store.applications()
      expect(stored!.application_id).toBe(receipt.application_id)
      expect(openSnapshot(stored!.snapshot).submit_time).toMatch(/-0[45]:00$/)
      expect(await rejection(submitIn(store, 'UTC'))).toMatchObject({
        kind: 'unavailable',
        internal: 'other_time_zone',
      })
      expect((await store.applications()).length).toBe(1)
    } finally {
      await database.sql`update instance set time_zone = 'UTC'`
    }
  })
})
