// A load in batches, killed at any moment, alongside submissions and clients that walk and poll. And what it means for them.

import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eraseApplicant } from '../../../src/core/applications/erase.ts'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { tamper } from '../../support/audit-log.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient, type ExportedApplication } from '../../support/export-client.ts'
import { exportLines } from '../../support/export-lines.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { seededRandom } from '../../support/random.ts'
import { rejection } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

const random = seededRandom(import.meta.file)

const slug = 'food-aid'
const applications = 400
const folder = await useFolder()
const second = 1000
const longPast = Date.parse('2020-01-01T00:00:00Z')
const timeOf = (i: number): number => longPast + i * second

/** Every fifth line is the second application of the applicant of the line before. */
function linesFor(program_version_id: number): string[] {
  return Array.from({ length: applications }, (_, i) => {
    const again = i % 5 === 4
    const time = `${new Date(timeOf(i)).toISOString().slice(0, 19)}+00:00`
    return JSON.stringify({
      applicant_id: 1000 + (again ? i - 1 : i),
      application_id: 5000 + i * 2,
      create_time: time,
      language: 'es-US',
      program_name: slug,
      program_version_id,
      revision_state: i % 5 === 3 ? 'OBSOLETE' : 'CURRENT',
      status: null,
      status_last_modified_time: null,
      application_note: i % 3 === 0 ? `note ${i}` : null,
      submit_time: time,
      submitter_type: 'APPLICANT',
      ti_email: null,
      ti_organization: null,
      application: { reason: { question_type: 'TEXT', text: `reason ${i} ${'x'.repeat(1000)}` } },
    })
  })
}
const loadedIds = Array.from({ length: applications }, (_, i) => 5000 + i * 2)

/** An installation with the program and nothing in it, that answers clients. */
async function installation() {
  const database = await useDatabase()
  const { sql } = database
  const { program_id, program_version_id } = await aProgram(sql, {
    slug,
    questions: [q.text('reason', { optional: true })],
  })
  const service = await useService(database, unlimited)
  const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
  const client = new ExportClient(service, key, slug)
  return {
    ...database,
    program_id,
    lines: linesFor(program_version_id),
    client,
    front: new FrontEnd(service, key, slug),
  }
}

type Installation = Awaited<ReturnType<typeof installation>>

/** Loads in batches of one, and does something after the batch with that number. */
const loadAnd = (
  { sql, lines: own }: Pick<Installation, 'sql' | 'lines'>,
  work: (stored: number) => Promise<unknown> = async () => {},
  lines: readonly string[] = own,
) =>
  loadLines(sql, new Blob([lines.join('\n')]).stream(), {
    now: Date.now() * 1000,
    timeZone: 'UTC',
    actor: 'operator:test',
    batchBytes: 1,
    onProgress: async stored => {
      await work(stored)
    },
  })

/** Whether the oldest of what is there are the lines of the input, each as it was. */
async function isAllThere({ sql, lines }: Installation): Promise<boolean> {
  const there = (await exportLines(sql, slug)).slice(0, applications).map(line => JSON.parse(line))
  return Bun.deepEquals(
    there,
    lines.map(line => JSON.parse(line)),
  )
}

const interrupted = async (loading: Promise<unknown>): Promise<void> => {
  await expect(loading).rejects.toThrow('interrupted')
}

/** Holds a whole walk against the database: exactly what its horizon takes in, in order, each as of then (G1, G2, G3, D1). */
async function walkExactly({ sql, client, program_id }: Installation): Promise<ExportedApplication[]> {
  const pages = []
  for await (const page of client.walk({ pageSize: '97' })) pages.push(page)
  const horizon = Number(pages[0]!.response.headers.get('Change-Cursor')!.split('.')[0])
  const walked = pages.flatMap(({ page }) => page.payload)
  const truth = await sql<{ application_id: number; is_current: boolean }[]>`
    select application_id, coalesce(superseded_seq > ${horizon}, true) as is_current
    from application
    where program_id = ${program_id} and submit_seq <= ${horizon}
    order by submit_time, submit_seq`
  expect(walked.map(a => [a.application_id, a.revision_state === 'CURRENT'])).toEqual(
    truth.map(row => [row.application_id, row.is_current]),
  )
  const current = walked.filter(a => a.revision_state === 'CURRENT').map(a => a.applicant_id)
  expect(new Set(current).size).toBe(current.length)
  return walked
}

