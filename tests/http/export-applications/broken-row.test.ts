// What follows a page that failed on one of its rows, on the same database connection.

import { describe, expect, test } from 'bun:test'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { damageApplications, insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const database = await useDatabase()
// One connection for all exports, so that each page follows the one before on it.
const service = await useService(database, { exportConnections: 1 })
const ids = await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'whole'), 300)
const key = await createTestKey(database.sql, { programs: ['whole'] })
const whole = new ExportClient(service, key, 'whole')

/** The backend that serves exports. */
const backend = async (): Promise<number[]> => {
  const rows = await database.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name like 'test-export %'`
  return rows.map(row => row.pid)
}

describe('G15: "A page holds nothing of another program, caller or walk, whatever failed before it on the same connection or in the same buffer"', () => {
  test.each([
    ['2', 1],
    ['2', 2],
    ['150', 7],
    ['150', 120],
    [undefined, 3],
    [undefined, 290],
  ])('pageSize %p, row %p cannot be read: the pages after it are whole and their own', async (pageSize, damagedRow) => {
    const slug = `damaged-${pageSize ?? 'default'}-${damagedRow}`
    const damaged = await insertRawProgram(database.sql, slug)
    await insertRawApplications(database.sql, damaged, 300)
    await damageApplications(database.sql, damaged, damagedRow)
    const reader = new ExportClient(service, await createTestKey(database.sql, { programs: [slug] }), slug)
    const sized = (size: string | undefined): Record<string, string> => (size === undefined ? {} : { pageSize: size })
    await whole.page({ pageSize: '1' })
    const before = await backend()
    expect(before).toHaveLength(1)
    for (const size of ['2', '50', '150', undefined]) {
      // At once, so that the others wait for the connection while the page fails, and use it the moment it is free.
      const failing = reader.request(sized(pageSize))
      const following = [1, 2, 3].map(() => whole.page(sized(size)))
      const failed = await failing
      if (failed.status === 200) await expect(failed.text()).rejects.toThrow()
      else expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('payload')])
      for (const { page } of await Promise.all(following)) {
        expect(page.payload.map(a => a.application_id)).toEqual(ids.slice(0, Number(size ?? 300)))
        expect(page.nextPageToken === null).toBe(size === undefined)
      }
    }
    expect(await backend()).toEqual(before)
  })
})
