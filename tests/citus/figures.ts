// What distributing costs: an ordinary installation on the coordinator of a cluster against a distributed one on the same, all on this
// machine, with commits on its disk. In this process, without HTTP. `scripts/test-citus --figures` prints the table of SCALE.md.

import { openDatabase, type Sql } from '../../src/db/client.ts'
import { setInstanceTimeZone } from '../../src/db/instance.ts'
import { distributeApplications, migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { parseShards, readNodeView, type Shard, shardOf } from '../../src/db/shard-places.ts'
import { type PageQuery, readPageRows, readWalkStart } from '../../src/db/walks.ts'
import { submitApplication } from '../../src/intake/submit.ts'
import { citusInstallation, startCitusCluster } from '../support/citus.ts'
import { createTestKey, testFrontEnd } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'

const applications = 20_000
const programs = 20
/** A key of answers has no digits. */
const letters = 'abcdefghijklmnopqrst'
const writers = 16
const submissions = 1600
const text = 'x'.repeat(3500)

const cluster = await startCitusCluster(citusInstallation()!, true)
const taken: Record<string, Record<string, number>> = {}
try {
  for (const [name, distributed] of [
    ['one_server', false],
    ['distributed', true],
  ] as const) {
    await cluster.createDatabase(name)
    const url = cluster.coordinator.url.replace(/postgres$/, name)
    const preparing = openDatabase({ url, connectionsMax: 1 })
    await migrate(preparing, allMigrations)
    await setInstanceTimeZone(preparing, 'UTC')
    if (distributed) await distributeApplications(preparing, 8)
    await preparing.end()
    const sql = openDatabase({ url, connectionsMax: writers + 2 })
    const program = await insertRawProgram(sql, 'read')
    await insertRawApplications(sql, program, applications, () => text)
    await sql`analyze application`
    taken[name] = { ...(await reading(sql, program.program_id)), 'submissions/s': await submitting(sql) }
    if (distributed) {
      const shard = shardOf(parseShards((await readNodeView(sql)).shards), program.program_id)!
      const { port } = cluster.workers[shard.node - 1]!
      const node = openDatabase({ url: url.replace(/:\d+\//, `:${port}/`), connectionsMax: 1 })
      taken['pages from the node'] = await pages(node, program.program_id, applications, shard)
      await node.end()
    }
    await sql.end()
  }
} finally {
  await cluster.stop()
}
const names = Object.keys(taken)
console.log(['', ...names].join(' | '))
for (const figure of Object.keys(taken.distributed!))
  console.log([figure, ...names.map(name => taken[name]![figure]?.toPrecision(3) ?? '')].join(' | '))

async function reading(sql: Sql, programId: number): Promise<Record<string, number>> {
  const startMs = await medianMs(200, () => readWalkStart(sql, programId))
  return { 'start of a walk, ms': startMs, ...(await pages(sql, programId, applications)) }
}

async function pages(sql: Sql, programId: number, horizon: number, shard?: Shard): Promise<Record<string, number>> {
  const figures: Record<string, number> = {}
  for (const [rows, times] of [
    [1, 200],
    [1000, 40],
    [5000, 10],
    [20_000, 5],
  ] as const) {
    let firstMs = 0
    const wholeMs = await medianMs(times, async () => {
      const beganAt = performance.now()
      let seen = 0
      const query: PageQuery = {
        programId,
        horizon,
        lastApplication: undefined,
        from: undefined,
        to: undefined,
        revisionState: undefined,
        after: undefined,
        rowsMax: rows + 1,
      }
      const take = () => {
        if (seen++ === 0) firstMs = performance.now() - beganAt
      }
      const reader = { take, batchAhead: () => 200, endBatch: () => 200 }
      await readPageRows(sql, query, Math.min(100, rows + 1), reader, shard)
    })
    figures[`page of ${rows}, ms`] = wholeMs
    figures[`page of ${rows}, first row, ms`] = firstMs
  }
  return figures
}

async function submitting(sql: Sql): Promise<number> {
  const ids: number[] = []
  for (let n = 0; n < programs; n++)
    ids.push((await aProgram(sql, { slug: `written-${n}`, questions: [q.text(`words ${letters[n]!}`)] })).program_id)
  const key = await createTestKey(sql, { programs: ['written-0'], maySubmit: true })
  const front_end = testFrontEnd
  const applicants = await sql<{ applicant_id: number }[]>`
    insert into applicant (language, front_end) select 'en-US', ${front_end} from generate_series(1, ${submissions}) returning applicant_id`
  await Promise.all(
    applicants.map(
      ({ applicant_id }, i) => sql`
        insert into application_in_progress (program_id, applicant_id, create_time, answers, updated_at)
        values (${ids[i % programs]!}, ${applicant_id}, now(), ${JSON.stringify({ [`words_${letters[i % programs]!}`]: { text } })}, now())`,
    ),
  )
  let next = 0
  const beganAt = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (next < submissions) {
        const i = next++
        const { applicant_id } = applicants[i]!
        await submitApplication(sql, {
          program_id: ids[i % programs]!,
          applicant_id,
          timeZone: 'UTC',
          submitter: { submitter_type: 'APPLICANT' },
          key: { api_key_id: key.api_key_id, front_end, address: '127.0.0.1' },
          idempotency_key: `figures-${applicant_id}`,
        })
      }
    }),
  )
  return (1000 * submissions) / (performance.now() - beganAt)
}

async function medianMs(times: number, work: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < Math.max(3, times / 4); i++) await work()
  const all: number[] = []
  for (let i = 0; i < times; i++) {
    const beganAt = performance.now()
    await work()
    all.push(performance.now() - beganAt)
  }
  return all.sort((a, b) => a - b)[Math.floor(times / 2)]!
}
