// "An audit log, append-only: … per export: which key, which walk, filters, how many applications" (contract, section 3): the line
// of a page that was sent is not lost, and while it cannot be written its key gets no further page.

import { describe, expect, test } from 'bun:test'
import { createLog } from '../../../../src/base/log.ts'
import { Problem } from '../../../../src/base/problem.ts'
import {
  ExportAuditLog,
  linesOfUnlimitedMax,
  type SentPage,
} from '../../../../src/core/export/pages/export-audit-log.ts'
import { type AuditEvent, appendAuditEvents } from '../../../../src/db/audit/audit.ts'
import { noFilters } from '../../../../src/db/walks/walk-filters.ts'
import { earliest } from '../../../../src/domain/values/offset-time.ts'
import { refuseAuditLines } from '../../../support/audit-log.ts'
import { ExportClient } from '../../../support/export-client.ts'
import { useExport, useService } from '../../../support/fixtures.ts'
import { holdTransaction } from '../../../support/held-transaction.ts'
import { createTestKey } from '../../../support/keys.ts'
import { until } from '../../../support/until.ts'

const slug = 'audited'
const { database, sql, program, service } = await useExport({ slug, applications: 20 })

const linesOf = async (apiKeyId: string) =>
  sql<{ detail: Record<string, unknown> }[]>`
    select detail from audit_event
    where actor = ${`key:${apiKeyId}`} and action = 'applications_exported'
    order by detail->'applications_before'`

async function aReader(of = service) {
  const key = await createTestKey(sql, { programs: [slug] })
  return { key, client: new ExportClient(of, key, slug) }
}

/** What the log holds of the lines of a key that could not be written. */
const unwritten = (apiKeyId: string, of = service) =>
  of.logLines.filter(line => (line.audit_event as { actor?: string } | undefined)?.actor === `key:${apiKeyId}`)

describe('an entry that cannot be written', () => {
  test('causes a 503 with Retry-After for its key until it is written, and then every page has its entry', async () => {
    const { key, client } = await aReader()
    const other = await aReader()
    const takeLines = await refuseAuditLines(sql)
    const first = await client.page({ pageSize: '7' })
    await until('the failure to be noticed', () => unwritten(key.api_key_id).length === 1)
    for (let i = 0; i < 3; i++) {
      const response = await client.request({ nextPageToken: first.page.nextPageToken! })
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
      expect(service.requestLine(response.headers.get('X-Request-Id'))).toMatchObject({ reason: 'audit_unwritten' })
    }
    // A key whose lines are all written is not stopped by it.
    expect((await other.client.page({ pageSize: '1' })).page.payload.length).toBe(1)
    await takeLines()
    const second = await client.page({ nextPageToken: first.page.nextPageToken! })
    await until('both lines', async () => (await linesOf(key.api_key_id)).length === 2)
    const ids = [first, second].map(({ response }) => response.headers.get('X-Request-Id'))
    expect(
      (await linesOf(key.api_key_id)).map(({ detail }) => [detail.request_id, detail.applications_before]),
    ).toEqual([
      [ids[0], 0],
      [ids[1], 7],
    ])
    // Nothing is written twice, and nothing stands against the key any more.
    expect((await client.page({ nextPageToken: second.page.nextPageToken! })).page.nextPageToken).toBeNull()
    await until('the third line', async () => (await linesOf(key.api_key_id)).length === 3)
    expect((await linesOf(key.api_key_id)).at(-1)!.detail.applications_before).toBe(14)
  })

  test('is complete in the log, with which key received what', async () => {
    const { key, client } = await aReader()
    await refuseAuditLines(sql)
    const { response } = await client.page({ pageSize: '3' })
    const line = await until('the line', () => unwritten(key.api_key_id)[0])
    expect(line).toMatchObject({
      level: 'error',
      audit_event: {
        subject: slug,
        address: '127.0.0.1',
        detail: { request_id: response.headers.get('X-Request-Id'), applications: 3, outcome: 'complete' },
      },
    })
  })

  test('with AUDIT_REQUIRED=off it is logged, and exports continue', async () => {
    const easy = await useService(database, { auditRequired: false })
    const { key, client } = await aReader(easy)
    const takeLines = await refuseAuditLines(sql)
    const { page } = await client.page({ pageSize: '7' })
    await until('the failure to be noticed', () => unwritten(key.api_key_id, easy).length === 1)
    expect((await client.page({ nextPageToken: page.nextPageToken! })).page.payload.length).toBe(7)
    await until('the failure of the second', () => unwritten(key.api_key_id, easy).length === 2)
    await takeLines()
    expect((await client.page({ pageSize: '1' })).page.payload.length).toBe(1)
    await until('the line of the third', async () => (await linesOf(key.api_key_id)).length === 1)
  })
})

