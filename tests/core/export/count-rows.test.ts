// A count that takes too long: what is said depends on whether another request could be counted.

import { expect, test } from 'bun:test'
import { countRows } from '../../../src/core/export/odata/count-rows.ts'
import { beginWalk } from '../../../src/core/export/requests/walk.ts'
import { Exports } from '../../../src/core/export/servers/exports.ts'
import type { FilterValues } from '../../../src/db/walks/walk-filters.ts'
import { readWalkStart } from '../../../src/db/walks/walk-start.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { holdTransaction } from '../../support/held-transaction.ts'
import { insertRawApplications, insertRawProgram } from '../../support/raw-applications.ts'

const { sql } = await useDatabase()
const program = await insertRawProgram(sql, 'slowly-counted')
await insertRawApplications(sql, program, 5)

test('a filtered count that takes too long is reported as not supported, and one without filters fails like any slow statement', async () => {
  const start = await readWalkStart(sql, program.program_id)
  const count = (filters: FilterValues) => {
    const walk = beginWalk(program.program_id, { filters, pageSize: 1, pageSizeMax: 1 }, start)
    return countRows(new Exports(sql, 1), walk, performance.now() + 2000)
  }
  const filters: FilterValues = { revisionState: 'CURRENT' }
  expect([await count({}), await count(filters)]).toEqual([5, 5])
  const release = await holdTransaction(sql, tx => tx`lock table application in access exclusive mode`)
  expect(await failureOf(count(filters))).toMatchObject({ kind: 'unsupported', errors: [{ parameter: '$count' }] })
  expect(await failureOf(count({}))).toMatchObject({ code: '57014' })
  await release()
  expect(await count(filters)).toBe(5)
})

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    error => error,
  )
