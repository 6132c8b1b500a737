// The receipt of a walk: count and digest, against what a client holds.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import {
  parseReceiptRequest,
  type ReceiptBegun,
  readWalkReceipt,
  type WalkReceipt,
} from '../../../src/core/export/requests/walk-receipt.ts'
import { formatMicros } from '../../../src/domain/values/offset-time.ts'
import { everyChoice } from '../../support/any-filters.ts'
import { tamper } from '../../support/audit-log.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { holdTransaction, waitingForLocks } from '../../support/held-transaction.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const slug = 'receipted'
const database = await useDatabase()
const { sql } = database
const service = await useService(database, { maxPageSize: 1000, ...unlimited })
const { program_id } = await aProgram(sql, { slug, questions: [q.text('words')] })
await aProgram(sql, { slug: 'other', questions: [] })
const key = await createTestKey(sql, { programs: [slug, 'other'], maySubmit: true })
const client = new ExportClient(service, key, slug)
const frontEnd = new FrontEnd(service, key, slug)
const applicants: number[] = []
const apply = async (applicant: number): Promise<number> =>
  (await frontEnd.apply(applicant, { words: { text: 'as it was' } })).application_id
for (let i = 0; i < 12; i++) {
  applicants.push(await frontEnd.register())
  await apply(applicants[i]!)
}
for (const applicant of applicants.slice(0, 5)) await apply(applicant)

interface Receipt extends Omit<WalkReceipt, 'sha256'> {
  sha256: string
}

const ask = (walk: string, program = slug): Promise<Response> =>
  service.get(`/api/v1/admin/programs/${program}/receipt?walk=${walk}`, {
    headers: { Authorization: key.authorization },
  })

async function receiptOf(walk: string): Promise<Receipt> {
  const response = await ask(walk)
  if (response.status !== 200) throw new Error(`answered ${response.status}: ${await response.text()}`)
  const receipt = (await response.json()) as Receipt
  const logged = { program: receipt.program_name, walk: receipt.walk }
  expect(service.requestLine(response.headers.get('X-Request-Id'))).toMatchObject(logged)
  return receipt
}

const tokens = () => {
  const { pageTokenKeys: keys, pageTokenTtlMs: ttlMs } = service.config
  return { keys, ttlMs, now: service.foundation.now(), programId: program_id }
}

function begunBy(value: string): ReceiptBegun {
  const sent = { pairs: [{ name: 'walk', value }], malformed: [], strict: false }
  return parseReceiptRequest(sent, tokens())
}

/** All of a receipt, each request of which has time for one batch; `between` two of them. */
async function inParts(begun: ReceiptBegun, rowsMax: number, between?: () => Promise<unknown>): Promise<WalkReceipt> {
  const limits = { endMs: 0, signal: AbortSignal.timeout(60_000), rowsMax }
  const erased: number[] = []
  for (let part = begun; ; ) {
    const receipt = await readWalkReceipt(sql, part, slug, tokens(), limits)
    erased.push(...receipt.erased_application_ids)
    expect(receipt.sha256 === null).toBe(receipt.next_token !== null)
    if (receipt.next_token === null) return { ...receipt, erased_application_ids: erased }
    await between?.()
    part = begunBy(receipt.next_token)
  }
}

/** As a shell does it: the ids, a line each. */
const digest = (ids: readonly number[]): string =>
  createHash('sha256')
    .update(ids.map(id => `${id}\n`).join(''))
    .digest('hex')

/** A walk: its ids, and every token by which its receipt can be asked for. */
async function walkWith(parameters: Record<string, string>, between?: () => Promise<unknown>) {
  const ids: number[] = []
  const tokens: string[] = []
  for await (const { response, page } of client.walk(parameters, between)) {
    const walkToken = response.headers.get('Walk-Token')
    if (walkToken !== null) tokens.push(walkToken)
    ids.push(...page.payload.map(application => application.application_id))
    if (page.nextPageToken !== null) tokens.push(page.nextPageToken)
  }
  return { ids, tokens }
}

