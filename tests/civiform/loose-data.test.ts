// What real databases of CiviForm's have that ours would never: times that are missing, equal or out of order, two active
// applications, merges, whole tables gone. And every age of the schema.

import { describe, expect, test } from 'bun:test'
import { readFindings } from '../../src/civiform/db/follow-state.ts'
import { readWriters } from '../../src/civiform/db/source-watermark.ts'
import type { Follower } from '../../src/civiform/following/follower.ts'
import { Watermarks } from '../../src/civiform/source/watermark.ts'
import { upgrade } from '../support/civiform/civiform-database.ts'
import { type Following, useFollowedClient, useFollowing } from '../support/civiform/following.ts'
import type { SimulatedCiviForm, SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import type { ExportClient } from '../support/export-client.ts'
import { usePool } from '../support/fixtures.ts'

const program = 'rent relief'
const job: SimulatedQuestion = { name: 'job', type: 'TEXT' }

async function opened(
  options: Parameters<typeof useFollowing>[0] = {},
  questions: readonly SimulatedQuestion[] = [job],
) {
  const following = await useFollowing(options)
  await following.civiform.publish({ [program]: questions })
  await following.follower.round()
  return { ...following, client: await useFollowedClient(following) }
}
const shown = async (client: ExportClient, parameters: Record<string, string> = {}) =>
  (await client.walkAll(parameters)).map(application => [application.application_id, application.revision_state])
const answers = (text: string) => ({ job: { text } })
const keptIds = async (sql: Following['sql']): Promise<number[]> =>
  (await sql<{ id: number }[]>`select application_id as id from application order by 1`).map(row => row.id)

/** So many, each of an applicant of its own. */
async function submitted(civiform: SimulatedCiviForm, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count)
    ids.push(await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('x') }))
  return ids
}

/** One, and so many like it, microseconds after it. */
async function submittedTogether(civiform: SimulatedCiviForm, more: number): Promise<void> {
  await submitted(civiform, 1)
  await civiform.app`
    insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
    select applicant_id, program_id, object, 'active', create_time, submit_time + i * interval '1 microsecond'
    from applications cross join generate_series(1, ${more}) i`
}

