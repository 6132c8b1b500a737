// Where the batches of a cursor, the rows of a walk and the size of a page end in the same place, or one row apart.

import { describe, expect, test } from 'bun:test'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'
import { pageLimits } from '../../../src/export/pages/page-limits.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const { firstBatchRows, batchRows } = pageLimits
const ends = [0, firstBatchRows, firstBatchRows + batchRows, firstBatchRows + 2 * batchRows]
const around = (n: number): number[] => [n - 1, n, n + 1]
const rowsMax = Math.max(...ends) + 2
const firstTime = 1_700_000_000_000_000
const timeOf = (i: number): number => firstTime + i * 1_000_000

const database = await useDatabase()
const ids = await insertRawApplications(
  database.sql,
  await insertRawProgram(database.sql, 'raw'),
  rowsMax,
  undefined,
  timeOf,
)
const service = await useService(database, { maxPageSize: 5000 })
const client = new ExportClient(service, await createTestKey(database.sql, { programs: ['raw'] }), 'raw')

interface Got {
  ids: number[]
  token: string | null
}

/** A page of the walk through the first `rows` applications. */
async function page(rows: number, parameters: Record<string, string>): Promise<Got> {
  const response = await client.request({ toDate: formatMicros(timeOf(rows)), ...parameters })
  expect(response.status).toBe(200)
  const { payload, nextPageToken } = (await response.json()) as {
    payload: { application_id: number }[]
    nextPageToken: string | null
  }
  return { ids: payload.map(application => application.application_id), token: nextPageToken }
}

const lengths = [...new Set(ends.flatMap(around))].filter(n => n >= 0)

describe('G7: "When more results exist, nextPageToken is a string. When none remain it is null"', () => {
  test.each(lengths)('a walk of %d applications, in pages of one less, as many, one more, and far more', async rows => {
    for (const pageSize of [...around(rows), 5000].filter(n => n > 0)) {
      const first = await page(rows, { pageSize: String(pageSize) })
      expect(first.ids).toEqual(ids.slice(0, Math.min(rows, pageSize)))
      expect([pageSize, first.token === null]).toEqual([pageSize, rows <= pageSize])
      if (first.token === null) continue
      const rest = await page(rows, { nextPageToken: first.token })
      expect(rest).toEqual({ ids: ids.slice(pageSize, rows), token: null })
    }
  })
})
