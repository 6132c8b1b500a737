// The self-walk against a real service and a real database, which is then broken behind the service's back.

import { afterEach, describe, expect, test } from 'bun:test'
import { Metrics } from '../../src/http/server/metrics.ts'
import { createLog } from '../../src/log.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { walkItself } from '../../workers/self-walk.ts'
import { SelfWalkMetrics } from '../../workers/self-walk-metrics.ts'
import { startSelfWalks } from '../../workers/self-walks.ts'
import { tamper } from '../support/audit-log.ts'
import { useFaultyProxy } from '../support/faulty-proxy.ts'
import { useExport, useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { readMetrics } from '../support/metrics.ts'
import { endProcesses, logged, startMain, startWorker } from '../support/processes.ts'
import { aProgram, type QuestionSpec, q } from '../support/programs.ts'
import { seededRandom } from '../support/random.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { until } from '../support/until.ts'

const random = seededRandom(import.meta.file)

const { sql, database, service } = await useExport()
afterEach(endProcesses)

let made = 0
/** A program of 120 applications, some superseded and one erased, with a key of its own to walk it. */
async function aWalk() {
  const slug = `walked-${made++}`
  const program = await insertRawProgram(sql, slug)
  const ids = await insertRawApplications(sql, program, 120)
  const { program_id } = program
  await sql`update application set superseded_seq = submit_seq + 20 where program_id = ${program_id} and submit_seq in (3, 70)`
  await sql`delete from application where program_id = ${program_id} and submit_seq = 50`
  const key = await createTestKey(sql, { programs: [slug] })
  const credential = `${key.username}:${key.password}`
  const walk = (random: () => number, applications = 200, url = service.baseUrl) =>
    walkItself({ db: sql, url, credential, applications, maxPageSize: 1000, random })
  return { slug, program_id, ids, walk, credential }
}

/** Always the whole program, in pages of 7. */
const whole = () => 0.1

describe('promises kept', () => {
  test('the whole of a program: every application counted, no error', async () => {
    const { slug, walk } = await aWalk()
    expect(await walk(whole)).toEqual({
      program: slug,
      applications: 119,
      pages: 17,
      pageSize: 7,
      format: 'application/json',
      errors: [],
    })
  })

  test('in every format, whole and with one question, and with a key from which questions are hidden', async () => {
    const slug = 'walked-in-formats'
    const optional = { optional: true }
    const [story, secret, likes] = ['walked story', 'walked secret', 'walked likes'].map(name =>
      q.text(name, optional),
    ) as [QuestionSpec, QuestionSpec, QuestionSpec]
    const member = (...repeated: QuestionSpec[]) => q.enumerator('walked member', repeated, optional)
    const whole = await createTestKey(sql, { programs: [slug], maySubmit: true })
    const less = await createTestKey(sql, { programs: [slug], hiddenQuestions: ['walked secret'] })
    const desk = new FrontEnd(service, whole, slug)
    const version = async (questions: QuestionSpec[]) => {
      await aProgram(sql, { slug, questions })
      const walked_story = { text: 'a "story", with\r\na line' }
      for (let n = 0; n < 3; n++) await desk.apply(await desk.register(), { walked_story })
    }
    await version([story, secret, member(likes)])
    await version([member(likes), story])
    const later = await useService(database)
    for (const { username, password } of [whole, less]) {
      for (const format of [0, 0.4, 0.9]) {
        for (const chosen of [0, 0.6]) {
          // Which program, from its beginning, its page size, and the page that is asked for again; then format and question.
          const drawn = [0, 0.1, 0.02, 0.5, format, chosen, 0.5]
          const report = await walkItself({
            db: sql,
            url: later.baseUrl,
            credential: `${username}:${password}`,
            applications: 100,
            maxPageSize: 1000,
            random: () => drawn.shift() ?? 0,
          })
          expect(report).toMatchObject({ applications: 6, pages: 3, errors: [] })
        }
      }
    }
  })

  test('any part of it, at any page size, asked for again at any page', async () => {
    const { walk } = await aWalk()
    for (let n = 0; n < 8; n++) expect((await walk(random, 10 + n * 10))!.errors).toEqual([])
  })

  test('statuses and notes take numbers too, also of what was erased since, and leave no gap', async () => {
    const { program_id, ids, walk } = await aWalk()
    const more = { program_id, actor: 'operator:test', timeZone: 'UTC', now: Date.now() * 1000 }
    for (const application_id of ids.slice(100, 103)) await annotate(sql, { ...more, application_id, note: 'seen' })
    await sql`delete from application where program_id = ${program_id} and application_id = ${ids[101]!}`
    const program = await sql`select submit_seq from submission_counter where program_id = ${program_id}`
    expect(program[0]!.submit_seq).toBeGreaterThan(120)
    expect((await walk(whole))!.errors).toEqual([])
  })

  test('a connection that is lost is no broken promise: the page is asked for again', async () => {
    const { walk } = await aWalk()
    const proxy = await useFaultyProxy(Number(new URL(service.baseUrl).port), n => (n === 1 ? 'hang up' : 'none'))
    expect(await walk(whole, 200, proxy.baseUrl)).toMatchObject({ applications: 119, errors: [] })
  })

  test('while others are superseded and erased', async () => {
    const { program_id, walk } = await aWalk()
    let stopped = false
    const writing = (async () => {
      for (let n = 0; n < 30 && !stopped; n++) {
        await sql`update application set superseded_seq = 500 + ${n} where program_id = ${program_id} and submit_seq = ${80 + n} and superseded_seq is null`
        await sql`delete from application where program_id = ${program_id} and submit_seq = ${20 + n}`
      }
    })()
    for (let n = 0; n < 3; n++) expect((await walk(random, 60))!.errors).toEqual([])
    stopped = true
    await writing
  })

  test('a program without submissions is nothing to walk', async () => {
    const key = await createTestKey(sql, { programs: ['empty'] })
    const credential = `${key.username}:${key.password}`
    const options = { db: sql, url: service.baseUrl, credential, applications: 100, maxPageSize: 1000 }
    expect(await walkItself(options)).toBeUndefined()
  })
})

describe('promises broken without the service’s knowledge', () => {
  test('an answer of 500: a text is not as its version says, which only some formats look at', async () => {
    const { slug, program_id, walk } = await aWalk()
    await tamper(
      sql,
      `update application set snapshot = replace(snapshot, '"application":{', '"application":{"x":{"question_type":"TEXT","text":null},')
       where program_id = ${program_id} and submit_seq = 42`,
    )
    const drawn = [0, 0.1, 0.9, 0.5, 0.9, 0]
    const report = await walk(() => drawn.shift() ?? 0)
    expect(report!.errors).toEqual([
      { promise: 'answered', detail: `/api/v1/admin/programs/${slug}/applications as text/csv answered 500` },
    ])
  })

  test('a row that was deleted without a trace', async () => {
    const { program_id, walk } = await aWalk()
    await tamper(sql, `delete from application where program_id = ${program_id} and submit_seq = 42`)
    expect((await walk(whole))!.errors).toEqual([
      { promise: 'gapless', detail: 'number 42 is neither that of an application nor of another change' },
    ])
  })

  test('a row that is there twice', async () => {
    const { program_id, ids, walk } = await aWalk()
    await sql.unsafe('alter table application drop constraint application_pkey cascade').simple()
    await sql.unsafe('alter table application drop constraint application_program_id_submit_seq_key cascade').simple()
    await sql.unsafe('drop index if exists application_one_current').simple()
    await tamper(
      sql,
      `
      insert into application (program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, snapshot, annotations)
      select program_id, application_id, applicant_id, program_version_id, create_time, submit_time, submit_seq, snapshot, annotations
      from application where program_id = ${program_id} and submit_seq = 45`,
    )
    const { errors } = (await walk(whole))!
    expect(errors).toContainEqual({ promise: 'duplicated', detail: `application ${ids[44]}` })
    expect(errors).toContainEqual({ promise: 'gapless', detail: 'submission 45 is there twice' })
  })

  test('an applicant with two CURRENT applications', async () => {
    const { program_id, ids, walk } = await aWalk()
    await sql.unsafe('drop index if exists application_one_current').simple()
    await tamper(
      sql,
      `
      update application set applicant_id = (select applicant_id from application where program_id = ${program_id} and submit_seq = 42)
      where program_id = ${program_id} and submit_seq = 43`,
    )
    const { errors } = (await walk(whole))!
    // What clients get has the applicant of then.
    expect(errors.map(({ promise }) => promise)).not.toContain('lost')
    await tamper(
      sql,
      `
      update application set snapshot = replace(snapshot, '"applicant_id":' || (select applicant_id + 1 from application where program_id = ${program_id} and submit_seq = 42), '"applicant_id":' || applicant_id)
      where program_id = ${program_id} and submit_seq = 43`,
    )
    const again = (await walk(whole))!.errors
    expect(again).toEqual([
      {
        promise: 'revision_state',
        detail: `applications ${ids[41]} and ${ids[42]} of one applicant were both CURRENT`,
      },
    ])
  })
})

describe('from time to time', () => {
  /** Its log, once `count` lines of it are there. */
  async function linesOf(count: number, credential: string, pauses: { firstMs: number; everyMs: number }) {
    const lines: { msg: string }[] = []
    const stop = startSelfWalks({
      ...pauses,
      db: sql,
      url: service.baseUrl,
      credential,
      applications: 200,
      maxPageSize: 1000,
      log: createLog('info', { write: line => void lines.push(JSON.parse(line)) }),
      metrics: new SelfWalkMetrics(new Metrics(), Date.now()),
    })
    await until(`${count} lines`, () => lines.length >= count)
    stop()
    return lines.map(({ msg }) => msg)
  }

  test('the first comes soon after the start, however long it is to the next', async () => {
    const { credential } = await aWalk()
    const lines = await linesOf(1, credential, { firstMs: 1, everyMs: 3_600_000 })
    expect(lines).toEqual(['the self-walk found every promise kept'])
  })

  test('one that cannot be made does not stop the next', async () => {
    const lines = await linesOf(3, 'unknown:x', { firstMs: 1, everyMs: 1 })
    expect(new Set(lines)).toEqual(new Set(['the self-walk could not be made; the next one is on its timer']))
  })
})

describe('the worker', () => {
  const settings = (url: string, credential: string) => ({
    SELF_WALK_URL: url.replace('://', `://${credential}@`),
  })

  test('walks from time to time, and reports what it found in the log and as metrics', async () => {
    const { program_id, slug, credential } = await aWalk()
    const { url } = await startMain(database)
    const worker = await startWorker(database, settings(url, credential))
    const line = await logged(worker, 'the self-walk found every promise kept')
    expect(line).toMatchObject({ level: 'info', program: slug })
    const before = await readMetrics(worker.health)
    expect(before.of('tributary_self_walks_total{outcome="kept"}')).toBeGreaterThanOrEqual(1)
    expect(before.of('tributary_self_walks_total{outcome="broken"}')).toBe(0)
    expect(before.of('tributary_self_walk_faults_total{promise="gapless"}')).toBe(0)
    expect(before.of('tributary_self_walk_applications_total')).toBeGreaterThanOrEqual(119)
    expect(before.of('tributary_self_walk_timestamp_seconds')).toBeWithin(Date.now() / 1000 - 60, Date.now() / 1000 + 1)
    await tamper(sql, `delete from application where program_id = ${program_id} and submit_seq = 42`)
    const later = await startWorker(database, settings(url, credential))
    const reported = await logged(later, 'the self-walk found promises broken')
    expect(reported).toMatchObject({ level: 'error', errors: [{ promise: 'gapless' }] })
    const after = await readMetrics(later.health)
    expect(after.of('tributary_self_walk_faults_total{promise="gapless"}')).toBeGreaterThanOrEqual(1)
    expect(after.of('tributary_self_walks_total{outcome="broken"}')).toBeGreaterThanOrEqual(1)
    expect(JSON.stringify([worker.log, later.log])).not.toContain(credential.split(':')[1]!)
  })

  test('a walk that cannot be made is no error, and is counted; a worker without the settings makes none', async () => {
    const { credential } = await aWalk()
    const worker = await startWorker(database, settings('http://127.0.0.1:1', credential))
    await until('one to fail', async () => {
      const reading = await readMetrics(worker.health)
      return reading.of('tributary_self_walks_total{outcome="failed"}') >= 1 && reading
    })
    const wrong = await startWorker(database, settings(service.baseUrl, `${credential}x`))
    const line = await logged(wrong, 'the self-walk could not be made; the next one is on its timer')
    expect(line.reason).toBe('/api/v1/checkAuth answered 401')
    const none = await readMetrics((await startWorker(database)).health)
    expect([...none.values.keys()].filter(name => name.startsWith('tributary_self_walk_'))).toEqual([
      'tributary_self_walk_applications_total',
    ])
  }, 90_000)
})