describe('times', () => {
  test('72: an application without a submission time comes first and is outside every date range, even one without a start', async () => {
    const { civiform, client, catchUp, sql } = await opened()
    const [older, newer] = [await civiform.applicant(), await civiform.applicant()]
    const timed = await civiform.submit({ applicant: newer, program, answers: answers('timed') })
    const untimed = await civiform.submit({ applicant: older, program, answers: answers('untimed') })
    await civiform.set(untimed, { submit_time: null })
    // As a first copy finds it.
    await sql`update civiform_source set position_time = null, position_id = 0, first_copied_at = null`
    await catchUp()
    const walked = await client.walkAll({ pageSize: '1' })
    expect(walked.map(application => [application.application_id, application.submit_time === null])).toEqual([
      [untimed, true],
      [timed, false],
    ])
    const spans: Record<string, string>[] = [
      { fromDate: '1800-01-01' },
      { fromDate: '1900-01-01' },
      { toDate: '2200-01-01' },
    ]
    for (const span of spans) expect(await shown(client, span)).toEqual([[timed, 'CURRENT']])
  })

  test('limit 3: an application that gets its time when it becomes obsolete keeps its place, and the time is exported', async () => {
    const { civiform, client, catchUp, sql } = await opened()
    const applicant = await civiform.applicant()
    const untimed = await civiform.submit({ applicant, program, answers: answers('untimed') })
    await civiform.set(untimed, { submit_time: null })
    await sql`update civiform_source set position_time = null, position_id = 0, first_copied_at = null`
    await catchUp()
    const next = await civiform.submit({ applicant, program, answers: answers('again') })
    await catchUp()
    const walked = await client.walkAll()
    expect(walked.map(application => [application.application_id, application.revision_state])).toEqual([
      [untimed, 'OBSOLETE'],
      [next, 'CURRENT'],
    ])
    expect(walked[0]!.submit_time).not.toBeNull()
  })

  test('8.3: a creation time after the submission, as left by upgrades, and a status without a time are exported', async () => {
    const { civiform, client, catchUp, sql } = await opened()
    const id = await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('x') })
    await catchUp()
    await civiform.set(id, { create_time: '2030-01-01', latest_status: 'Approved' })
    await catchUp()
    expect(await client.walkAll()).toMatchObject([
      { create_time: '2030-01-01T00:00:00+00:00', status: 'Approved', status_last_modified_time: null },
    ])
    expect(await sql`select create_time from application`).toMatchObject([{ create_time: Date.UTC(2030, 0) * 1000 }])
  })

  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()

  test('95: an application below a used watermark is accepted and reported, and later ones may be as late', async () => {
    const { civiform, client, catchUp, log, sql } = await opened()
    const submit = async (text: string, time: string): Promise<number> =>
      civiform.submit({ applicant: await civiform.applicant(), program, answers: answers(text), time })
    const begun = Date.now()
    const first = await submit('on time', new Date(begun).toISOString())
    await catchUp()
    const { response } = await client.page()
    const behind = new Date(begun - 700).toISOString()
    const late = await submit('late', behind)
    const later = await submit('later, of an earlier time', new Date(begun - 900).toISOString())
    const [used] = await sql<{ watermark: number }[]>`
      update civiform_source set late_applications = 3 returning watermark`
    await catchUp()
    const walked = await client.walkAll({ fromDate: response.headers.get('Snapshot-Time')! })
    expect(walked.map(application => application.application_id)).toEqual([later, late])
    expect(walked[1]!.submit_time).toBe(`${behind.slice(0, 19)}+00:00`)
    expect((await client.walkAll()).map(application => application.application_id)).toEqual([first, later, late])
    const errors = (): unknown[] => log.filter(line => line.level === 'error')
    expect(errors()).toHaveLength(1)
    const [state] = await sql`select late_applications, slack_ms from civiform_source`
    expect(state!.late_applications).toBe(5)
    // Once and a half of what it would have taken for both.
    expect(state!.slack_ms).toBe(Math.ceil((5 + (used!.watermark - (begun - 900) * 1000) / 1000) * 1.5))

    await catchUp()
    // The next one of that clock is within what is allowed for: it comes in its order, and is no surprise.
    const [newest, next] = [await submit('newest', ago(0)), await submit('behind as much', ago(500))]
    await catchUp()
    expect((await client.walkAll()).map(application => application.application_id)).toEqual([
      first,
      later,
      late,
      next,
      newest,
    ])
    expect(errors()).toHaveLength(1)
    expect(await sql`select late_applications from civiform_source`).toMatchObject([{ late_applications: 5 }])
  })

  test('95: the allowance for lateness returns to its minimum after a day without late applications', async () => {
    const { sql, follower, log } = await opened()
    const allowed = async (): Promise<unknown> => (await sql`select slack_ms from civiform_source`)[0]!.slack_ms
    await sql`update civiform_source set slack_ms = 9000, slack_widened_at = now() - interval '23 hours'`
    await follower.round()
    expect(await allowed()).toBe(9000)
    await sql`update civiform_source set slack_widened_at = now() - interval '25 hours'`
    await follower.round()
    expect(await allowed()).toBe(5)
    expect(log.some(({ fields }) => fields.slack_ms === 5 && fields.slack_ms_before === 9000)).toBe(true)
  })

  test('95: applications imported with old times are accepted too, without a larger allowance for lateness', async () => {
    const { civiform, client, catchUp, follower, log, sql } = await opened()
    const submit = async (time: string): Promise<number> =>
      civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('x'), time })
    const ids = [await submit(ago(0))]
    await catchUp()
    const { response } = await client.page()
    for (let days = 10; days < 13; days++) {
      ids.push(await submit(ago(days * 86_400_000)))
      ids.push(await submit(ago(300_000 + days)))
      await catchUp()
    }
    // What is of the last ten minutes is found before any comparison comes to it.
    await sql`update civiform_source set scan_after = ${2 ** 52}`
    ids.push(await submit(ago(540_000)))
    await follower.round()
    const polled = await client.walkAll({ fromDate: response.headers.get('Snapshot-Time')! })
    expect(polled.map(application => application.application_id).sort()).toEqual(ids.slice(1).sort())
    expect(await sql`select late_applications, slack_ms from civiform_source`).toMatchObject([
      { late_applications: 0, slack_ms: 5 },
    ])
    expect(log.filter(line => line.level === 'error')).toEqual([])
    expect(log.some(({ level, fields }) => level === 'warn' && fields.behind_ms !== undefined)).toBe(true)
  })
})