describe('the receipt of a walk', () => {
  test.each<Record<string, string>>([...everyChoice, { fromDate: '2020-01-01' }, { toDate: '2020-01-01' }])(
    'has the count and the digest of what its pages held, by any token of it: %j',
    async filters => {
      for (const pageSize of ['1', '5', '1000']) {
        const { ids, tokens } = await walkWith({ ...filters, pageSize })
        const receipts = await Promise.all(tokens.map(receiptOf))
        for (const receipt of receipts) {
          expect(receipt).toMatchObject({ program_name: slug, applications: ids.length, sha256: digest(ids) })
          expect(receipt.walk).toBe(receipts[0]!.walk)
          expect(receipt.erased_application_ids).toEqual([])
        }
      }
    },
  )

  test('is the same however many IDs a request has time for, even if the last batch is full', async () => {
    const { ids, tokens } = await walkWith({ revisionState: 'CURRENT', pageSize: '1000' })
    expect(ids.length).toBeGreaterThan(5)
    const { applications, sha256 } = await receiptOf(tokens[0]!)
    for (const rowsMax of [1, 5, ids.length - 1, ids.length, ids.length + 1])
      expect(await inParts(begunBy(tokens[0]!), rowsMax)).toMatchObject({ applications, sha256 })
  })

  test('in parts counts or names an application that is erased in between, and never both', async () => {
    const extra = [await apply(applicants[10]!), await apply(applicants[11]!)]
    const { ids, tokens } = await walkWith({ pageSize: '1000' })
    const toErase = [extra[1]!, ids[0]!]
    const erase = async () => {
      const application_id = toErase.shift()
      if (application_id === undefined) return
      await eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined })
    }
    // The first was read before it was erased, the last was not.
    const receipt = await inParts(begunBy(tokens[0]!), 4, erase)
    expect(receipt.erased_application_ids).toEqual([extra[1]!])
    const held = ids.filter(id => id !== extra[1])
    expect(receipt).toMatchObject({ applications: held.length, sha256: digest(held) })
  })

  test('is not read further after its client disconnects', async () => {
    const {
      tokens: [token],
    } = await walkWith({ pageSize: '1000' })
    const limits = { endMs: Number.POSITIVE_INFINITY, signal: AbortSignal.abort(), rowsMax: 2 }
    expect(await readWalkReceipt(sql, begunBy(token!), slug, tokens(), limits)).toMatchObject({ applications: 2 })
  })

  test('G2, G3: is of the walk, whatever is submitted and superseded meanwhile', async () => {
    const { ids, tokens } = await walkWith({ revisionState: 'CURRENT', pageSize: '4' }, () => apply(applicants[9]!))
    expect(await receiptOf(tokens[0]!)).toMatchObject({ applications: ids.length, sha256: digest(ids) })
  })

  test('names what was erased after the walk began, which is left out of the comparison', async () => {
    const before = await apply(applicants[0]!)
    await eraseApplication(sql, { program_id, application_id: before }, { actor: 'operator:test', reason: undefined })
    const places = await sql<{ submit_time: number }[]>`
      select submit_time from application where program_id = ${program_id} order by submit_time, submit_seq`
    const [second, sixth] = [1, 5].map(at => formatMicros(places[at]!.submit_time))
    const part = await walkWith({ pageSize: '1000', fromDate: second!, toDate: sixth! })
    const newest = await apply(applicants[1]!)
    const { ids, tokens } = await walkWith({ pageSize: '1000' })
    expect(part.ids).toEqual(ids.slice(1, 5))
    const later = await apply(applicants[0]!)
    const erased = [ids[0]!, ids[1]!, ids[2]!, ids[5]!, newest]
    for (const application_id of [...erased, later])
      await eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined })
    const receipt = await receiptOf(tokens[0]!)
    // What such a walk never had is none of its business.
    expect((await receiptOf(part.tokens[0]!)).erased_application_ids).toEqual([ids[1]!, ids[2]!])
    const whole = begunBy(tokens[0]!)
    const range = { ...whole, walk: { ...whole.walk, filters: { ids: { from: ids[2]!, to: ids[4]! } } } }
    expect((await inParts(range, 1000)).erased_application_ids).toEqual([ids[2]!])
    expect(receipt.erased_application_ids).toEqual(erased.sort((a, b) => a - b))
    const held = ids.filter(id => !receipt.erased_application_ids.includes(id))
    expect(receipt).toMatchObject({ applications: held.length, sha256: digest(held) })
  })

  test('names up to 100,000 erased applications, and is refused beyond that', async () => {
    const { response } = await new ExportClient(service, key, 'other').page({})
    const token = response.headers.get('Walk-Token')!
    const erase = (from: number, to: number) => sql`
      insert into erased_application (program_id, application_id, submit_seq, submit_time, change_seq)
      select program_id, n, -n, '2020-01-01', n from program, generate_series(${from}::int, ${to}::int) n where slug = 'other'`
    await erase(1, 100_000)
    const whole = (await (await ask(token, 'other')).json()) as Receipt
    expect([whole.applications, whole.erased_application_ids.length]).toEqual([0, 100_000])
    await erase(100_001, 100_001)
    expect((await ask(token, 'other')).status).toBe(409)
  })

  test('takes a place of its key while it is computed, and frees it even if it is refused', async () => {
    const limited = await useService(database, { exportsAtATime: 1 })
    const { tokens } = await walkWith({ pageSize: '1000' })
    const statusOf = async (walk: string) => {
      const path = `/api/v1/admin/programs/${slug}/receipt?walk=${walk}`
      return (await limited.get(path, { headers: { Authorization: key.authorization } })).status
    }
    const { response, page } = await client.page({ pageSize: '1' })
    expect(page.payload).toHaveLength(1)
    const ofTheSame = response.headers.get('Walk-Token')!
    expect([await statusOf(tokens[0]!), await statusOf(ofTheSame), await statusOf(tokens[0]!)]).toEqual([200, 200, 200])
    const release = await holdTransaction(sql, tx => tx`lock table application in access exclusive mode`)
    const first = statusOf(tokens[0]!)
    await until('the receipt to be made', async () => (await waitingForLocks(sql, 'application_id')) > 0)
    expect(await statusOf(tokens[0]!)).toBe(429)
    await release()
    expect(await first).toBe(200)
    expect(await statusOf(tokens[0]!)).toBe(200)
  })

  test('accepts a Walk-Token, which is also a page token of the first page', async () => {
    const { response, text } = await client.page({ pageSize: '3' })
    const again = await client.page({ nextPageToken: response.headers.get('Walk-Token')! })
    const withoutToken = (page: string): string => page.replace(/"nextPageToken":"[^"]+"/, '')
    expect(withoutToken(again.text)).toBe(withoutToken(text))
  })
})

