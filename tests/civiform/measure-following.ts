// What following takes: the time of a first copy, what it asks of CiviForm's database, whether those who submit meanwhile notice, and
// what is asked when nothing happens. Not a test: it asserts no time, and runs only when it is named:
//
//   APPLICATIONS=300000 scripts/bun test --timeout 3600000 ./tests/civiform/measure-following.ts
//
// CiviForm's database is on a server of its own (Debian's PostgreSQL 15, durable as it comes), with the follower as a process.

import { test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backendsMs, backendsMsSince, peakBytes, processorMs } from '../../scripts/benchmark/process-meter.ts'
import { startEmbeddedPostgres } from '../../scripts/embedded-postgres.ts'
import type { Sql } from '../../src/db/client.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { startFollowerProcess } from '../support/civiform/follower-process.ts'
import { SimulatedCiviForm, type SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { endWithFile, useDatabase, useFolder, usePool } from '../support/fixtures.ts'

const applications = Number(process.env.APPLICATIONS ?? 30_000)
const idleSeconds = 20
const trafficSeconds = 8
const writers = 8
const program = 'rent relief'
const questions: SimulatedQuestion[] = Array.from({ length: 30 }, (_, i) => ({
  name: `question ${'abcdefghijklmnopqrstuvwxyzABCD'[i]!.repeat(i < 26 ? 1 : 2)}`,
  type: (['TEXT', 'TEXT', 'NUMBER', 'DROPDOWN', 'NAME'] as const)[i % 5]!,
  options: [[1, 'rent'], [2, 'own']],
})) // biome-ignore format: one line

/** Answers to all of them, about 4 KB of JSON as CiviForm stores it. */
function answers(): Record<string, unknown> {
  const word = (bytes: number): string => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64')
  const saved = { updated_at: 1718040000000, program_updated_in: 31 }
  return Object.fromEntries(
    questions.map(({ name, type }) => [
      name.replaceAll(' ', '_').toLowerCase(),
      type === 'TEXT'
        ? { text: word(125), ...saved }
        : type === 'NUMBER'
          ? { number: 42, ...saved }
          : type === 'NAME'
            ? { first_name: word(12), last_name: word(12), ...saved }
            : { selection: '2', ...saved },
    ]),
  )
}

const say = (line: string): void => console.log(line)
const seconds = (since: number): number => (performance.now() - since) / 1000

/** CiviForm's database on a server of its own, which counts statements. */
async function openServer(): Promise<{ pid: number; sql: Sql; url: string }> {
  const server = await startEmbeddedPostgres({
    dataDirectory: join(await useFolder(), 'civiform'),
    installation: '/usr/lib/postgresql/15',
    settings: { shared_buffers: '256MB', shared_preload_libraries: 'pg_stat_statements', max_wal_size: '8GB' },
  })
  endWithFile(async () => {
    await server.stop()
    await rm(server.dataDirectory, { recursive: true, force: true })
  })
  const sql = usePool({ url: server.url, connectionsMax: 4, applicationName: 'measure' })
  await sql`create extension pg_stat_statements`
  return { pid: server.pid, sql, url: server.url }
}

test('following is measured', async () => {
  const server = await openServer()
  const database = await useDatabase()
  const source = await useCiviForm('2026', { database: { url: server.url, sql: server.sql, drop: async () => {} } })
  const civiform = new SimulatedCiviForm(source)
  await civiform.publish({ [program]: questions })
  const first = await civiform.submit({
    applicant: await civiform.applicant(),
    program,
    answers: answers(),
    time: '2024-01-01',
  })
  const documents = Array.from({ length: 64 }, () => JSON.stringify({ applicant: answers() }))
  say(`documents of ${Math.round(documents.reduce((sum, one) => sum + one.length, 0) / 64)} bytes`)
  const fast = async (on: boolean): Promise<void> => {
    await server.sql.unsafe(`alter system set fsync = ${on ? 'off' : 'on'}`)
    await server.sql`select pg_reload_conf()`
  }
  await fast(true)
  await civiform.app`insert into applicants (object) select '{}' from generate_series(1, ${applications - 1})`
  await civiform.app`
    insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time, preferred_locale)
    select p.id, a.program_id, (${documents}::text[])[1 + p.id % 64]::jsonb, 'active', a.create_time,
      a.submit_time + p.id * interval '1 second', 'en-US'
    from applications a, applicants p
    where a.id = ${first} and p.account_id is null`
  await server.sql`vacuum analyze applications`
  await server.sql`checkpoint`
  await fast(false)
  await server.sql`checkpoint`

  /** Milliseconds that each submission took, of applicants who come at a steady pace. */
  const traffic = async (): Promise<number[]> => {
    const until = performance.now() + trafficSeconds * 1000
    const taken: number[] = []
    await Promise.all(
      Array.from({ length: writers }, async () => {
        const applicant = await civiform.applicant()
        while (performance.now() < until) {
          const begun = performance.now()
          await civiform.submit({ applicant, program, answers: answers() })
          taken.push(performance.now() - begun)
          await Bun.sleep(Math.max(0, 200 - (performance.now() - begun)))
        }
      }),
    )
    return taken.sort((a, b) => a - b)
  }
  const at = (sorted: readonly number[], part: number): number => sorted[Math.floor(part * (sorted.length - 1))]!
  const spent = async (): Promise<string> => {
    const [row] = await server.sql<{ calls: number; rows: number; hit: number; read: number; ms: number }[]>`
      select sum(calls)::bigint as calls, sum(rows)::bigint as rows, sum(shared_blks_hit)::bigint as hit,
        sum(shared_blks_read)::bigint as read, sum(total_exec_time)::float8 as ms
      from pg_stat_statements
      where userid = (select oid from pg_roles where rolname = ${source.reader})`
    const { calls, rows, hit, read, ms } = row!
    return `${calls} statements, ${rows} rows, ${hit} blocks from the cache, ${read} read, ${Math.round(ms)} ms of execution`
  }

  await traffic()
  const before = await traffic()
  await server.sql`select pg_stat_statements_reset()`
  const backends = backendsMs(server.pid, source.reader)
  const begun = performance.now()
  const follower = startFollowerProcess(
    { url: database.url, readerUrl: source.readerUrl },
    { CIVIFORM_CLOCK_SLACK: '2s', CIVIFORM_POLL_INTERVAL: '2s' },
  )
  let backendMs = 0
  const copying = async (): Promise<number> => {
    for (;;) {
      // Backends end with their connections; what they took is asked for while they last.
      backendMs = Math.max(backendMs, backendsMsSince(backends, server.pid, source.reader))
      const [row] = await database.sql`select 1 from civiform_source where first_copied_at is not null`
      if (row !== undefined) return seconds(begun)
      await Bun.sleep(100)
    }
  }
  const [took, during] = await Promise.all([copying(), traffic()])
  const [kept] = await database.sql<{ n: number }[]>`select count(*) as n from civiform_application`
  say(`first copy: ${kept!.n} applications in ${took.toFixed(1)} s (${Math.round(kept!.n / took)} a second)`)
  say(
    `follower: ${(processorMs(follower.pid) / 1000).toFixed(1)} s of a core, at most ${Math.round(peakBytes(follower.pid) / 1e6)} MB`,
  )
  say(`CiviForm's server: ${(backendMs / 1000).toFixed(1)} s of a core for it; ${await spent()}`)
  for (const [what, taken] of [['before', before], ['during the copy', during]] as const) // biome-ignore format: one line
    say(
      `${taken.length} submissions ${what}: median ${at(taken, 0.5).toFixed(1)} ms, 95 of 100 within ${at(taken, 0.95).toFixed(1)} ms`,
    )
  say(
    `ratio: median ${(at(during, 0.5) / at(before, 0.5)).toFixed(2)}, p95 ${(at(during, 0.95) / at(before, 0.95)).toFixed(2)}`,
  )

  await server.sql`select pg_stat_statements_reset()`
  const idleBackends = backendsMs(server.pid, source.reader)
  const idleProcess = processorMs(follower.pid)
  await Bun.sleep(idleSeconds * 1000)
  say(
    `idle, in ${idleSeconds} s: ${await spent()}; ${Math.round(backendsMsSince(idleBackends, server.pid, source.reader))} ms of a core there, ` +
      `${Math.round(processorMs(follower.pid) - idleProcess)} ms here`,
  )
  await follower.stop()
}, 3_600_000)