describe('revisions', () => {
  test('8.3: two active applications of the same applicant are both CURRENT until CiviForm changes their stage', async () => {
    const { civiform, client, catchUp } = await opened()
    const applicant = await civiform.applicant()
    const first = await civiform.submit({ applicant, program, answers: answers('1') })
    const second = await civiform.submit({ applicant, program, answers: answers('2') })
    await civiform.set(first, { lifecycle_stage: 'active' })
    await catchUp()
    expect(await shown(client)).toEqual([
      [first, 'CURRENT'],
      [second, 'CURRENT'],
    ])
    const third = await civiform.submit({ applicant, program, answers: answers('3') })
    await catchUp()
    expect(await shown(client)).toEqual([
      [first, 'OBSOLETE'],
      [second, 'OBSOLETE'],
      [third, 'CURRENT'],
    ])
  })

  test('1.8: a merge can make an application obsolete without a successor, while earlier walks still have it as CURRENT', async () => {
    const { civiform, client, catchUp, sql } = await opened()
    const [guest, account] = [await civiform.applicant(), await civiform.applicant()]
    const asGuest = await civiform.submit({ applicant: guest, program, answers: answers('guest') })
    const own = await civiform.submit({ applicant: account, program, answers: answers('own') })
    await catchUp()
    const { page } = await client.page({ pageSize: '1' })
    await civiform.merge(guest, account, [own])
    await catchUp()
    expect(await shown(client)).toEqual([
      [asGuest, 'CURRENT'],
      [own, 'OBSOLETE'],
    ])
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect(rest.page.payload.map(application => [application.application_id, application.revision_state])).toEqual([
      [own, 'CURRENT'],
    ])
    expect(await sql`select submissions from submission_counter`).toMatchObject([{ submissions: 2 }])
    // 71: what was exported of the guest stays.
    expect((await client.walkAll())[0]!.applicant_id).toBe(guest)
  })

  test('a merge does not wait for an application that the same applicant has just submitted to another program', async () => {
    const { civiform, client, catchUp } = await opened()
    await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }], elsewhere: [{ name: 'job', type: 'TEXT' }] })
    const applicant = await civiform.applicant()
    const own = await civiform.submit({ applicant, program, answers: answers('own') })
    await catchUp()
    await civiform.set(own, { lifecycle_stage: 'obsolete' })
    const ahead = new Date(Date.now() + 60_000).toISOString()
    await civiform.submit({ applicant, program: 'elsewhere', answers: answers('another'), time: ahead })
    await catchUp()
    expect(await shown(client)).toEqual([[own, 'OBSOLETE']])
  })

  test('setting the same status again is another change, with its own time', async () => {
    const { civiform, catchUp, sql } = await opened()
    const id = await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('a') })
    await catchUp()
    for (const _ of ['set', 'set again']) {
      await civiform.setStatus(id, 'Approved')
      await catchUp()
    }
    await civiform.setNote(id, 'Call back')
    await catchUp()
    const changes = await sql`
      select sets_status, sets_note, max(changed_at) as at from application_annotation
      where application_id = ${id} and (sets_status or sets_note) group by 1, 2, changed_at order by at`
    expect(changes.map(change => [change.sets_status, change.sets_note])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ])
  })

  test('87, 88: an application stays CURRENT until its successor is below the watermark', async () => {
    const { civiform, client, catchUp, follower, sql } = await opened()
    const applicant = await civiform.applicant()
    const first = await civiform.submit({ applicant, program, answers: answers('1') })
    await catchUp()
    const ahead = new Date(Date.now() + 60_000).toISOString()
    const second = await civiform.submit({ applicant, program, answers: answers('2'), time: ahead })
    for (let i = 0; i < 3; i++) await follower.round()
    // Active again and obsolete again in the meantime, it has not lost its place.
    for (const lifecycle_stage of ['active', 'obsolete']) {
      await civiform.set(first, { lifecycle_stage })
      await follower.round()
    }
    expect(await sql`select from civiform_change`).toHaveLength(0)
    expect(await shown(client)).toEqual([[first, 'CURRENT']])
    await civiform.set(second, { submit_time: new Date(Date.now()).toISOString().slice(0, -1) })
    await catchUp()
    expect(await shown(client)).toEqual([
      [first, 'OBSOLETE'],
      [second, 'CURRENT'],
    ])
  })

  test('86: a status set between two pages is on the later page, and each application is exported once', async () => {
    const { civiform, client, catchUp } = await opened()
    const ids = await submitted(civiform, 2)
    await catchUp()
    const { page } = await client.page({ pageSize: '1' })
    for (const id of ids) await civiform.setStatus(id, 'Approved')
    await catchUp()
    const rest = await client.page({ nextPageToken: page.nextPageToken! })
    expect(
      [...page.payload, ...rest.page.payload].map(application => [application.application_id, application.status]),
    ).toEqual([
      [ids[0]!, null],
      [ids[1]!, 'Approved'],
    ])
  })
})