test('D41: while its entries are pending, a key gets EXPORTS_AT_A_TIME pages, or 16 if that is 0, and further requests wait and then get a 503', async () => {
  const limited = await Promise.all([3, 3, 0].map(exportsAtATime => useService(database, { exportsAtATime })))
  const readers = await Promise.all(limited.map(aReader))
  const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
  /** How many pages the key was sent whole, asked for one after another, or several at once, until one is refused. */
  const sentWhileHeld = async (i: number, atOnce: number): Promise<{ sent: number; reasons: Set<string> }> => {
    let sent = 0
    const reasons = new Set<string>()
    while (reasons.size === 0 && sent < 60) {
      const asked = Array.from({ length: atOnce }, () => readers[i]!.client.request({ pageSize: '3' }))
      for (const response of await Promise.all(asked)) {
        await response.text()
        if (response.status === 200) sent++
        else reasons.add(String(limited[i]!.requestLine(response.headers.get('X-Request-Id'))?.reason))
      }
    }
    expect(await linesOf(readers[i]!.key.api_key_id)).toHaveLength(0)
    return { sent, reasons }
  }
  const [limit, atOnce, none] = await Promise.all([sentWhileHeld(0, 1), sentWhileHeld(1, 8), sentWhileHeld(2, 1)])
  await release()
  expect(limit).toEqual({ sent: 3, reasons: new Set(['audit_unwritten']) })
  expect(atOnce!.sent).toBeLessThanOrEqual(3)
  expect(none).toEqual({ sent: 16, reasons: new Set(['audit_unwritten']) })
  for (const [i, { sent }] of [limit!, atOnce!, none!].entries())
    await until('a line for every page', async () => (await linesOf(readers[i]!.key.api_key_id)).length === sent)
})