test('D8: a token that belongs to no walk of this program is refused with the parameter’s name', async () => {
  const { tokens } = await walkWith({})
  const codeOf = async (response: Response) => {
    const { errors } = (await response.json()) as { errors: { parameter: string; code: string }[] }
    return [response.status, errors.map(({ parameter, code }) => `${parameter} ${code}`)]
  }
  for (const token of ['x', `${tokens[0]}-`, `${tokens[0]}-x`, `${tokens[0]}-x-x`, `${tokens[0]}-${'z'.repeat(139)}`])
    expect(await codeOf(await ask(token))).toEqual([400, ['walk page_token_invalid']])
  expect(await codeOf(await ask(tokens[0]!, 'other'))).toEqual([400, ['walk page_token_of_another_program']])
  const nothing = `/api/v1/admin/programs/${slug}/receipt`
  const authorized = { headers: { Authorization: key.authorization } }
  expect(await codeOf(await service.get(nothing, authorized))).toEqual([400, ['walk required']])
  const misspelt = await service.get(`${nothing}?walk=${tokens[0]}&Walk=x`, authorized)
  expect(await codeOf(misspelt)).toEqual([400, ['Walk unknown_parameter']])
  expect((await service.get('/api/v1/admin/programs/not-granted/receipt', authorized)).status).toBe(401)
  expect((await service.get(nothing)).status).toBe(401)
})

test('G13: after the database was restored, the receipt is refused like the walk', async () => {
  const { tokens } = await walkWith({})
  const [last] = await sql<{ submit_seq: number }[]>`
    select submit_seq from submission_counter where program_id = ${program_id}`
  const rollBack = () =>
    tamper(
      sql,
      `delete from application where program_id = ${program_id} and submit_seq = ${last!.submit_seq};
       update submission_counter set submit_seq = ${last!.submit_seq - 1} where program_id = ${program_id}`,
    )
  await rollBack()
  const behind = await ask(tokens[0]!)
  expect([behind.status, behind.headers.get('Retry-After')]).toEqual([503, '5'])
  await rollBack()
  for (const applicant of applicants) await apply(applicant)
  const other = await ask(tokens[0]!)
  expect(other.status).toBe(400)
  expect(await other.json()).toMatchObject({ errors: [{ parameter: 'walk', code: 'walk_of_another_history' }] })
})
