// `tributary pull` while a bulk load is under way. Snapshot-Time waits for the load then, so what is submitted in the meantime is later than
// where the next pull begins; it must not come twice for that.

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadLines } from '../../../src/core/load/load-lines.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useFaultyProxy } from '../../support/faulty-proxy.ts'
import { useBareDatabase, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { lines, reasonProgram } from '../../support/load-input.ts'
import { endOf } from '../../support/run.ts'
import { callTool, startTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const slug = 'food-aid'
const database = await useDatabase()
const { sql } = database
const program = await reasonProgram(sql, slug)
const service = await useService(database, unlimited)
const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, key, slug)
const client = new ExportClient(service, key, slug)
const warehouse = await useBareDatabase()
const folder = await useFolder()

const loaded = Array.from({ length: 30 }, (_, i) => 5000 + i)
/** Four of them are more than is read of a file in one go. */
const text = 'x'.repeat(300_000)
const input = lines(
  program,
  ...loaded.map((id, at) => ({ id, at, more: { application: { reason: { question_type: 'TEXT', text } } } })),
)

const fileOf = (name: string): string => join(folder, name)
async function pull(place: readonly string[], ...more: string[]): Promise<string> {
  const ended = await callTool(key, ['pull', service.baseUrl, '--program', slug, ...place, ...more])
  expect(ended).toMatchObject({ code: 0 })
  return ended.err
}
const proxy = await useFaultyProxy(service.port, (_, target) =>
  target.includes('/receipt') ? { silentAfterBytes: 0 } : 'none',
)
/** At the proxy's address, where the receipt never comes; the service's own is another of the same service. */
async function killedAtReceipt(place: readonly string[]): Promise<void> {
  const running = startTool(key, ['pull', proxy.baseUrl, '--program', slug, ...place])
  await until('the receipt to be asked for', () => proxy.requests.some(({ target }) => target.includes('/receipt')))
  running.kill('SIGKILL')
  await endOf(running)
}
const linesIn = (name: string): number[] =>
  readFileSync(fileOf(name), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => (JSON.parse(line) as { application_id: number }).application_id)
const recordsIn = (name: string): number[] =>
  readFileSync(fileOf(name), 'utf8').split('\r\n').slice(1, -1).map(Number.parseFloat)
const rows = async (): Promise<number[]> => {
  const found =
    await warehouse.sql`select application_id from food_aid.applications order by submit_time, application_id`
  return found.map(row => Number(row.application_id))
}

test('G5, G6: every output has each application once, whatever pulls run during a load', async () => {
  const to = ['--to', warehouse.url, '--state', fileOf('warehouse')]
  const [since, table, all, recent] = ['since.ndjson', 'since.csv', 'all.ndjson', 'recent.ndjson'] as const
  const resumed = 'resumed.ndjson'
  const out = (name: string): string[] => ['--out', fileOf(name)]
  const live: number[] = []
  const submit = async () => live.push((await frontEnd.submit(await frontEnd.register())).application_id)
  const from = ['--since-last', '--from', '2021-01-01']
  await loadLines(sql, new Blob([input]).stream(), {
    now: Date.now() * 1000,
    timeZone: 'UTC',
    actor: 'operator:test',
    batchBytes: 1,
    onProgress: async stored => {
      if (stored === 5) {
        await submit()
        await submit()
        await pull(out(since), '--since-last')
        await pull(out(table), '--since-last')
        await pull(out(recent), ...from)
        await pull(to, '--since-last')
        await pull(out(all))
        // Killed when all pages have come and nothing has its name yet; gone on with.
        await killedAtReceipt(out(resumed))
        await pull(out(resumed))
        // A pull of everything has what was submitted, too; and so have tables, which know each by its id.
        expect(linesIn(all)).toEqual([...loaded.slice(0, 5), ...live])
        expect(await rows()).toEqual([...loaded.slice(0, 5), ...live])
        expect(linesIn(since)).toEqual(loaded.slice(0, 4))
        expect(linesIn(resumed)).toEqual(linesIn(all))
      }
      if (stored === 20) {
        await submit()
        await pull(out(since), '--since-last')
        await pull(to, '--since-last')
        await pull(out(all), '--since-last')
        await pull(out(resumed), '--since-last')
        expect(linesIn(resumed)).toEqual(loaded.slice(0, 19))
        expect(linesIn(since)).toEqual(loaded.slice(0, 19))
        expect(linesIn(all)).toEqual(loaded.slice(0, 19))
        expect(await rows()).toEqual([...loaded.slice(0, 20), ...live])
      }
    },
  })
  await submit()
  const everything = (await client.walkAll()).map(application => application.application_id)
  expect(everything).toEqual([...loaded, ...live])
  for (const name of [since, table, all]) await pull(out(name), '--since-last')
  await pull(out(recent), ...from)
  await pull(to, '--since-last')
  expect(linesIn(since)).toEqual(everything)
  expect(recordsIn(table)).toEqual(everything)
  expect(linesIn(all)).toEqual(everything)
  expect(linesIn(recent)).toEqual(live)
  expect(await rows()).toEqual(everything)
  for (const name of [since, all]) expect(await callTool(key, ['verify', fileOf(name)])).toMatchObject({ code: 0 })

  // Without a load, a pull of everything can be added to.
  await pull(out(all))
  await submit()
  expect(await pull(out(all), '--since-last')).toContain('Pulled 1 applications')
  expect(linesIn(all)).toEqual([...loaded, ...live])
}, 120_000)
