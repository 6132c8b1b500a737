// Erasing what is kept of a person, and what it leaves: a tombstone, walks that stay exact, and no answer.

import { beforeEach, describe, expect, test } from 'bun:test'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplicant, eraseApplication, eraseExpired, setRetention } from '../../../src/core/applications/erase.ts'
import { runScript } from '../../scripts/run-script.ts'
import { ExportClient, type ExportedApplication } from '../../support/export-client.ts'
import { exportLines } from '../../support/export-lines.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { rejection } from '../../support/refusal.ts'
import { storedText } from '../../support/stored-text.ts'

const canary = 'Tilly-Canary-7731'
const order = { actor: 'operator:test', reason: 'asked for by the person' }

let key: TestKey
let slug: string
let program_id: number
let client: ExportClient
let frontEnd: FrontEnd
let programs = 0

const database = await useDatabase()
const service = await useService(database)

async function openProgram(name: string): Promise<number> {
  const { program_id } = await aProgram(database.sql, { slug: name, questions: [q.text(`words ${name}`)] })
  return program_id
}
const words = (of: string, text: string) => ({ [`words_${of.replace(/[^a-z]/g, '')}`]: { text } })

beforeEach(async () => {
  // Letters only: they are all that a question key keeps.
  slug = `erase${'abcdefghijklmnopqrstuvwxyz'[programs++]!.repeat(3)}`
  program_id = await openProgram(slug)
  key = await createTestKey(database.sql, { programs: [slug], mayExport: true, maySubmit: true })
  client = new ExportClient(service, key, slug)
  frontEnd = new FrontEnd(service, key, slug)
})

const apply = async (text: string, applicant?: number) => {
  const applicant_id = applicant ?? (await frontEnd.register())
  const { application_id } = await frontEnd.apply(applicant_id, words(slug, text))
  return { applicant_id, application_id }
}
const programId = async (of: string) =>
  (await database.sql<{ program_id: number }[]>`select program_id from program where slug = ${of}`)[0]!.program_id
const idsOf = (applications: readonly ExportedApplication[]) =>
  applications.map(application => application.application_id)

const everything = () => storedText(database.sql)

