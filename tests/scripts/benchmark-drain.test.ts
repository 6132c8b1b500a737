// The drain: that it gets every row, and fails when the server refuses.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { DrainRequest, DrainRun } from '../../scripts/benchmark/peers/drain.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { run } from '../support/run.ts'

const file = join(import.meta.dir, '../../scripts/benchmark/peers/drain.ts')

test('every row of a prepared statement arrives in each run, and a server error fails the drain', async () => {
  const { hostname, port, pathname, username } = new URL((await useDatabase({}, endWithTest)).url)
  const drain = (rows: number, prepare: string) => {
    const address = { hostname, port: Number(port) }
    const statement = `execute page (${rows})`
    const request: DrainRequest = {
      address,
      user: username,
      database: pathname.slice(1),
      prepare,
      statement,
      repeats: 2,
    }
    return run([process.execPath, file, JSON.stringify(request)], { env: {} })
  }
  const prepare = "prepare page (int) as select repeat('x', 3000) from generate_series(1, $1)"
  for (const rows of [1000, 0, 7]) {
    const runs = JSON.parse((await drain(rows, prepare)).out) as DrainRun[]
    expect(runs.map(run => run.rows)).toEqual([rows, rows])
    expect(runs[0]!.bytes).toBeGreaterThan(rows * 3000)
    expect(runs[0]!.wallMs).toBeGreaterThanOrEqual(runs[0]!.firstByteMs)
  }
  const refused = await drain(1, 'prepare page (int) as select no_such_column')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('no_such_column') })
})
