// Contract G14: "what waits for one program or one reader never stops the others".

import { describe, expect, test } from 'bun:test'
import { setProgramIntake } from '../../../../src/core/intake/close-intake.ts'
import { pauseIntake, resumeIntake } from '../../../../src/core/intake/pause-intake.ts'
import { updateProgramIntake } from '../../../../src/db/programs/program-intake.ts'
import { useIntake } from '../../../support/fixtures.ts'
import { FrontEnd } from '../../../support/front-end.ts'
import { waitingForLocks } from '../../../support/held-transaction.ts'
import { createTestKey } from '../../../support/keys.ts'
import { aProgram, q } from '../../../support/programs.ts'
import { until } from '../../../support/until.ts'

const intake = await useIntake([q.text('t', { optional: true })], { intakeConnections: 4 })
const { sql } = intake.database
await aProgram(sql, { slug: 'rent-aid', questions: [q.text('other', { optional: true })] })
const rentAid = new FrontEnd(
  intake.service,
  await createTestKey(sql, { maySubmit: true, programs: ['rent-aid'] }),
  'rent-aid',
)
const slug = 'housing-aid'
const operator = 'operator:test'

/** Holds the counter of the program, as a submission that does not end would, until `work` has ended. */
const whileBlocked = <T>(work: () => Promise<T>): Promise<T> =>
  sql.begin(async tx => {
    await tx`select from submission_counter where program_id = ${intake.program.program_id} for update`
    return work()
  }) as Promise<T>

describe('a program whose counter is held', () => {
  test('makes 30 submissions wait, but no other program, saving, reading or registering', async () => {
    const applicants = await Promise.all(Array.from({ length: 30 }, () => intake.register()))
    let answered = 0
    const submitting = await whileBlocked(async () => {
      const waiting = applicants.map(async applicant => {
        const { status } = await intake.submit(applicant)
        answered++
        return status
      })
      await until('submissions to wait', async () => (await waitingForLocks(sql, 'submission_counter')) > 0)
      await rentAid.apply(await rentAid.register(), { other: { text: 'x' } })
      const applicant = await intake.register()
      expect(await intake.save(applicant, { t: { text: 'x' } })).toMatchObject({ status: 200 })
      expect(await intake.send('GET', intake.answersPath(applicant))).toMatchObject({ status: 200 })
      expect(answered).toBe(0)
      return waiting
    })
    expect(new Set(await Promise.all(submitting))).toEqual(new Set([201]))
  })
})

describe('a pause of intake', () => {
  const paused = { status: 503, body: { title: 'Service Unavailable', detail: expect.stringContaining('paused') } }

  test('refuses submissions with a 503 and Retry-After, keeps what was saved, and lets everything else continue', async () => {
    const applicant = await intake.register()
    const done = await intake.register()
    expect(await intake.submit(done, 'before')).toMatchObject({ status: 201 })
    await pauseIntake(sql, slug, 3_600_000, operator)
    expect(await intake.save(applicant, { t: { text: 'kept' } })).toMatchObject({ status: 200 })
    const refused = await intake.submit(applicant)
    expect(refused).toMatchObject(paused)
    expect(refused.headers.get('retry-after')).toBe('60')
    // What was submitted before is answered again all the same.
    expect(await intake.submit(done, 'before')).toMatchObject({ status: 200 })
    await rentAid.apply(await rentAid.register(), {})
    expect(await resumeIntake(sql, slug, operator)).toBe(true)
    expect(await intake.submit(applicant)).toMatchObject({ status: 201 })
    expect((await intake.exported()).at(-1)!.application).toMatchObject({ t: { text: 'kept' } })
  })

  test('also refuses a submission that was waiting for the counter when the pause began', async () => {
    const applicant = await intake.register()
    const submitting = await sql.begin(async tx => {
      await tx`
        update submission_counter
        set intake_paused_until = clock_timestamp() + interval '1 hour'
        where program_id = ${intake.program.program_id}`
      const submitting = intake.submit(applicant)
      await until('the submission to wait', async () => (await waitingForLocks(sql, 'submission_counter')) === 1)
      return [submitting]
    })
    expect(await submitting[0]).toMatchObject(paused)
    await resumeIntake(sql, slug, operator)
  })

  test('ends automatically', async () => {
    await pauseIntake(sql, slug, 20, operator)
    const applicant = await intake.register()
    await until('the pause to end', async () => (await intake.submit(applicant)).status === 201)
  })

  test('is in the audit log with its end, and intake that is not paused is not resumed', async () => {
    await pauseIntake(sql, slug, 60_000, operator)
    expect(await intake.submit(await intake.register())).toMatchObject(paused)
    expect(await resumeIntake(sql, slug, operator)).toBe(true)
    expect(await resumeIntake(sql, slug, operator)).toBe(false)
    const events = await sql<{ action: string; actor: string }[]>`
      select action, actor
      from audit_event
      where subject = ${slug} and action like 'intake\_%'
      order by audit_event_id desc
      limit 2`
    expect([...events]).toEqual([
      { action: 'intake_resumed', actor: operator },
      { action: 'intake_paused', actor: operator },
    ])
  })
})