describe('erasing an application', () => {
  test('removes its answers, notes and history, and leaves a tombstone with its position', async () => {
    const kept = await apply('kept')
    const { applicant_id, application_id } = await apply(canary)
    const by = { actor: 'operator:test', timeZone: 'UTC', now: Date.now() * 1000 }
    await annotate(database.sql, { program_id, application_id, note: `${canary} called`, ...by })
    expect(await everything()).toContain(canary)
    const [stood] = await database.sql`
      select submit_seq, submit_time from application where application_id = ${application_id}`
    await eraseApplication(database.sql, { program_id, application_id }, order)
    expect(await everything()).not.toContain(canary)
    expect(idsOf(await client.walkAll())).toEqual([kept.application_id])
    const [tombstone] = await database.sql`
      select submit_seq, submit_time from erased_application where application_id = ${application_id}`
    expect(tombstone).toEqual(stood!)
    const [event] = await database.sql`
      select actor, subject, detail from audit_event where action = 'application_erased' order by audit_event_id desc limit 1`
    expect(event).toEqual({
      actor: 'operator:test',
      subject: String(application_id),
      detail: { program_id, reason: order.reason },
    })
    const again = await rejection(eraseApplication(database.sql, { program_id, application_id }, order))
    expect(again).toMatchObject({ kind: 'not_found', internal: 'erased_before' })
    // The applicant is still there, and may submit again.
    await apply('later', applicant_id)
    expect(await client.walkAll()).toHaveLength(2)
  })

  test('removes answers in progress that started from it, and no others', async () => {
    // The second name is that of another question than the first, so a save leaves the copy of the first as it is.
    const two = `${slug}two`
    await aProgram(database.sql, {
      slug: two,
      questions: [q.text('words one'), q.text('words two', { optional: true })],
    })
    const own = await createTestKey(database.sql, { programs: [two], mayExport: true, maySubmit: true })
    const here = new FrontEnd(service, own, two)
    const place = { program_id: await programId(two), application_id: 0 }
    const applicant = await here.register()
    const older = await here.apply(applicant, { words_one: { text: 'older' } })
    const newer = await here.apply(applicant, { words_one: { text: canary } })
    await here.save(applicant, { words_two: { text: 'begun' } })
    const inProgress = () => database.sql`select from application_in_progress where applicant_id = ${applicant}`
    await eraseApplication(database.sql, { ...place, application_id: older.application_id }, order)
    expect(await inProgress()).toHaveLength(1)
    expect(await everything()).toContain(canary)
    await eraseApplication(database.sql, { ...place, application_id: newer.application_id }, order)
    expect(await inProgress()).toHaveLength(0)
    expect(await everything()).not.toContain(canary)
  })

  test('while its answers are being copied also removes the copy', async () => {
    for (let round = 0; round < 5; round++) {
      const { applicant_id, application_id } = await apply(`${canary} ${round}`)
      await Promise.all([
        frontEnd.save(applicant_id, words(slug, `${canary} ${round}`)),
        frontEnd.save(applicant_id, {}),
        eraseApplication(database.sql, { program_id, application_id }, order),
      ])
      // What was saved before went along, what was saved after says what it said.
      await frontEnd.save(applicant_id, words(slug, 'later'))
    }
    expect(await everything()).not.toContain(canary)
  })

  test('does not allow a submission without saved answers in its place', async () => {
    const { applicant_id, application_id } = await apply('gone')
    await eraseApplication(database.sql, { program_id, application_id }, order)
    expect(await frontEnd.submit(applicant_id).catch(String)).toMatch(/answered 409.*nothing_saved/)
  })

  test('leaves the application that it superseded OBSOLETE', async () => {
    const first = await apply('first')
    const second = await apply('second', first.applicant_id)
    await eraseApplication(database.sql, { program_id, application_id: second.application_id }, order)
    expect(await client.walkAll()).toMatchObject([{ application_id: first.application_id, revision_state: 'OBSOLETE' }])
    expect(await client.walkAll({ revisionState: 'CURRENT' })).toEqual([])
  })

  test('makes a late repetition under its Idempotency-Key fail without creating an application', async () => {
    const applicant_id = await frontEnd.register()
    const send = async () => {
      const response = await service.get(`/intake/v1/programs/${slug}/applicants/${applicant_id}/submissions`, {
        method: 'POST',
        headers: { Authorization: key.authorization, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
        body: JSON.stringify({ submitter: { type: 'APPLICANT' } }),
      })
      return { status: response.status, body: (await response.json()) as { application_id: number; detail: string } }
    }
    await frontEnd.save(applicant_id, words(slug, 'x'))
    const { application_id } = (await send()).body
    await eraseApplication(database.sql, { program_id, application_id }, order)
    expect(await send()).toMatchObject({ status: 409, body: { type: 'urn:tributary:problem:conflict', errors: [] } })
    expect(await client.walkAll()).toEqual([])
  })

  test('prevents its ID from being used again, also by a load', async () => {
    const { application_id } = await apply('loaded once')
    const [line] = await exportLines(database.sql, slug)
    await eraseApplication(database.sql, { program_id, application_id }, order)
    const loaded = await runScript('load', database.url, ['-'], `${line}\n`)
    expect(loaded.code).toBe(1)
    expect(loaded.err).toMatch(new RegExp(`/application_id is ${application_id}\\b.*\\[taken_id\\]`))
    expect(await client.walkAll()).toEqual([])
  })
})

describe('walks while applications are erased', () => {
  test.each([1, 2, 7])(
    'G1, G8: pages of %d neither miss nor repeat other rows after the row at the cursor, a later one and the one at the horizon were erased',
    async pageSize => {
      const ids: number[] = []
      for (let i = 0; i < 9; i++) ids.push((await apply(`number ${i}`)).application_id)
      const walk = client.walk({ pageSize: String(pageSize) })
      const first = (await walk.next()).value!
      const got = idsOf(first.page.payload)
      for (const application_id of [got.at(-1)!, ids[7]!, ids[8]!])
        await eraseApplication(database.sql, { program_id, application_id }, order)
      await apply('after the walk began')
      for await (const { page } of walk) got.push(...idsOf(page.payload))
      expect(got).toEqual(ids.slice(0, 7))
    },
  )
})

describe('erasing an applicant', () => {
  test('removes all their applications and answers in progress in every program, and the applicant', async () => {
    const other = `${slug}other`
    await openProgram(other)
    const otherKey = await createTestKey(database.sql, { programs: [slug, other], mayExport: true, maySubmit: true })
    const there = new FrontEnd(service, otherKey, other)
    const here = new FrontEnd(service, otherKey, slug)
    const applicant = await there.register('zh-Hant')
    await there.apply(applicant, words(other, canary))
    await there.apply(applicant, words(other, `${canary} again`))
    await here.apply(applicant, words(slug, canary))
    await here.save(applicant, words(slug, `${canary} in progress`))
    // And where nothing was ever submitted.
    const begun = `${slug}begun`
    await openProgram(begun)
    const begunKey = await createTestKey(database.sql, { programs: [begun], maySubmit: true })
    await new FrontEnd(service, begunKey, begun).save(applicant, words(begun, `${canary} begun`))
    const bystander = await apply('bystander')
    expect(await everything()).toContain(canary)
    const erased = await eraseApplicant(database.sql, applicant, order)
    expect(erased).toHaveLength(3)
    expect(await everything()).not.toContain(canary)
    expect(idsOf(await client.walkAll())).toEqual([bystander.application_id])
    expect(await database.sql`select from applicant where applicant_id = ${applicant}`).toHaveLength(0)
    const [event] = await database.sql`
      select detail from audit_event where action = 'applicant_erased' and subject = ${String(applicant)}`
    expect(event!.detail.applications).toHaveLength(3)
    expect((await rejection(eraseApplicant(database.sql, applicant, order))).kind).toBe('not_found')
    // To every route the applicant is one that was never registered.
    expect(await here.save(applicant, words(slug, 'x')).catch(String)).toContain('answered 404')
    expect(await here.submit(applicant).catch(String)).toContain('answered 404')
  })

  test('alongside their submissions erases what was acknowledged before, and later submissions find no applicant', async () => {
    for (let round = 0; round < 5; round++) {
      const applicant = await frontEnd.register()
      let acknowledged = 0
      const submitting = (async () => {
        for (;;) {
          const answer = await frontEnd.apply(applicant, words(slug, `${canary} ${round}`)).then(
            () => 200,
            (error: unknown) => Number(/answered (\d+)/.exec(String(error))?.[1]),
          )
          if (answer !== 200) return answer
          acknowledged++
        }
      })()
      while (acknowledged < 2) await Bun.sleep(1)
      await eraseApplicant(database.sql, applicant, order)
      expect(await submitting).toBe(404)
      expect(await database.sql`select from application where applicant_id = ${applicant}`).toHaveLength(0)
    }
    expect(await everything()).not.toContain(canary)
  })
})

describe('retention', () => {
  const age = async (days: number) => {
    // As if the database had been left alone for that long.
    await database.sql.begin(async tx => {
      await tx`alter table application disable trigger application_snapshot_is_immutable`
      const earlier = (time: number): number => time - days * 86_400_000_000
      for (const row of await tx`select application_id, create_time, submit_time from application where program_id = ${program_id}`)
        await tx`
          update application
          set create_time = ${earlier(row.create_time)}, submit_time = ${earlier(row.submit_time)}
          where program_id = ${program_id} and application_id = ${row.application_id}`
      for (const row of await tx`select applicant_id, updated_at from application_in_progress where program_id = ${program_id}`)
        await tx`
          update application_in_progress
          set updated_at = ${earlier(row.updated_at)}
          where program_id = ${program_id} and applicant_id = ${row.applicant_id}`
      await tx`alter table application enable trigger application_snapshot_is_immutable`
    })
  }

  test('erases applications past the retention period with a tombstone, and no others, of this program only', async () => {
    const waiting = await frontEnd.register()
    await frontEnd.save(waiting, words(slug, 'never submitted'))
    await age(40)
    // As old, in a program that keeps everything.
    await database.sql`
      insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
      select ${await openProgram(`${slug}k`)}, applicant_id, create_time, answers, updated_at
      from application_in_progress where program_id = ${program_id}`
    expect(await eraseExpired(database.sql)).toEqual([])
    await setRetention(database.sql, slug, { days: 39, actor: 'operator:test', confirmation: slug })
    // Answers in progress expire where no application does.
    expect(await eraseExpired(database.sql)).toEqual([{ slug, applications: 0, inProgress: 1 }])
    const old = await apply('old')
    await frontEnd.save(waiting, words(slug, 'never submitted'))
    await age(40)
    const young = await apply('young', old.applicant_id)
    expect(await eraseExpired(database.sql)).toEqual([{ slug, applications: 1, inProgress: 1 }])
    expect(await eraseExpired(database.sql)).toEqual([])
    expect(idsOf(await client.walkAll())).toEqual([young.application_id])
    // With the idempotency key under which it may be sent again.
    const requests = await database.sql`
      select application_id from submission_request where applicant_id = ${old.applicant_id}`
    expect(requests).toMatchObject([{ application_id: young.application_id }])
    expect(await database.sql`select from erased_application where program_id = ${program_id}`).toHaveLength(1)
    const events = await database.sql`
      select actor, detail from audit_event
      where action = 'applications_expired' and subject = ${slug} order by audit_event_id`
    const expired = (...applications: number[]) => ({
      actor: 'retention',
      detail: { retention_days: 39, applications, in_progress: 1 },
    })
    expect([...events]).toEqual([expired(), expired(old.application_id)])
    await setRetention(database.sql, slug, { days: null, actor: 'operator:test' })
    await age(4000)
    expect(await eraseExpired(database.sql)).toEqual([])
  })

  test('erases everything expired in one sweep, oldest first, in batches', async () => {
    for (let i = 0; i < 10; i++) await apply(`number ${i}`)
    await frontEnd.save(await frontEnd.register(), words(slug, 'never submitted'))
    await age(40)
    const young = await apply('young')
    const old = idsOf(await client.walkAll()).slice(0, 10)
    await setRetention(database.sql, slug, { days: 39, actor: 'operator:test', confirmation: slug })
    expect(await eraseExpired(database.sql, 4)).toEqual([{ slug, applications: 10, inProgress: 1 }])
    expect(idsOf(await client.walkAll())).toEqual([young.application_id])
    const entries = await database.sql<{ detail: { applications: number[] } }[]>`
      select detail from audit_event
      where action = 'applications_expired' and subject = ${slug} order by audit_event_id`
    expect(entries.map(({ detail }) => detail.applications)).toEqual([old.slice(0, 4), old.slice(4, 8), old.slice(8)])
    await setRetention(database.sql, slug, { days: null, actor: 'operator:test' })
  })
})

describe('scripts/erase', () => {
  const erase = (...args: string[]) => runScript('erase-records', database.url, args)

  test('shows what would be erased, and erases nothing without --yes', async () => {
    const { applicant_id, application_id } = await apply('x')
    const asked = await erase('application', slug, String(application_id))
    expect(asked).toMatchObject({ code: 0, out: expect.stringContaining(' --yes') })
    await frontEnd.save(applicant_id, words(slug, 'unsent'))
    const askedAll = await erase('applicant', String(applicant_id))
    expect(askedAll.out).toContain(`${slug}: 1 application and `)
    expect(await client.walkAll()).toHaveLength(1)
    expect(await erase('application', slug, String(application_id), '--yes')).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^\\D+ ${application_id} \\D+\n$`)),
    })
    expect(await erase('applicant', String(applicant_id), '--yes', '--reason', 'asked')).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^\\D+${applicant_id}\\b\\D+\\b0\\b\\D+\n$`)),
    })
    expect(await client.walkAll()).toEqual([])
  })

  test('refuses a reason that is too long before it shows what would be erased, and treats spaces as no reason', async () => {
    const { applicant_id, application_id } = await apply('x')
    const item = ['application', slug, String(application_id)]
    for (const what of [item, ['applicant', String(applicant_id)]])
      for (const more of [[], ['--yes']])
        expect(await erase(...what, '--reason', 'x'.repeat(201), ...more)).toEqual({
          code: 1,
          out: '',
          err: expect.stringMatching(/^[^\n]+\n {2}reason: [^\n]* 200 [^\n]* \[too_long\]\n$/),
        })
    expect(await erase(...item, '--reason', ' ', '--yes')).toMatchObject({ code: 0 })
    const [event] = await database.sql`
      select detail from audit_event where action = 'application_erased' and subject = ${String(application_id)}`
    expect(event!.detail).toEqual({ program_id })
  })

  test('reports impossible requests in one sentence', async () => {
    expect(await erase('application', slug, '99999', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('99999'),
    })
    expect(await erase('application', 'nowhere', '1')).toMatchObject({
      code: 1,
      err: expect.stringContaining('"nowhere"'),
    })
    expect(await erase('applicant', '99999', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^[^\n]*applicant 99999[^\n]*\n$/),
    })
    const usages = [
      [],
      ['all'],
      ['application', slug],
      ['application', slug, 'x'],
      ['applicant'],
      ['applicant', '0'],
      ['applicant', '1', '2'],
    ]
    for (const args of usages) expect([args, await erase(...args)]).toMatchObject([args, { code: 2, out: '' }])
  })
})