describe('an intermediary organization', () => {
  test('4.4: has its new name after the next round, and is null after the next comparison if it was deleted', async () => {
    const { civiform, client, catchUp, follower, sql } = await opened()
    const [north, south] = [await civiform.organization('North Aid'), await civiform.organization('South Aid')]
    for (const organization of [north, south])
      await civiform.submit({
        applicant: await civiform.applicant({ organization }),
        program,
        answers: {},
        submitterEmail: 'helper@aid.example',
      })
    await catchUp()
    const names = async () => (await client.walkAll()).map(application => application.ti_organization)
    expect(await names()).toEqual(['North Aid', 'South Aid'])
    await civiform.app`update ti_organizations set name = 'North Help' where id = ${north}`
    await follower.round()
    expect(await names()).toEqual(['North Help', 'South Aid'])
    expect(await sql`select scan_whole from civiform_source`).toMatchObject([{ scan_whole: false }])
    await civiform.app`delete from ti_organizations where id = ${south}`
    await sql`update civiform_source set scan_after = ${2 ** 52}`
    await follower.round()
    expect(await names()).toEqual(['North Help', null])
  })
})

describe('rows that disappear from CiviForm', () => {
  test('a deleted application is removed, but the deletion of most of a table waits for an operator', async () => {
    const { civiform, client, catchUp, sql, log } = await opened()
    await submittedTogether(civiform, 150)
    await catchUp()
    const all = await shown(client)
    expect(all).toHaveLength(151)
    await civiform.remove(all[0]![0] as number)
    await catchUp()
    expect(await shown(client)).toHaveLength(150)
    expect(await sql`select submissions, erased from submission_counter`).toMatchObject([
      { submissions: 151, erased: 1 },
    ])
    await civiform.app`delete from applications where id % 4 > 0`
    const [left] = await civiform.app<{ n: number }[]>`select count(*)::int as n from applications`
    await catchUp()
    expect(await shown(client)).toHaveLength(150)
    expect((await readFindings(sql)).map(finding => finding.kind)).toEqual(['many_deleted'])
    expect(log.some(line => line.level === 'error')).toBe(true)
    // What an operator said of another day.
    await sql`update civiform_source set deletions_accepted_until = now() - interval '1 second'`
    await catchUp()
    expect(await shown(client)).toHaveLength(150)
    await sql`update civiform_source set deletions_accepted_until = now() + interval '1 hour'`
    await catchUp()
    expect([(await shown(client)).length, await readFindings(sql)]).toEqual([left!.n, []])
  })

  test.each([0, 1])(
    'all applications with a deletion record in CiviForm are removed in the next round, however many (%#)',
    async whole => {
      const { civiform, sql, restarted, follower, catchUp } = await opened()
      const applicants: number[] = []
      const ids: number[] = []
      for (let i = 0; i < 4; i++) {
        applicants.push(await civiform.applicant())
        ids.push(await civiform.submit({ applicant: applicants[i]!, program, answers: answers(String(i)) }))
      }
      await catchUp()
      // A comparison that would take four hours to come so far.
      await sql`update civiform_source set scan_after = ${ids.at(-1)!}, scan_whole = ${whole === 1}`
      // The records of the two tables are numbered each by itself.
      await civiform.app`
        insert into application_deletion_record (application_id, program_name, deletion_trigger, delete_time)
        select 1000000 + i, ${program}, 'ADMIN', now() from generate_series(1, 1100) i`
      await civiform.removeOnRecord(ids[0]!)
      await civiform.removeAccountOf(applicants[1]!)
      await follower.round()
      expect(await keptIds(sql)).toEqual(ids.slice(2))
      // Also while no follower ran; and a record of what is there all the same takes nothing away.
      await civiform.removeOnRecord(ids[2]!)
      await civiform.app`
      insert into application_deletion_record (application_id, program_name, deletion_trigger, delete_time)
      values (${ids[3]!}, ${program}, 'ADMIN', now())`
      await sql`update civiform_source set scan_after = ${ids.at(-1)!}`
      await restarted().round()
      expect(await keptIds(sql)).toEqual(ids.slice(3))
    },
  )

  test.each(['an application', 'an account'])(
    'a deletion of %s is found in the next round even if its record becomes visible after a later one',
    async what => {
      const { civiform, sql, follower, catchUp } = await opened()
      const ids = await submitted(civiform, 2)
      await catchUp()
      // What is not on record is not found in the meantime.
      const look = async (): Promise<number[]> => {
        await sql`update civiform_source set scan_after = ${ids.at(-1)!}, scan_whole = false`
        await follower.round()
        return keptIds(sql)
      }
      const rows = await civiform.app<{ applicant: number }[]>`
      select applicant_id as applicant from applications order by id`
      const [earlier, later] = rows.map(row => row.applicant) as [number, number]
      const isAccount = what === 'an account'
      const table = isAccount ? 'account_deletion_record' : 'application_deletion_record'
      // The id of a record is drawn before the record can be seen.
      const [drawn] = await civiform.app<{ id: number }[]>`
      select nextval(pg_get_serial_sequence(${table}, 'id'))::integer as id`
      await (isAccount ? civiform.removeAccountOf(later) : civiform.removeOnRecord(ids[1]!))
      expect(await look()).toEqual([ids[0]!])
      await civiform.remove(ids[0]!)
      // An account may have had applicants that submitted nothing.
      const record = isAccount
        ? { id: drawn!.id, applicant_ids: `[999999, ${earlier}]` }
        : { id: drawn!.id, application_id: ids[0]!, program_name: program }
      await civiform.app`insert into ${civiform.app(table)} ${civiform.app({ ...record, deletion_trigger: 'ADMIN', delete_time: '2030-01-01' } as never)}`
      expect(await look()).toEqual([])
    },
  )

  test.each(['this follower', 'another one'])(
    'deletion records with reused IDs are read after a restore that %s has settled',
    async who => {
      const { civiform, sql, follower, restarted, catchUp } = await opened()
      // The lock may be lost, and got again when another process is done.
      const settling = who === 'this follower' ? follower : restarted()
      const ids = await submitted(civiform, 2)
      await catchUp()
      const look = async (): Promise<number[]> => {
        await sql`update civiform_source set scan_after = ${ids.at(-1)!}`
        await follower.round()
        return keptIds(sql)
      }
      await civiform.removeOnRecord(ids[1]!)
      expect(await look()).toEqual([ids[0]!])
      const [{ id }] = (await civiform.app`delete from application_deletion_record returning id::integer`) as [
        { id: number },
      ]
      await civiform.app`select setval(pg_get_serial_sequence('application_deletion_record', 'id'), ${id}, false)`
      await sql`update civiform_source set rollback_evidence = 'it was restored'`
      await catchUp(settling)
      while ((await sql`select from civiform_source where scan_whole`).length > 0) await settling.round()
      await civiform.removeOnRecord(ids[0]!)
      expect(await look()).toEqual([])
    },
  )

  test('everything is read in full again after a day', async () => {
    const { civiform, sql, follower, catchUp } = await opened()
    const id = (await submitted(civiform, 1))[0]!
    await catchUp()
    await civiform.set(id, { object: 'no document' })
    await civiform.app`update programs set uses_scoring = true`
    await catchUp()
    const isWhole = async (): Promise<boolean> => (await sql`select from civiform_source where scan_whole`).length > 0
    await follower.round()
    expect(await isWhole()).toBe(false)
    // As when none has ended since the first copy.
    await sql`update civiform_source set whole_scan_ended_at = null, first_copied_at = now() - interval '25 hours'`
    await follower.round()
    expect(await isWhole()).toBe(true)
    expect((await readFindings(sql)).map(finding => [finding.kind, finding.subject])).toEqual([
      ['application', String(id)],
      ['scores', program],
    ])
    await civiform.rewrite(id, answers('y'))
    await civiform.app`update programs set uses_scoring = false`
    await follower.round()
    expect(await isWhole()).toBe(false)
    // What was mended is reported no more.
    expect(await readFindings(sql)).toEqual([])
    await follower.round()
    expect(await isWhole()).toBe(false)
  })

  test('limit 6: another database at the same address is refused', async () => {
    const { follower, restarted, sql, catchUp } = await opened()
    await catchUp()
    await sql`update civiform_source set identity = 'another'`
    for (const item of [follower, restarted()])
      await expect(item.round()).rejects.toMatchObject({ internal: 'other_database' })
  })
})

