// What a client reads one by one is in the audit log before it is sent: where the log refuses the entry, or does not answer, nothing
// goes out. Pages of walks are noted after they were sent; export-applications/audit.test.ts holds how many may lack their entry.

import { describe, expect, test } from 'bun:test'
import { refuseAuditLines } from '../../support/audit-log.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const slug = 'recorded'
const secret = 'unread while unrecorded'
const database = await useDatabase()
const { sql } = database
const service = await useService(database, { exportsAtATime: 1 })
const hurried = await useService(database, { responseTimeoutMs: 1500 })
await aProgram(sql, { slug, statuses: ['Received'], questions: [q.text('words')] })
const key = await createTestKey(sql, { programs: [slug], mayExport: true, maySubmit: true, mayAnnotate: true })
const frontEnd = new FrontEnd(service, key, slug)
const { application_id: id } = await frontEnd.apply(await frontEnd.register(), { words: { text: secret } })
const program = `/api/v1/admin/programs/${slug}`
const get = (path: string, of = service, method = 'GET'): Promise<Response> =>
  of.get(`${program}${path}`, { method, headers: { Authorization: key.authorization } })

/** Each route by which a client is sent an application without a walk, and what of it. */
const routes: [path: string, content: string][] = [
  ['/changes', 'submitted'],
  ['/changes?include=application', secret],
  [`/applications/${id}`, secret],
  [`/applications/${id}/revisions`, secret],
  [`/applications/${id}/history`, 'payload'],
  [`/applications/${id}/status`, 'application_note'],
]
const entries = async (): Promise<number> => {
  const [row] = await sql<{ entries: number }[]>`
    select count(*) as entries from audit_event where actor = ${`key:${key.api_key_id}`}`
  return row!.entries
}

describe.each(routes)('GET …%s', (path, content) => {
  test('succeeds with one audit entry, and HEAD with none', async () => {
    const before = await entries()
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(content)
    expect(await entries()).toBe(before + 1)
    const head = await get(path, service, 'HEAD')
    expect(head.status).toBe(200)
    const length = response.headers.get('Content-Length')
    expect(head.headers.get('Content-Length') ?? length).toBe(length)
    expect(await entries()).toBe(before + 1)
  })

  test('sends nothing if the entry is refused, and holds no place of its key', async () => {
    const takeLines = await refuseAuditLines(sql)
    const response = await get(path)
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await response.text()).not.toContain(content)
    await takeLines()
    expect((await get(path)).status).toBe(200)
  })
})

test('no request is sent anything while its audit entry is pending, and all are refused in time (G14)', async () => {
  const before = await entries()
  const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
  const asked = routes.map(async ([path]) => {
    const response = await get(path, hurried)
    return { path, status: response.status, text: await response.text() }
  })
  await until('each entry to wait', async () => (await waitingForLocks(sql, 'audit_event')) >= routes.length)
  for (const { path, status, text } of await Promise.all(asked)) {
    expect([path, status]).toEqual([path, 503])
    expect(text).not.toContain(routes.find(([value]) => value === path)![1])
  }
  await release()
  await until('the entries', async () => (await entries()) === before + routes.length)
})

describe('while a page that was sent to a key is not in the audit log', () => {
  test.each(['', '/revisions', '/history'])('…/applications/{id}%s is refused, HEAD too', async path => {
    const exported = async (): Promise<number> => {
      const [row] = await sql<{ pages: number }[]>`
        select count(*) as pages from audit_event where actor = ${`key:${key.api_key_id}`} and detail ? 'walk'`
      return row!.pages
    }
    const address = `/applications/${id}${path}`
    const before = await exported()
    const takeLines = await refuseAuditLines(sql)
    const page = await get('/applications')
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(secret)])
    await until('the entry to be refused', async () => (await get(address, service, 'HEAD')).status === 503)
    const refused = await get(address)
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '5'])
    expect(service.requestLine(refused.headers.get('X-Request-Id'))).toMatchObject({ reason: 'audit_unwritten' })
    await takeLines()
    expect((await get(address)).status).toBe(200)
    expect(await exported()).toBe(before + 1)
  })
})