describe('killed', () => {
  test('ten times at random, alongside submissions, walks and polls, a load stores every line once, keeps G1 to G3 in whole batches and G6, and leaves one audit entry', async () => {
    const here = await installation()
    const { sql } = here
    const path = join(folder, 'killed.ndjson')
    await writeFile(path, here.lines.join('\n'))
    await sql`create table batch_ends (stored bigint)`
    await sql
      .unsafe(`
        create function note_batch() returns trigger language plpgsql as $$
        begin insert into batch_ends values (new.stored); return null; end $$;
        create trigger note_batch after update of stored on bulk_load for each row execute function note_batch()`)
      .simple()
    const storedNow = async (): Promise<number> => (await sql`select stored from bulk_load`)[0]?.stored ?? 0
    const start = () => Bun.spawn([process.execPath, join(import.meta.dir, 'killed-load.ts'), here.url, path])

    let loading = true
    const submitted: number[] = []
    const submitting = (async () => {
      await until('the load has begun', async () => (await storedNow()) > 0)
      const applicant = await here.front.register()
      while (loading || submitted.length < 5)
        submitted.push((await here.front.apply(applicant, { reason: { text: 'now' } })).application_id)
    })()
    const loadedInWalks: number[] = []
    const walking = (async () => {
      while (loading) {
        const ids = new Set((await walkExactly(here)).map(a => a.application_id))
        loadedInWalks.push(loadedIds.filter(id => ids.has(id)).length)
      }
    })()
    const polled: number[] = []
    let from: string | undefined
    /** A window, from the Snapshot-Time before to that of now. */
    const poll = async () => {
      const { response } = await here.client.page({ pageSize: '1' })
      const toDate = response.headers.get('Snapshot-Time')!
      for (const { application_id } of await here.client.walkAll({
        pageSize: '50',
        toDate,
        ...(from && { fromDate: from }),
      }))
        polled.push(application_id)
      from = toDate
    }
    const polling = (async () => {
      while (loading) await poll()
    })()

    let kills = 0
    for (let ended = false; !ended; ) {
      const before = await storedNow()
      const child = start()
      if (kills < 10) {
        await until('a batch of it', async () => (await storedNow()) > before || child.exitCode !== null)
        await Bun.sleep(random() * 20)
        child.kill('SIGKILL')
      }
      const code = await child.exited
      if (child.signalCode === 'SIGKILL') kills++
      else expect(code).toBe(0)
      ended = code === 0
    }
    expect(kills).toBe(10)
    loading = false
    await Promise.all([submitting, walking, polling])
    await poll()

    const walked = (await walkExactly(here)).map(a => a.application_id)
    expect(walked.filter(id => !submitted.includes(id))).toEqual(loadedIds)
    expect(walked.toSorted((a, b) => a - b)).toEqual([...loadedIds, ...submitted].sort((a, b) => a - b))
    expect(await isAllThere(here)).toBe(true)
    const ends = new Set([0, ...(await sql`select stored from batch_ends`).map(row => row.stored as number)])
    expect(loadedInWalks.filter(loaded => !ends.has(loaded))).toEqual([])
    expect(polled.toSorted((a, b) => a - b)).toEqual(walked.toSorted((a, b) => a - b))
    const [auditLog] = await sql`
      select count(*)::int as lines, min(detail->>'applications') as applications
      from audit_event where action = 'applications_loaded'`
    expect(auditLog).toEqual({ lines: 1, applications: String(applications) })
    expect((await sql`select submissions from submission_counter`)[0]!.submissions).toBe(
      applications + submitted.length,
    )
  }, 120_000)
})

describe('between two batches', () => {
  test.each(['later', 'in the same microsecond'])(
    'an applicant of the input who submits %s stays CURRENT, and their later lines are OBSOLETE (G3, G11)',
    async when => {
      const here = await installation()
      const theirs = JSON.parse(here.lines[100]!) as ExportedApplication
      const { sql } = here
      const front = (await sql`select front_end from api_key where front_end is not null`)[0]!.front_end as string
      await sql`insert into applicant (applicant_id, language, front_end) values (${theirs.applicant_id}, 'en', ${front})`
      let newest = 0
      await loadAnd(here, async stored => {
        if (stored !== 3) return
        newest = (await here.front.apply(theirs.applicant_id, { reason: { text: 'now' } })).application_id
        if (when === 'later') return
        const at = `timestamptz '${theirs.submit_time}'`
        await tamper(
          sql,
          `update application set create_time = ${at}, submit_time = ${at} where application_id = ${newest}`,
        )
      })
      const own = (await walkExactly(here)).filter(a => a.applicant_id === theirs.applicant_id)
      expect(Object.fromEntries(own.map(a => [a.application_id, a.revision_state]))).toEqual({
        [theirs.application_id]: 'OBSOLETE',
        [newest]: 'CURRENT',
      })
    },
  )

  test('Snapshot-Time follows the progress of the load, and continues when the load ends or is given up (G6)', async () => {
    const here = await installation()
    const snapshot = async () =>
      Date.parse((await here.client.page({ pageSize: '1' })).response.headers.get('Snapshot-Time')!)
    expect(await snapshot()).toBe(Date.parse('1900-01-01T00:00:00Z'))
    const seen: number[] = []
    const before = Date.now()
    await loadAnd(here, async stored => {
      if (stored > 3 && stored < applications) return
      if (stored === 2) await here.front.apply(await here.front.register(), {})
      seen.push(await snapshot())
    })
    expect(seen.slice(0, 3)).toEqual([timeOf(0), timeOf(1), timeOf(2)])
    expect(seen[3]!).toBeGreaterThan(before)
  })

  test('an applicant is erased only after the load has ended, so nothing of them is left', async () => {
    const here = await installation()
    const { applicant_id } = JSON.parse(here.lines[0]!) as ExportedApplication
    const order = { actor: 'operator:test', reason: undefined }
    await interrupted(
      loadAnd(here, async stored => {
        if (stored === 5) throw new Error('interrupted')
      }),
    )
    const refused = await rejection(eraseApplicant(here.sql, applicant_id, order))
    expect(refused).toMatchObject({ kind: 'conflict', detail: expect.stringMatching(/\b1\b/) })
    await loadAnd(here)
    expect((await eraseApplicant(here.sql, applicant_id, order)).length).toBeGreaterThan(0)
  })
})