describe('schema versions', () => {
  test.each(['2023', '2024', '2026'] as const)(
    '96: status, time and note are read from the schema of %s, from events if there is no column',
    async age => {
      const { civiform, client, catchUp, sql } = await opened({ age })
      const [applicant, account] = [await civiform.applicant(), await civiform.applicant()]
      const id = await civiform.submit({ applicant, program, answers: answers('x') })
      await civiform.setStatus(id, 'Approved')
      const [noted] = await civiform.app<{ at: number }[]>`select clock_timestamp() as at`
      // Of one moment, the last.
      for (const note of ['Not yet', 'Call back']) await civiform.setNote(id, note)
      await civiform.app`update application_events set create_time = now() where event_type = 'NOTE_CHANGE'`
      await catchUp()
      await civiform.merge(applicant, account)
      await catchUp()
      const [application] = await client.walkAll()
      expect(application).toMatchObject({
        applicant_id: age === '2026' ? applicant : account,
        status: 'Approved',
        application_note: 'Call back',
        application: { job: { text: 'x' } },
      })
      const [stored] = await sql<{ at: number }[]>`select status_last_modified_time as at from application`
      expect(stored!.at).toBeLessThan(noted!.at)
      for (const statuses of [['Approved', 'Denied'], ['Waiting']]) {
        await civiform.defineStatuses(program, ...statuses)
        await catchUp()
        expect(await sql`select statuses from program`).toMatchObject([{ statuses }])
      }
      // Texts are mended in their rows, of a question or of a program alone.
      for (const [table, column] of [
        ['programs', 'localized_name'],
        ['questions', 'question_text'],
      ] as const) {
        const text = civiform.app.json({ isRequired: true, translations: { en_US: `Mended ${table}` } })
        await civiform.app`update ${civiform.app(table)} set ${civiform.app(column)} = ${text}`
        await catchUp()
      }
      expect(
        await sql`
        select v.display_name, q.settings ->> 'text' as text from program_version v
        join program_version_question using (program_version_id) join question_version q using (question_version_id)`,
      ).toMatchObject([{ display_name: 'Mended programs', text: 'Mended questions' }])
    },
  )

  test('93: nothing is lost or removed when upgrades add columns and rewrite tables under a running follower', async () => {
    const { civiform, client, catchUp, follower } = await opened({ age: '2023' })
    const ids: number[] = []
    const submit = async (): Promise<void> => {
      ids.push(
        await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers(`${ids.length}`) }),
      )
    }
    const steps: ((f: Follower) => Promise<unknown>)[] = [
      () => upgrade(civiform.database, '2024'),
      () => upgrade(civiform.database, '2026'),
      () => civiform.app`alter table applications add column more uuid not null default gen_random_uuid()`,
    ]
    for (const step of steps) {
      await submit()
      await catchUp()
      await submit()
      await Promise.all([step(follower), ...Array.from({ length: 3 }, () => follower.round().catch(() => {}))])
    }
    await catchUp()
    expect((await client.walkAll()).map(application => application.application_id)).toEqual(ids)
  })

  test('93: an upgrade between reading the evolution and the columns is noticed in the next round', async () => {
    const { civiform, client, catchUp, restarted, source } = await opened({ age: '2024' })
    const applicant = await civiform.applicant()
    const id = await civiform.submit({ applicant, program, answers: answers('one') })
    let upgraded = false
    const interrupted = new Proxy(source, {
      apply: (target, self, args: [TemplateStringsArray]) => {
        const query = Reflect.apply(target, self, args)
        if (upgraded || !args[0].join('').includes('has_column_privilege')) return query
        upgraded = true
        return query.then(async (rows: unknown) => {
          await upgrade(civiform.database, '2026')
          return rows
        })
      },
    })
    const follower = restarted({}, interrupted)
    await follower.round()
    expect(upgraded).toBe(true)
    // Merged by the new release, which remembers whose it was.
    await civiform.app`
      update applications set original_applicant_id = applicant_id, applicant_id = ${await civiform.applicant()}
      where id = ${id}`
    await catchUp(follower)
    expect(await client.walkAll()).toMatchObject([{ application_id: id, applicant_id: applicant }])
  })

  test('96: the error for a column that the role may not read names the column', async () => {
    const { civiform, restarted } = await opened()
    await civiform.app.unsafe(`revoke select on applications from ${civiform.database.reader};
      grant select (id, applicant_id, program_id, object, lifecycle_stage, submit_time) on applications to ${civiform.database.reader}`)
    await expect(restarted().round()).rejects.toThrow('applications.latest_note')
  })
})