describe('the audit log', () => {
  const page = (apiKeyId: string, requestId: string): SentPage => ({
    apiKeyId,
    address: '127.0.0.1',
    requestId,
    programSlug: slug,
    walk: {
      programId: program.program_id,
      walkId: '00000000000000aa',
      horizon: 20,
      lastChange: undefined,
      questionsAsOf: earliest,
      filters: noFilters,
      pageSize: 1,
      pageSizeMax: 1,
      applications: 0,
    },
    format: 'json',
    questions: {},
    after: undefined,
    beganAt: 1_700_000_000_000_000,
    receipt: { outcome: 'complete', applications: 1, bytes: 1, last: undefined, next: undefined },
  })
  const settings = {
    append: (events: readonly AuditEvent[]) => appendAuditEvents(sql, events),
    log: createLog('silent'),
    now: () => 1_700_000_000_000_000,
    required: true,
    pagesMax: () => 0,
  }

  test('retries automatically, even if the key sends no more requests', async () => {
    let tries = 0
    const append = (events: readonly AuditEvent[]) => {
      tries++
      return settings.append(events)
    }
    const auditLog = new ExportAuditLog({ ...settings, append, retryMs: 20 })
    const takeLines = await refuseAuditLines(sql)
    await auditLog.note(page('gone', 'late'))
    await until('a third try', () => tries === 3)
    expect(await linesOf('gone')).toHaveLength(0)
    await takeLines()
    const [line] = await until('the line', async () => {
      const lines = await linesOf('gone')
      return lines.length > 0 && lines
    })
    // When it ended, not when it could be written.
    expect(line!.detail).toMatchObject({ request_id: 'late', ended_at: '2023-11-14T22:13:20.000000Z' })
    await auditLog.settle('gone')
    expect(await linesOf('gone')).toHaveLength(1)
  })

  test('has each entry once, even if several requests of its key wait for it', async () => {
    const auditLog = new ExportAuditLog(settings)
    const takeLines = await refuseAuditLines(sql)
    await auditLog.note(page('twice', 'first'))
    await takeLines()
    await Promise.all([auditLog.settle('twice'), auditLog.settle('twice'), auditLog.finish(10_000)])
    expect(await linesOf('twice')).toHaveLength(1)
    expect(auditLog.waiting).toBe(0)
  })

  test('is waited for when the process ends, and entries that cannot be written by then are in the log once', async () => {
    const logged: { audit_event: { detail: { request_id: string } } }[] = []
    const log = createLog('info', { write: line => void logged.push(JSON.parse(line)) })
    let refused = 0
    const append = (events: readonly AuditEvent[]) =>
      settings.append(events).catch(error => {
        refused++
        throw error
      })
    const auditLog = new ExportAuditLog({ ...settings, append, log })
    const requests = () => logged.map(line => line.audit_event.detail.request_id)
    const takeLines = await refuseAuditLines(sql)
    await auditLog.note(page('last', 'refused'))
    // A further page tries it once more, and does not wait.
    await expect(auditLog.settle('last')).rejects.toMatchObject({ internal: 'audit_unwritten' })
    expect(refused).toBe(2)
    const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
    void auditLog.note(page('last', 'waiting'))
    await auditLog.finish(1)
    expect(requests()).toEqual(['refused', 'waiting'])
    expect(auditLog.waiting).toBe(2)
    const finished = auditLog.finish(10_000)
    await release()
    await until('a second try to be refused', () => refused > 3)
    await takeLines()
    await finished
    expect(requests()).toEqual(['refused', 'waiting', 'waiting'])
    expect((await linesOf('last')).map(({ detail }) => detail.request_id).sort()).toEqual(['refused', 'waiting'])
  })

  test('is bounded even if exports are not limited: a page waits for pending entries, and is refused if that takes too long (G14)', async () => {
    const auditLog = new ExportAuditLog(settings)
    const hurried = new ExportAuditLog({ ...settings, settleMs: 0 })
    const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
    const noting: Promise<void>[] = []
    const note = (id: number) => noting.push(...[auditLog, hurried].map(log => log.note(page('slow', String(id)))))
    for (let i = 1; i < linesOfUnlimitedMax; i++) note(i)
    await auditLog.settle('slow')
    await hurried.settle('slow')
    note(0)
    await expect(hurried.settle('slow')).rejects.toBeInstanceOf(Problem)
    await hurried.settle('another')
    const settled = auditLog.settle('slow').then(() => auditLog.waiting)
    await release()
    expect(await settled).toBe(0)
    await Promise.all(noting)
    await hurried.settle('slow')
    expect(await linesOf('slow')).toHaveLength(2 * linesOfUnlimitedMax)
  })

  test('D41: pages under way and pages without a stored entry together stay within the key’s limit', async () => {
    const auditLog = new ExportAuditLog({ ...settings, pagesMax: () => 3, settleMs: 0 })
    const release = await holdTransaction(sql, tx => tx`lock table audit_event in exclusive mode`)
    let ended = 0
    const begin = () => auditLog.beginPage('three', () => ({ name: 'a place', end: () => void ended++ }))
    const [first, second, third] = [await begin(), await begin(), await begin()]
    expect(first.name).toBe('a place')
    const full = () =>
      auditLog.beginPage('three', () => {
        throw new Error('no place')
      })
    const noting = [auditLog.note(page('three', '1'))]
    // Refused for the pages alone, whatever is not stored.
    await expect(full()).rejects.toThrow('no place')
    first.end()
    first.end()
    second.end()
    // Of two that are asked for at once, there is room for one.
    const both = await Promise.allSettled([begin(), begin()])
    expect(both).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { kind: 'unavailable', internal: 'audit_unwritten' } },
    ])
    noting.push(auditLog.note(page('three', '2')), auditLog.note(page('three', '3')))
    third.end()
    for (const result of both) if (result.status === 'fulfilled') result.value.end()
    await expect(begin()).rejects.toBeInstanceOf(Problem)
    // What cannot be taken counts for nothing, and neither does a page of which nothing was sent.
    await release()
    await Promise.all(noting)
    await expect(full()).rejects.toThrow('no place')
    for (let i = 0; i < 9; i++) (await begin()).end()
    expect([ended, auditLog.waiting]).toEqual([14, 0])
  })

  test('writes with one statement per key at a time and later entries with the next, so it takes no connection from others (G14)', async () => {
    const batches: string[][] = []
    const held = Promise.withResolvers<void>()
    const append = async (events: readonly AuditEvent[]) => {
      batches.push(events.map(({ actor, detail }) => `${actor} ${detail!.request_id}`))
      await held.promise
      return appendAuditEvents(sql, events)
    }
    const auditLog = new ExportAuditLog({ ...settings, append })
    const noting = [auditLog.note(page('busy', '1'))]
    await until('the first line to be under way', () => batches.length === 1)
    for (const id of ['2', '3', '4']) noting.push(auditLog.note(page('busy', id)))
    noting.push(auditLog.note(page('idle', '1')))
    await until('the line of another key to be under way', () => batches.length > 1)
    expect(batches).toEqual([['key:busy 1'], ['key:idle 1']])
    held.resolve()
    await Promise.all(noting)
    expect(batches.slice(2)).toEqual([['key:busy 2', 'key:busy 3', 'key:busy 4']])
    const lines =
      await sql`select detail->>'request_id' as id from audit_event where actor = 'key:busy' order by audit_event_id`
    expect(lines.map(({ id }) => id)).toEqual(['1', '2', '3', '4'])
    expect(auditLog.waiting).toBe(0)
  })
})
