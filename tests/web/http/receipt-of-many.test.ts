// A receipt that takes longer than a request may, by every client: of thousands of applications here, each request with time for one batch.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TributaryClient } from '../../../src/clients/client/tributary-client.ts'
import { unlimited } from '../../support/config.ts'
import { type Fault, useFaultyProxy } from '../../support/faulty-proxy.ts'
import { endWithTest, useExport, useFolder, useService } from '../../support/fixtures.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { needs } from '../../support/needs.ts'
import { outputOf } from '../../support/run.ts'
import { useRecorder } from '../../support/statement-recorder.ts'
import { callTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const { service, database, key, slug, sql, ids } = await useExport({
  applications: 11_000,
  versions: 'one',
  config: { ...unlimited, receiptMs: 0 },
})
const sha256 = createHash('sha256')
  .update(ids.map(id => `${id}\n`).join(''))
  .digest('hex')

const { username, password } = key
const waits = { retriesMax: 2, waitMs: 1, waitMsMax: 1 }
const clientOf = (baseUrl: string) => new TributaryClient({ baseUrl, username, password, ...waits })
const walkTokenOf = async (client: TributaryClient): Promise<string> => {
  for await (const { page } of client.steps(slug, { pageSize: 1 })) if (page !== undefined) return page.walkToken!
  throw new Error('the walk has no page')
}
const isForReceipt = (target: string): boolean => target.includes('/receipt')
/** Passes on what comes, but each second request for a receipt. */
const shaky = () => {
  let receipts = 0
  return useFaultyProxy(
    service.port,
    (_, target): Fault => (isForReceipt(target) && ++receipts % 2 === 0 ? { status: 503 } : 'none'),
  )
}

describe('a receipt that takes longer than a request may', () => {
  test('is read in parts by the TypeScript client, each retried separately, and covers the whole walk', async () => {
    const proxy = await shaky()
    const client = clientOf(proxy.baseUrl)
    const receipt = await client.receipt(slug, await walkTokenOf(client))
    expect(receipt).toEqual({ applications: ids.length, sha256, erased_application_ids: [] })
    const asked = proxy.requests.filter(({ target, fault }) => isForReceipt(target) && fault === 'none')
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.length).toBeLessThan(6)
  })

  test.skipIf(!needs('python3'))('is read in parts by the Python client, which verifies a walk with it', async () => {
    const code = `
from tributary import *
walk = Client(${JSON.stringify(service.baseUrl)}).walk(${JSON.stringify(slug)})
print(sum(1 for _ in walk), walk.verify())`
    const sources = join(import.meta.dir, '../../../src/clients/python')
    const env = {
      PATH: process.env.PATH,
      PYTHONPATH: sources,
      TRIBUTARY_USERNAME: username,
      TRIBUTARY_PASSWORD: password,
    }
    expect((await outputOf(['python3', '-B', '-c', code], { env })).trim()).toBe(`${ids.length} ${ids.length}`)
  })

  test('is read in parts by `tributary pull`, which compares its files with it', async () => {
    const out = join(await useFolder(endWithTest), 'all.ndjson')
    const args = ['pull', service.baseUrl, '--program', slug, '--out', out, '--json', '--no-verify-schema']
    const { code, out: printed } = await callTool(key, args)
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toMatchObject({ pulled: ids.length, sha256_of_ids: sha256, compared: true })
  })
})

test('a receipt that never arrives discards nothing: the file is complete, and the next pull adds to it', async () => {
  const out = join(await useFolder(endWithTest), 'all.ndjson')
  const proxy = await useFaultyProxy(service.port, (_, target) => (isForReceipt(target) ? { status: 503 } : 'none'))
  const args = (baseUrl: string, ...more: string[]) => [
    ...['pull', baseUrl, '--program', slug, '--out', out, '--json', '--retries', '0', '--no-verify-schema'],
    ...more,
  ]
  const first = await callTool(key, args(proxy.baseUrl, '--quiet'))
  expect([first.code, JSON.parse(first.out)]).toMatchObject([6, { pulled: ids.length, compared: false }])
  // Said even with --quiet.
  expect(first.err).not.toBe('')
  expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(ids.length + 1)
  expect(existsSync(`${out}.part`)).toBe(false)
  const later = await callTool(key, args(service.baseUrl, '--since-last'))
  expect([later.code, JSON.parse(later.out)]).toMatchObject([0, { pulled: 0, total: ids.length, compared: true }])
})

test('a receipt ends when its client disconnects, and no further ID is read', async () => {
  const { recorder, recorded } = await useRecorder(database.url)
  const patient = await useService(database, unlimited, { exportDb: recorded }, endWithTest)
  const walk = await walkTokenOf(clientOf(service.baseUrl))
  const gone = new AbortController()
  const ask = (signal?: AbortSignal) =>
    patient.get(`/api/v1/admin/programs/${slug}/receipt?walk=${walk}`, {
      headers: { Authorization: key.authorization },
      signal,
    })
  const batches = (): number => recorder.statements.filter(({ text }) => text.includes('application_id::text')).length
  expect((await ask()).status).toBe(200)
  const ofAll = batches()
  expect(ofAll).toBeGreaterThan(2)
  const release = await holdTransaction(sql, tx => tx`lock table application in access exclusive mode`)
  const asked = ask(gone.signal).catch(() => 'gone')
  await until('the receipt to be read', async () => (await waitingForLocks(sql, 'application_id')) > 0)
  gone.abort()
  expect(await asked).toBe('gone')
  await release()
  const ended = () => recorder.statements.filter(({ text }) => text === 'commit').length
  await until('its transaction to end', () => ended() === 2)
  expect(batches()).toBe(ofAll + 1)
})
