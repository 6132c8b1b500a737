import { beforeEach, describe, expect, test } from 'bun:test'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { findInstanceTimeZone } from '../../src/db/instance.ts'
import { formatOffsetTime, parseOffsetTime } from '../../src/domain/values/offset-time.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { rerenderTimes } from '../../src/upkeep/change-time-zone.ts'
import { IntakeStore } from '../intake/intake-store.ts'
import type { TestDatabase } from '../support/database.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../support/held-transaction.ts'
import { aProgram, q } from '../support/programs.ts'
import { until } from '../support/until.ts'

const slugs = ['utility-assistance', 'child-care-subsidy']
const actor = 'operator:test'
let database: TestDatabase
beforeEach(async () => {
  database = await useDatabase({ timeZone: 'UTC' }, endWithTest)
  // Its applications come first in the order of programs, and last in that of their ids: batches end within it, and within the others.
  const { program_id } = await aProgram(database.sql, { slug: 'early', questions: [q.number('n')] })
  const programs = [
    { slug: slugs[0]!, applications: 23 },
    { slug: slugs[1]!, applications: 7 },
  ]
  await seedPrograms(database.sql, { programs, now: Date.now() * 1000, timeZone: 'UTC', actor })
  const store = new IntakeStore(database.sql, program_id)
  for (let n = 0; n < 10; n++) await store.apply(await store.register(), { n: { number: n } })
})
const batchRows = 8

const exported = async (): Promise<string[]> =>
  (await Promise.all(['early', ...slugs].map(slug => exportLines(database.sql, slug)))).flat()

/** An export line with its times written in a zone. */
function inZone(line: string, zone: string): string {
  return line.replace(
    /"(create_time|submit_time|status_last_modified_time)":"([^"]+)"/g,
    (_, field: string, time: string) => `"${field}":"${formatOffsetTime(parseOffsetTime(time)!, zone)}"`,
  )
}

describe('rerenderTimes', () => {
  test('every time is the same instant in the new zone, and nothing else changes; there and back is the same to the byte', async () => {
    const before = await exported()
    for (const timeZone of ['America/Los_Angeles', 'Asia/Kathmandu']) {
      const receipt = await rerenderTimes(database.sql, { timeZone, actor, batchRows })
      expect(receipt.applications).toBe(40)
      expect(await exported()).toEqual(before.map(line => inZone(line, timeZone)))
      expect(await findInstanceTimeZone(database.sql)).toBe(timeZone)
    }
    await rerenderTimes(database.sql, { timeZone: 'UTC', actor, batchRows })
    expect(await exported()).toEqual(before)
  })

  test('the zone that is the instance’s already changes nothing', async () => {
    expect(await rerenderTimes(database.sql, { timeZone: 'UTC', actor })).toEqual({ applications: 0, from: 'UTC' })
    expect(await database.sql`select from audit_event where action = 'times_rerendered'`).toHaveLength(0)
  })

  test('all or nothing: a reader sees one zone, whatever happens half-way', async () => {
    const before = await exported()
    // Each is one statement, and so sees one moment.
    const seen: Promise<string[]>[] = []
    const onProgress = (): number => seen.push(exportLines(database.sql, slugs[0]!))
    await rerenderTimes(database.sql, { timeZone: 'Asia/Tokyo', actor, batchRows, onProgress })
    expect(seen.length).toBeGreaterThan(1)
    for (const lines of await Promise.all(seen)) {
      expect(lines).toHaveLength(23)
      expect(new Set(lines.map(line => line.slice(35, 41))).size).toBe(1)
    }
    const failing = rerenderTimes(database.sql, {
      timeZone: 'UTC',
      actor,
      onProgress: () => {
        throw new Error('half-way')
      },
    })
    await expect(failing).rejects.toThrow('half-way')
    expect(await exported()).toEqual(before.map(line => inZone(line, 'Asia/Tokyo')))
    expect(await findInstanceTimeZone(database.sql)).toBe('Asia/Tokyo')
  })

  test('a submission that is stored and not committed yet is waited for, and is in the new zone with the rest', async () => {
    const { program_id, slug } = await aProgram(database.sql, { questions: [q.number('n')] })
    const store = new IntakeStore(database.sql, program_id)
    const applicant = await store.register()
    await store.save(applicant, { n: { number: 1 } })
    const release = await holdTransaction(database.sql, tx => tx`lock table audit_event in exclusive mode`)
    const submitting = store.submit(applicant)
    await until('the submission to be stored', async () => (await waitingForLocks(database.sql, 'audit_event')) === 1)
    const rendering = rerenderTimes(database.sql, { timeZone: 'Asia/Tokyo', actor })
    await until('the change of zone to wait', async () => (await waitingForLocks(database.sql)) === 2)
    await release()
    const { receipt } = await submitting
    expect(await rendering).toEqual({ applications: 41, from: 'UTC' })
    const [line] = await exportLines(database.sql, slug)
    expect(JSON.parse(line!).submit_time).toBe(formatOffsetTime(receipt.submit_time, 'Asia/Tokyo'))
    expect(line).toBe(inZone(line!, 'Asia/Tokyo'))
  })

  test('a status given in the meantime waits, and is then refused in the old zone', async () => {
    const [place] = await database.sql<{ program_id: number; application_id: number }[]>`
      select program_id, application_id from application limit 1`
    let annotating: Promise<unknown> = Promise.resolve()
    await rerenderTimes(database.sql, {
      timeZone: 'Asia/Tokyo',
      actor,
      onProgress: () => {
        annotating = annotate(database.sql, { ...place!, note: 'late', actor, now: 1, timeZone: 'UTC' })
        annotating.catch(() => {})
      },
    })
    await expect(annotating).rejects.toThrow(/INSTANCE_TIME_ZONE is UTC/)
    await annotating.catch(() => {})
    await until('nothing to wait any more', async () => (await waitingForLocks(database.sql)) === 0)
  })
})