describe('the watermark', () => {
  test('90: waits for a long transaction of CiviForm, and not for one of another role or in another database', async () => {
    const { civiform, follower, sql, source } = await opened()
    const { admin, appUrl, owner } = civiform.database
    const copied = async (): Promise<number> => (await sql`select from application`).length
    const hold = async (db: Following['sql'], rounds: () => Promise<unknown>): Promise<void> => {
      await db.begin(async tx => {
        await tx`select now()`
        await rounds()
      })
    }
    const rounds = async (): Promise<void> => {
      await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
      for (let i = 0; i < 4; i++) await follower.round()
    }
    // Of what held it yesterday.
    await sql`update civiform_source set held_since = now(), last_error = 'held'`
    await hold(admin, rounds)
    expect(await sql`select held_since, last_error from civiform_source`).toMatchObject([
      { held_since: null, last_error: null },
    ])
    expect(await copied()).toBe(1)
    await hold(
      usePool({ url: Object.assign(new URL(appUrl), { pathname: '/postgres' }).href, connectionsMax: 1 }),
      rounds,
    )
    expect(await copied()).toBe(2)
    await hold(civiform.app, rounds)
    expect(await copied()).toBe(2)
    await follower.round()
    expect(await copied()).toBe(3)
    // Who may write, or only change what is there, and their members.
    const [inserter, updater, member] = ['one', 'other', 'sub'].map(name => `writer_${name}_${process.pid}`)
    await admin.unsafe(`create role ${inserter}; create role ${updater}; create role ${member} in role ${updater};
      grant insert on applications to ${inserter}; grant update on applications to ${updater}`)
    expect(await readWriters(source)).toEqual([owner, inserter!, updater!, member!])
    await admin.unsafe(`drop owned by ${inserter}, ${updater}; drop role ${inserter}, ${updater}, ${member}`)
  })

  test('7.4: still waits for open transactions after the follower loses the right to see statistics', async () => {
    const { civiform, follower, catchUp, sql, client } = await opened()
    const { admin, reader } = civiform.database
    const ids = await submitted(civiform, 1)
    await catchUp()
    const id = await civiform.submit({
      applicant: await civiform.applicant(),
      program,
      answers: answers('slow'),
      afterTime: async () => {
        await admin`revoke pg_read_all_stats from ${admin(reader)}`
        await admin`revoke select on sequence applications_id_seq, application_events_id_seq from ${admin(reader)}`
        ids.push(await civiform.submit({ applicant: await civiform.applicant(), program, answers: answers('quick') }))
        for (let i = 0; i < 5; i++) await follower.round()
        expect(await keptIds(sql)).toEqual(ids.slice(0, 1))
      },
    })
    await catchUp()
    expect((await client.walkAll()).map(application => application.application_id)).toEqual([ids[0]!, id, ids[1]!])
    expect(await sql`select late_applications, rollbacks from civiform_source`).toMatchObject([
      { late_applications: 0, rollbacks: 0 },
    ])
  })

  test.each(['statistics', 'locks'] as const)(
    'names the process, role and start time of the transaction that holds it, detected by %s',
    async mode => {
      const { civiform, source } = await opened()
      const { owner } = civiform.database
      const watermarks = new Watermarks(source, [owner], mode, 0)
      await watermarks.read(0)
      expect(watermarks.held).toBeUndefined()
      await civiform.app.begin(async tx => {
        const [row] = await tx<{ pid: number; now: number }[]>`
        select pg_backend_pid() as pid, now() as now from applications right join (values (1)) one on true limit 1`
        await watermarks.read(0)
        const { now: before } = (await civiform.database.admin<{ now: number }[]>`select clock_timestamp() as now`)[0]!
        await watermarks.read(0)
        expect(watermarks.held!.by).toMatch(new RegExp(`\\b${row!.pid} .*\\b${owner}\\b`))
        expect(watermarks.held!.since).toBeLessThan(before)
        expect(watermarks.held!.since).toBeGreaterThanOrEqual(row!.now)
      })
      const newest = (await watermarks.read(0))!
      expect(watermarks.held).toBeUndefined()
      expect(await watermarks.read(60_000)).toBeGreaterThanOrEqual(newest)
    },
  )
})

