// The start of a walk, asked for while the key is looked up: what is sent for whom, on the wire.

import { afterEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../../src/db/client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { useRecorder } from '../../support/statement-recorder.ts'
import { until } from '../../support/until.ts'

const lookUp = /from api_key k where/
const start = /from walk_start\(/
const rows = /^select snapshot, annotations,/

const slug = 'head-start'
const database = await useDatabase()
// One connection: it has prepared every statement when keys are held, and a statement that is new to a connection would be sent only then.
const { recorder, recorded } = await useRecorder(database.url, 1)
const service = await useService({ ...database, url: recorder.url, sql: recorded }, {}, { db: recorded })
await aProgram(database.sql, { slug, questions: [q.text('answer')] })
const intakeKey = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
const frontEnd = new FrontEnd(service, intakeKey, slug)
await frontEnd.apply(await frontEnd.register(), { answer: { text: 'yes' } })

const aKey = () => createTestKey(database.sql, { programs: [slug], mayExport: true })
const page = (key: Pick<TestKey, 'authorization'>, query = '') =>
  service.get(`/api/v1/admin/programs/${slug}/applications${query}`, { headers: { Authorization: key.authorization } })
const sent = (kind: RegExp): number =>
  recorder.statements.filter(({ text }) => kind.test(text.replace(/\s+/g, ' ').trim())).length

/** While it is held, every lookup of a key waits. */
async function holdKeys(): Promise<{ retire: (key: TestKey) => Promise<unknown>; release: () => Promise<void> }> {
  const holder = openDatabase({ url: database.url, connectionsMax: 1 })
  await holder`begin`
  await holder`lock table api_key in access exclusive mode`
  let held = true
  const release = async (): Promise<void> => {
    if (!held) return
    held = false
    await holder`commit`
    await holder.end()
  }
  releases.push(release)
  const retire = (key: TestKey) =>
    holder`update api_key set retired_at = now(), retired_by = 'operator:test' where api_key_id = ${key.api_key_id}`
  return { retire, release }
}
const releases: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const release of releases.splice(0)) await release()
})

describe('the start of a walk', () => {
  test('is asked for while a key is looked up that opened the program the last time, and the page is as ever', async () => {
    const key = await aKey()
    const first = await (await page(key)).json()
    const keys = await holdKeys()
    recorder.clear()
    const answering = page(key)
    await until('the start to be asked for', () => sent(lookUp) === 1 && sent(start) === 1)
    expect(sent(rows)).toBe(0)
    await keys.release()
    const answer = await answering
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(first)
    expect([sent(lookUp), sent(start), sent(rows)]).toEqual([1, 1, 1])
  })

  test('section 3: a key retired meanwhile gets its 401 and no row is read; from then on it costs its look-up alone', async () => {
    const key = await aKey()
    expect((await page(key)).status).toBe(200)
    const keys = await holdKeys()
    recorder.clear()
    const answering = page(key)
    await until('the start to be asked for', () => sent(start) === 1)
    await keys.retire(key)
    await keys.release()
    expect((await answering).status).toBe(401)
    expect(sent(rows)).toBe(0)
    recorder.clear()
    expect((await page(key)).status).toBe(401)
    expect([sent(lookUp), sent(start), sent(rows)]).toEqual([1, 0, 0])
  })

  test('is not asked for before the key is known: with another secret, for another program, for a later page', async () => {
    const key = await aKey()
    await aProgram(database.sql, { slug: 'of-others', questions: [q.text('answer')] })
    expect((await page(key)).status).toBe(200)
    const other = await aKey()
    const [username] = Buffer.from(key.authorization.slice(6), 'base64').toString().split(':')
    const [, secret] = Buffer.from(other.authorization.slice(6), 'base64').toString().split(':')
    const wrong = { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` }
    recorder.clear()
    expect((await page(wrong)).status).toBe(401)
    const elsewhere = await service.get('/api/v1/admin/programs/of-others/applications', {
      headers: { Authorization: key.authorization },
    })
    expect(elsewhere.status).toBe(401)
    expect((await page(key, '?nextPageToken=0')).status).toBe(400)
    expect([sent(lookUp), sent(start)]).toEqual([3, 0])
  })
})