describe('a program that an administrator does not keep open', () => {
  const set = (intake_state: 'OPEN' | 'PAUSED' | 'CLOSED' | 'ARCHIVED', intake_text: string | null = null) =>
    setProgramIntake(sql, slug, { intake_state, intake_text, actor: 'admin:ada@example.gov', address: '127.0.0.1' })
  const words = 'Next round: 1 March.'
  const isClosed = { status: 409, body: { errors: [{ code: 'program_closed', detail: words }] } }

  test.each([
    ['PAUSED', { status: 503, body: { detail: expect.stringContaining(words) } }],
    ['CLOSED', isClosed],
    ['ARCHIVED', isClosed],
  ] as const)(
    '%s: refuses submissions with the reason, keeps what is saved, and is exported as before',
    async (state, refused) => {
      const applicant = await intake.register()
      const done = await intake.register()
      expect(await intake.submit(done, `before ${state}`)).toMatchObject({ status: 201 })
      const before = await intake.exported()
      for (const text of ['Other words.', words, words]) await set(state, text)
      expect(await intake.save(applicant, { t: { text: 'kept' } })).toMatchObject({ status: 200 })
      expect(await intake.submit(applicant)).toMatchObject(refused)
      expect(await intake.submit(done, `before ${state}`)).toMatchObject({ status: 200 })
      const asked = await intake.send('GET', `programs/${slug}`)
      expect(asked.body).toMatchObject({ intake_state: state, intake_text: words })
      expect(await intake.exported()).toEqual(before)
      // An operator's pause that ends does not open it.
      await pauseIntake(sql, slug, 60_000, operator)
      await resumeIntake(sql, slug, operator)
      expect(await intake.submit(applicant)).toMatchObject(refused)
      await rentAid.apply(await rentAid.register(), {})
      await set('OPEN')
      expect(await intake.submit(applicant)).toMatchObject({ status: 201 })
      const events = await sql`
      select actor, detail from audit_event where action = 'program_intake_set' order by audit_event_id desc limit 3`
      const changes = [
        { intake_state: 'OPEN', intake_text: null, before: state },
        { intake_state: state, intake_text: words, before: state },
        { intake_state: state, intake_text: 'Other words.', before: 'OPEN' },
      ]
      expect([...events]).toEqual(changes.map(detail => ({ actor: 'admin:ada@example.gov', detail })))
    },
  )

  test('also refuses a submission that was waiting for the counter when it was closed', async () => {
    const applicant = await intake.register()
    const [submitting] = await sql.begin(async tx => {
      const { program_id } = intake.program
      await updateProgramIntake(tx, program_id, { intake_state: 'CLOSED', intake_text: words })
      const submitting = intake.submit(applicant)
      await until('the submission to wait', async () => (await waitingForLocks(sql, 'submission_counter')) === 1)
      return [submitting]
    })
    expect(await submitting).toMatchObject(isClosed)
    await set('OPEN')
  })
})
