// The start that the tables of a refresh share, after the database was set back under services that run, as a restore or a failover that
// lost commits does it.

import { expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { CountingRedis } from '../../../../src/core/queue/counting-redis.ts'
import { tamper } from '../../../support/audit-log.ts'
import { endWithFile, useDatabase, useService } from '../../../support/fixtures.ts'
import { createTestKey } from '../../../support/keys.ts'
import { needs } from '../../../support/needs.ts'
import { startMain } from '../../../support/processes.ts'
import { aComputedProgram, q } from '../../../support/programs.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../../support/raw-applications.ts'
import { useRedis } from '../../../support/redis.ts'
import { until } from '../../../support/until.ts'

const database = await useDatabase()
const { sql } = database
let programs = 0

async function aFeed() {
  const program = await insertRawProgram(sql, `pinned-${++programs}`)
  await insertRawApplications(sql, program, 20)
  const { authorization } = await createTestKey(sql, { programs: [program.slug] })
  const count = async (base: string, path = 'Applications?$count=true&$top=0') => {
    const response = await fetch(`${base}/odata/v1/${program.slug}/${path}`, {
      headers: { Authorization: authorization },
    })
    const body = (await response.json()) as Record<string, unknown>
    return [response.status, body['@odata.count']]
  }
  return { program, authorization, count }
}

/** Sets a program back to its first applications, and lets others come in the place of those that are lost. */
async function loseAndGoOn({ program_id }: RawProgram, kept: number, program: RawProgram, more: number): Promise<void> {
  await tamper(
    sql,
    `delete from application where program_id = ${program_id} and submit_seq > ${kept};
     update submission_counter set submit_seq = ${kept}, submissions = ${kept} where program_id = ${program_id}`,
  )
  if (more > 0)
    await insertRawApplications(
      sql,
      program,
      more,
      i => `after ${i}`,
      i => 1_800_000_000_000_000 + i,
    )
}

/** Fewer than were lost, as many, and more. */
const histories = [0, 3, 5, 9]

test.each(histories)(
  'D45: the first page of a feed begins a new snapshot when the database lost 5 applications and received %d others, in the same process',
  async more => {
    const { program, count } = await aFeed()
    const service = await useService(database)
    expect(await count(service.baseUrl)).toEqual([200, 20])
    await loseAndGoOn(program, 15, program, more)
    expect(await count(service.baseUrl)).toEqual([200, 15 + more])
    expect(await count(service.baseUrl, 'Applications?$top=3&$count=true')).toEqual([200, 15 + more])
  },
)

test.skipIf(!needs('redis'))(
  'D45: the same applies to a start pinned by another process in a Redis that outlives it, and an unreadable start is replaced',
  async () => {
    const { url } = await useRedis()
    const redis = new CountingRedis(url, createLog('fatal'))
    endWithFile(() => redis.close())
    await until('Redis to be reached', () => !redis.away)
    for (const more of histories) {
      const { program, count } = await aFeed()
      const writer = await startMain(database, { REDIS_URL: url })
      const pins = async (): Promise<string[]> => redis.client.keys('tributary:feed-start:*')
      const before = new Set(await pins())
      await until('the start to be pinned', async () => {
        expect(await count(writer.url)).toEqual([200, 20])
        return (await pins()).length > before.size
      })
      writer.child.kill('SIGKILL')
      await loseAndGoOn(program, 15, program, more)
      const reader = await useService(database, {}, { countingRedis: redis })
      expect(await count(reader.baseUrl)).toEqual([200, 15 + more])
      // What was pinned anew is shared again.
      await insertRawApplications(
        sql,
        program,
        1,
        i => `late ${i}`,
        i => 1_900_000_000_000_000 + i,
      )
      const other = await useService(database, {}, { countingRedis: redis })
      expect(await count(other.baseUrl)).toEqual([200, 15 + more])
      const [pin] = (await pins()).filter(name => !before.has(name))
      await redis.client.set(pin!, '{"horizon":"20"')
      expect(await count(other.baseUrl)).toEqual([200, 16 + more])
    }
  },
  120_000,
)

test('D45: a lost publication takes its questions with it', async () => {
  const slug = 'lost-publication'
  const { program_id } = await aComputedProgram(sql, { slug, questions: [q.text('first')] })
  await aComputedProgram(sql, { slug, questions: [q.text('second')] })
  const { authorization } = await createTestKey(sql, { programs: [slug] })
  const service = await useService(database)
  const metadata = async () => {
    const response = await service.get(`/odata/v1/${slug}/$metadata`, { headers: { Authorization: authorization } })
    expect(response.status).toBe(200)
    return response.text()
  }
  expect(await metadata()).toContain('second')
  await tamper(
    sql,
    `delete from program_version where program_id = ${program_id} and state = 'ACTIVE';
     update program_version set state = 'ACTIVE' where program_id = ${program_id}`,
  )
  expect(await metadata()).not.toContain('second')
})
