// Walks through applications that are laid in partitions while they go on, and through partitions that an operator changes by hand:
// G1 to G6, and G13, "a page is never short".

import { describe, expect, test } from 'bun:test'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { grantRoles, partitionApplications } from '../../../src/db/migrate.ts'
import { knowPartitions, type Partition, partitionOf, readPartitions } from '../../../src/db/partition-places.ts'
import { partitionHash } from '../../../src/db/program-hash.ts'
import { readPageRows, readWalkStart } from '../../../src/db/walks.ts'
import { ExportClient, type ExportedApplication } from '../../support/export-client.ts'
import { endWithFile, useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from '../../support/raw-applications.ts'

test('G1, G2, G3, G4: a walk beside 8 writers has what was committed before page 1 once each, laid in partitions between two pages, and the same bytes by their names', async () => {
  const database = await useDatabase({ connectionsMax: 20 })
  await aProgram(database.sql, { slug: 'walks', questions: [q.text('words')] })
  const service = await useService(database)
  const key = await createTestKey(database.sql, { programs: ['walks'], mayExport: true, maySubmit: true })
  const client = new ExportClient(service, key, 'walks')
  const frontEnd = new FrontEnd(service, key, 'walks')
  const committed: number[] = []
  let stopped = false
  let writing: Promise<void>[] = []
  const write = async (applicant: number): Promise<void> => {
    while (!stopped) committed.push((await frontEnd.apply(applicant, { words: { text: 'again' } })).application_id)
  }
  const applicants = await Promise.all(Array.from({ length: 8 }, () => frontEnd.register()))
  const begin = () => {
    stopped = false
    writing = applicants.map(write)
  }
  const end = async () => {
    stopped = true
    await Promise.all(writing)
  }
  const reached = async (count: number) => {
    while (committed.length < count) await Promise.race([Bun.sleep(2), ...writing])
  }
  begin()
  try {
    await reached(60)
    const before = [...committed]
    const seen: ExportedApplication[] = []
    const texts: string[] = []
    let [token, asOf]: [string | null, string] = [null, '']
    do {
      const { page, response, text } = await client.page(token === null ? { pageSize: '7' } : { nextPageToken: token })
      asOf ||= response.headers.get('Snapshot-Time') ?? ''
      seen.push(...page.payload)
      texts.push(text)
      token = page.nextPageToken
      if (texts.length === 3) {
        // Nothing is submitted while that is done (OPERATIONS.md); the process goes on, and so does the walk.
        await end()
        await partitionApplications(database.sql, 4)
        begin()
      }
      await reached(committed.length + 3)
    } while (token !== null)
    const ids = seen.map(({ application_id }) => application_id)
    expect(before.filter(id => !ids.includes(id))).toEqual([])
    const asked = await database.sql<{ application_id: number }[]>`
      select application_id from application where submit_time < ${asOf}::timestamptz order by submit_time`
    expect(ids).toEqual(asked.map(row => row.application_id))
    const newest = new Map(seen.map(a => [a.applicant_id, a.application_id]))
    for (const one of seen)
      expect([one.application_id, one.revision_state]).toEqual([
        one.application_id,
        newest.get(one.applicant_id) === one.application_id ? 'CURRENT' : 'OBSOLETE',
      ])
    // A process that begins now knows of the partitions.
    const later = new ExportClient(await useService(database), key, 'walks')
    for (const [i, text] of texts.entries()) {
      if (i === 0) continue
      const { nextPageToken } = JSON.parse(texts[i - 1]!) as { nextPageToken: string }
      expect(payloadOf((await later.page({ nextPageToken })).text)).toBe(payloadOf(text))
    }
  } finally {
    await end()
  }
})

/** All but the token, which is another one each time. */
const payloadOf = (text: string): string => text.slice(0, text.lastIndexOf('"nextPageToken"'))

describe('partitions that were changed by hand since a process has learned of them', () => {
  /** A program with 30 applications in two partitions, and a pool that knows them and has plans for them. */
  async function aWalkedProgram(is: (hash: bigint) => boolean = () => true) {
    const { sql, url } = await useDatabase()
    await grantRoles(sql)
    await partitionApplications(sql, 2)
    let program: RawProgram
    let n = 0
    do program = await insertRawProgram(sql, `program-${++n}`)
    while (!is(partitionHash(program.program_id)))
    await insertRawApplications(sql, program, 30)
    const partitions = await readPartitions(sql)
    return { sql, url, program, partitions }
  }

  async function aPool(url: string, partitions: readonly Partition[]): Promise<Sql> {
    const pool = openDatabase({ url, connectionsMax: 1 })
    endWithFile(() => pool.end())
    knowPartitions(pool, partitions)
    return pool
  }

  /** The horizon of a walk that begins now, and the numbers that it reads. */
  async function walk(pool: Sql, programId: number) {
    const { horizon, last_application, last_change } = await readWalkStart(pool, programId)
    const numbers: number[] = []
    const filter = { from: undefined, to: undefined, revisionState: undefined, after: undefined }
    await readPageRows(
      pool,
      { ...filter, programId, horizon, lastApplication: last_application ?? undefined, rowsMax: 100 },
      100,
      { take: ({ submitSeq }) => numbers.push(submitSeq), batchAhead: () => 0, endBatch: () => 0 },
    )
    return { horizon, last: last_application?.submit_seq, changed: last_change.mark !== undefined, numbers }
  }

  const upTo = (count: number) => ({
    horizon: count,
    last: count,
    changed: true,
    numbers: Array.from({ length: count }, (_, i) => i + 1),
  })

  /** Often enough for PostgreSQL to keep a plan. */
  async function walkOften(pool: Sql, programId: number): Promise<void> {
    for (let i = 0; i < 8; i++) expect(await walk(pool, programId)).toEqual(upTo(30))
    expect(partitionOf(pool, programId)).toBeDefined()
  }

  test('one that was replaced by its copy is read no more, also by a plan that was made before', async () => {
    const { sql, url, program, partitions } = await aWalkedProgram()
    const pool = await aPool(url, partitions)
    await walkOften(pool, program.program_id)
    const { application, remainder } = partitionOf(pool, program.program_id)!
    await sql.begin(async tx => {
      await tx.unsafe(
        `alter table application_annotation drop constraint application_annotation_program_id_application_id_fkey`,
      )
      await tx.unsafe(`alter table application detach partition ${application}`)
      await tx.unsafe(`create table moved partition of application for values with (modulus 2, remainder ${remainder})`)
      await tx.unsafe(`insert into moved select * from ${application}`)
    })
    await insertRawApplications(sql, program, 1)
    expect(await walk(pool, program.program_id)).toEqual(upTo(31))
    expect(partitionOf(pool, program.program_id)).toBeUndefined()
    const anew = await aPool(url, await readPartitions(sql))
    expect(await walk(anew, program.program_id)).toEqual(upTo(31))
    expect(partitionOf(anew, program.program_id)!.application).toBe('moved')
  })

  test('those of a table that another one took the name of are read no more', async () => {
    const { sql, url, program, partitions } = await aWalkedProgram()
    const pool = await aPool(url, partitions)
    await walkOften(pool, program.program_id)
    await sql.begin(async tx => {
      await tx`alter table application rename to application_before`
      await tx`create table application (like application_before including all) partition by hash (program_id)`
      for (const remainder of [0, 1])
        await tx.unsafe(
          `create table newer_${remainder} partition of application for values with (modulus 2, remainder ${remainder})`,
        )
      await tx`insert into application select * from application_before`
    })
    await insertRawApplications(sql, program, 1)
    expect(await walk(pool, program.program_id)).toEqual(upTo(31))
    expect(partitionOf(pool, program.program_id)).toBeUndefined()
  })

  test('one that was divided in two, and keeps its name and the other half, is not taken for the whole', async () => {
    const { sql, url, program, partitions } = await aWalkedProgram(hash => hash % 4n === 2n)
    const pool = await aPool(url, partitions)
    await walkOften(pool, program.program_id)
    const { application } = partitionOf(pool, program.program_id)!
    await sql.begin(async tx => {
      await tx.unsafe(
        `alter table application_annotation drop constraint application_annotation_program_id_application_id_fkey`,
      )
      await tx.unsafe(`alter table application detach partition ${application}`)
      await tx.unsafe(`create table half partition of application for values with (modulus 4, remainder 2)`)
      await tx.unsafe(`insert into half select * from ${application} where program_id = ${program.program_id}`)
      await tx.unsafe(`truncate ${application}`)
      await tx.unsafe(
        `alter table application attach partition ${application} for values with (modulus 4, remainder 0)`,
      )
    })
    expect(await walk(pool, program.program_id)).toEqual(upTo(30))
    expect(partitionOf(pool, program.program_id)).toBeUndefined()
  })

  test('one that is not there any more, and one that may not be read, are done without', async () => {
    const { sql, url, program, partitions } = await aWalkedProgram()
    const login = `divided_${process.pid}`
    await sql.unsafe(`create role ${login} login in role tributary_service`)
    endWithFile(() => sql.unsafe(`drop role ${login}`))
    const theirs = new URL(url)
    theirs.username = login
    const pool = await aPool(theirs.toString(), partitions)
    await walkOften(pool, program.program_id)
    const { application } = partitionOf(pool, program.program_id)!
    await sql.unsafe(`revoke select on ${application} from tributary_service`)
    expect(await walk(pool, program.program_id)).toEqual(upTo(30))
    expect(partitionOf(pool, program.program_id)).toBeUndefined()
    expect(await readPartitions(pool)).toHaveLength(1)
    const renamed = await aPool(url, partitions)
    await walkOften(renamed, program.program_id)
    await sql.unsafe(`alter table ${application} rename to another`)
    expect(await walk(renamed, program.program_id)).toEqual(upTo(30))
    expect(partitionOf(renamed, program.program_id)).toBeUndefined()
  })
})