describe('changes by CiviForm administrators', () => {
  test('many statuses set in one transaction are found by their events, whatever is committed meanwhile', async () => {
    const { civiform, sql, catchUp, follower } = await opened()
    await submittedTogether(civiform, 60)
    await catchUp()
    const ids = await keptIds(sql)
    const [bulk, others] = [ids.slice(0, 30), ids.slice(30)]
    const event = `insert into application_events (application_id, event_type, details, create_time)`
    const note = JSON.stringify({ event_type: 'NOTE_CHANGE', note_event: { note: 'seen' } })
    // A look at events that is over while the transaction is not.
    await civiform.setNote(others[0]!, 'first')
    await follower.round()
    await civiform.app.begin(async tx => {
      await tx.unsafe(`${event} select id, 'STATUS_CHANGE', '{}', now() from unnest($1::bigint[]) id`, [bulk])
      await tx`update applications set latest_status = 'Approved' where id = any(${bulk}::bigint[])`
      // Far more than what could be read again each time.
      for (let i = 0; i < 3; i++) {
        await civiform.app.unsafe(
          `${event} select id, 'NOTE_CHANGE', $2::text::jsonb, now() from unnest($1::bigint[]) id cross join generate_series(1, 60)`,
          [others, note],
        )
        await civiform.app`update applications set latest_note = ${`seen ${i}`} where id = any(${others}::bigint[])`
        await follower.round()
      }
    })
    // The comparison has nothing to do with it.
    await sql`update civiform_source set scan_after = 9000000000000000, scan_whole = true`
    await follower.round()
    expect(await sql`select from application where status = 'Approved'`).toHaveLength(30)
    expect(await sql`select from application where application_note = 'seen 2'`).toHaveLength(31)
    // And when nothing is open any more, none of it is read again.
    await follower.round()
    await follower.round()
    const [state] = await sql`select event_after from civiform_source`
    const [there] = await civiform.app`select max(id)::bigint as newest from application_events`
    expect(state!.event_after).toBe(there!.newest)
  })

  test('a comparison of everything reads as much in each round as time allows', async () => {
    const { civiform, sql, catchUp, restarted } = await opened()
    await submittedTogether(civiform, 1500)
    await sql`update civiform_source set position_time = null, position_id = 0, first_copied_at = null`
    await catchUp()
    const [changed] = await sql`select max(application_id) as id from application`
    await sql`update application set application_note = 'wrong' where application_id = ${changed!.id}`
    // As after an upgrade, in the middle of a comparison.
    await sql`update civiform_source set scan_after = ${2 ** 52}, evolution = 1`
    const upgraded = restarted()
    let rounds = 0
    do await upgraded.round()
    while (rounds++ < 9 && (await sql`select from civiform_source where scan_whole`).length > 0)
    expect(rounds).toBeLessThan(5)
    expect(await sql`select from application where application_note is not null`).toHaveLength(0)
  })
})
