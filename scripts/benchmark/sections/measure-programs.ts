// How statements fare with ten thousand programs, next to one program that has as many applications as all of these: starts of walks,
// pages, ids that a load looks up, the sweep. In a database of its own, which is gone afterwards, without HTTP.

import { readLoadedIds } from '../../../src/db/bulk-loads.ts'
import { openDatabase, type Sql } from '../../../src/db/client.ts'
import { readMissingDerived } from '../../../src/db/missing-derived.ts'
import { type PageQuery, type Position, readPageRows, readWalkStart } from '../../../src/db/walks.ts'
import type { BenchContext } from '../bench-context.ts'
import { prepareEmpty } from '../bench-data.ts'
import { applicationSizes, fillPrograms, settleTables, someApplicationIds } from '../bench-statements.ts'
import { digits, type SectionReport } from '../findings.ts'
import { median } from '../statistics.ts'

const programs = 10_000
const eachSmall = 10
const eachFull = 100
const idsLookedUp = 1000
const taken = 300

export async function measurePrograms({ database, machine, options, say }: BenchContext): Promise<SectionReport> {
  const each = options.small ? eachSmall : eachFull
  const all = programs * each
  return database.scratch('empty', async ({ sql, environment }) => {
    await prepareEmpty(sql, options)
    say(`Making ${programs.toLocaleString('en')} programs and ${(2 * all).toLocaleString('en')} applications …`)
    const oneOfMany = await fillPrograms(sql, 'many', programs, each)
    const largest = await fillPrograms(sql, 'large', 1, all)
    await settleTables(sql)
    const one = openDatabase({ url: environment.DATABASE_URL!, connectionsMax: 1, applicationName: 'bench' })
    try {
      await machine.wait()
      const small = await measureProgram(one, oneOfMany, 0)
      const large = await measureProgram(one, largest, all)
      const ids = await someApplicationIds(sql, idsLookedUp)
      const lookUpMs = await medianMs(5, () => readLoadedIds(one, ids))
      const sweepMs = await medianMs(5, () => readMissingDerived(one, { keyMap: 1, docsExample: 1 }))
      const sizes = await applicationSizes(sql)
      const perApplication = sizes.map(({ name, bytes }) => [name, digits(bytes / (2 * all))])
      return {
        findings: [
          {
            section: 'programs',
            what: `start of a walk in the program with ${all.toLocaleString('en')} applications against one of ${programs.toLocaleString('en')}`,
            measured: large.startMs / small.startMs,
            unit: '×',
            atMost: 1.5,
          },
          {
            section: 'programs',
            what: `last page of 1,000 of ${all.toLocaleString('en')} against the first`,
            measured: large.lastPageMs / large.firstPageMs,
            unit: '×',
            atMost: 1.3,
          },
        ],
        tables: [
          {
            title: `${programs.toLocaleString('en')} programs of ${each}, and one of ${all.toLocaleString('en')}`,
            head: ['ms', 'one of many', 'the large one'],
            rows: [
              ['start of a walk', digits(small.startMs), digits(large.startMs)],
              ['first page, of 1,000 at most', digits(small.firstPageMs), digits(large.firstPageMs)],
              ['last page', digits(small.lastPageMs), digits(large.lastPageMs)],
              [`${idsLookedUp.toLocaleString('en')} ids of a load looked up`, digits(lookUpMs), ''],
              ['the sweep, nothing derived yet', digits(sweepMs), ''],
            ],
          },
          { title: 'Bytes of an application of 400 characters', head: ['', 'bytes'], rows: perApplication },
        ],
        notes: [],
        raw: { small, large, lookUpMs, sweepMs, sizes },
      }
    } finally {
      await one.end({ timeout: 5 })
    }
  })
}

/** With the last page beginning a thousand applications before the end. */
async function measureProgram(sql: Sql, programId: number, applications: number) {
  const start = await readWalkStart(sql, programId)
  const last = start.last_application!
  const after: Position | undefined =
    applications > 1000
      ? { submit_seq: applications - 1000, submit_time: last.submit_time - 1000 * 1_000_000 }
      : undefined
  const page = (from: Position | undefined): PageQuery => ({
    programId,
    horizon: start.horizon,
    lastApplication: last,
    from: undefined,
    to: undefined,
    revisionState: undefined,
    after: from,
    rowsMax: 1001,
  })
  return {
    startMs: await medianMs(taken, () => readWalkStart(sql, programId)),
    firstPageMs: await medianMs(taken, () => readPage(sql, page(undefined))),
    lastPageMs: await medianMs(taken, () => readPage(sql, page(after))),
  }
}

/** Every row, looked at and dropped. */
const readPage = (sql: Sql, query: PageQuery): Promise<void> =>
  readPageRows(sql, query, 100, { take() {}, batchAhead: () => 200, endBatch: () => 200 })

/** Of so many, after a third as many that count for nothing. */
async function medianMs(times: number, work: () => Promise<unknown>): Promise<number> {
  const ms: number[] = []
  for (let i = -Math.ceil(times / 3); i < times; i++) {
    const beganAt = performance.now()
    await work()
    if (i >= 0) ms.push(performance.now() - beganAt)
  }
  return median(ms)
}
