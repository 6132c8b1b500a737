// The patched driver against a server that answers in any pieces, fails, and cuts connections at any byte (patches/README.md):
// each statement gets its own rows, once and in order, or is rejected; and what follows on the connection is right.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isLostConnection } from '../../src/base/passing-errors.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import {
  type Script,
  type ScriptedPostgres,
  scriptOf,
  startScriptedPostgres,
  wholeDelivery,
} from '../support/scripted-postgres.ts'
import { until } from '../support/until.ts'

const all = Number.POSITIVE_INFINITY

interface Plan extends Omit<Script, 'tag'> {
  kind: 'rows' | 'cursor' | 'plain' | 'transaction'
  /** Rows of each batch asked for, the last for all to come; 0 closes. None for a statement of rows without a cursor. */
  batches: readonly number[]
  /** Whether a batch is asked for in the middle of the one before, at its end, or some time after it. */
  asks: 'ahead' | 'at the end' | 'later'
  throwsAt: number | null
  prepare: boolean
  parameter: boolean
}

/** What a statement came to: the numbers of its rows as they came, and how it ended. */
interface Outcome {
  seen: number[]
  closed: boolean
  error?: { code?: string; message: string }
}

const open = (server: ScriptedPostgres, tls: boolean, connectionsMax: number): Sql =>
  openDatabase({ url: `postgres://u:p@127.0.0.1:${server.port}/d${tls ? '?sslmode=require' : ''}`, connectionsMax })

/** The number of a row, which must be of the statement of this tag. */
function numberOf(tag: string, value: string): number {
  const [of, number] = value.split(':')
  if (of !== tag) throw new Error(`${tag} was given a row of ${of}`)
  return Number(number)
}

const thrown = (tag: string): string => `the reader of ${tag} throws`

async function run(sql: Sql, tag: string, plan: Plan): Promise<Outcome> {
  const { rows, failsAt, rowBytes, prepare, parameter, batches } = plan
  const outcome: Outcome = { seen: [], closed: false }
  let ended = false
  const note = (value: string): void => {
    if (ended) throw new Error(`${tag} was given a row after its end`)
    outcome.seen.push(numberOf(tag, value))
    if (outcome.seen.length === plan.throwsAt) throw new Error(thrown(tag))
  }
  const statement = (on: Pick<Sql, 'unsafe'>, transaction?: string) => {
    const text = scriptOf({ tag, rows, failsAt, rowBytes, transaction })
    return on.unsafe(parameter ? `${text} $1` : text, parameter ? [1] : [], { prepare })
  }
  const reading = async (): Promise<void> => {
    if (plan.kind === 'transaction') {
      await sql.begin('read write', async tx => {
        for (const { v } of await statement(tx, tag)) note(v)
        await new Promise<void>(later => setImmediate(later))
        await tx.unsafe(scriptOf({ tag, rows: 0, transaction: tag }))
      })
      return
    }
    const query = statement(sql)
    if (plan.kind === 'plain') for (const { v } of await query) note(v)
    else if (plan.kind === 'cursor') {
      await query.cursor(batches[0] ?? 1, rows => {
        for (const { v } of rows) note(v)
      })
    } else {
      let [asked, open] = [0, 1]
      const ask = (): void => {
        const batch = batches[Math.min(++asked, batches.length - 1)]!
        open++
        if (batch === 0) outcome.closed = true
        if (batch === 0) query.close()
        else query.more(batch)
      }
      query.onRow = (bytes, at) => {
        const length = bytes.readInt32BE(at + 7)
        note(bytes.toString('latin1', at + 11, at + 11 + length))
        const halfway = outcome.seen.length >= (batches[asked] ?? all) / 2
        if (plan.asks === 'ahead' && halfway && open === 1 && !outcome.closed) ask()
      }
      if (batches.length > 0)
        query.cursor(batches[0]!, async () => {
          open--
          if (plan.asks === 'later') await new Promise<void>(later => setImmediate(later))
          if (open === 0 && !outcome.closed) ask()
        })
      await query
    }
  }
  try {
    await reading()
  } catch (error) {
    outcome.error = error as Outcome['error'] & object
  }
  ended = true
  return outcome
}

/** Whether a statement ended as it may: whole, or as its plan says, or with its connection. */
function expectRight(tag: string, plan: Plan, { seen, closed, error }: Outcome, lossy: boolean): void {
  expect([tag, seen]).toEqual([tag, Array.from({ length: seen.length }, (_, i) => i + 1)])
  expect(seen.length).toBeLessThanOrEqual(Math.min(plan.rows, (plan.failsAt ?? all) - 1))
  if (error === undefined) {
    expect(plan.throwsAt === null || seen.length < plan.throwsAt).toBe(true)
    if (!closed) expect([tag, seen.length]).toEqual([tag, plan.rows])
    if (!closed) expect(plan.failsAt ?? all).toBeGreaterThan(plan.rows)
  } else if (error.message === thrown(tag)) expect(seen.length).toBe(plan.throwsAt!)
  else if (error.message === `${tag} fails`) expect(plan.failsAt).toBeLessThanOrEqual(plan.rows)
  else expect([tag, isLostConnection(error) && lossy, error.message]).toEqual([tag, true, error.message])
}

/** Fails with who is still waiting when that takes too long: nothing may hang. */
async function inTime<T>(what: () => string, work: Promise<T>): Promise<T> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: ${what()}`)), 3000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const plans = fc.record<Plan>({
  kind: fc.constantFrom('rows', 'rows', 'rows', 'cursor', 'plain', 'transaction'),
  rows: fc.nat(40),
  failsAt: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 3 }),
  rowBytes: fc.constantFrom(0, 10, 300, 20_000),
  batches: fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) }, fc.constantFrom(all, 0)), {
      maxLength: 5,
    })
    .map(batches =>
      // A cursor begins with a number of rows.
      batches.length === 0 || (batches[0]! > 0 && batches[0]! < all) ? batches : [7, ...batches],
    ),
  asks: fc.constantFrom('ahead', 'at the end', 'later'),
  throwsAt: fc.option(fc.integer({ min: 1, max: 40 }), { freq: 3 }),
  prepare: fc.boolean(),
  parameter: fc.boolean(),
})

const deliveries = fc.record({
  pieceBytes: fc.oneof(
    fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 6 }).map(pieces => [...pieces, 2000]),
    fc.constantFrom([65_536], [16_384, 40_000], [4096]),
  ),
  cutAfter: fc.array(fc.option(fc.oneof(fc.nat(400), fc.nat(20_000)), { freq: 2, nil: undefined }), { maxLength: 4 }),
  cutBy: fc.constantFrom('reset' as const, 'end' as const),
})

const following: Plan = {
  kind: 'plain',
  rows: 3,
  batches: [],
  asks: 'ahead',
  throwsAt: null,
  prepare: true,
  parameter: true,
}

describe.each([
  ['TCP', false, 300],
  ['TLS', true, 100],
])('G15: over %s, with any messages in any pieces', (_name, tls, numRuns) => {
  let server: ScriptedPostgres
  beforeAll(async () => {
    server = await startScriptedPostgres({ tls })
  })
  afterAll(() => server.stop())

  test('each statement receives its own rows once and in order or is rejected, and its connection is then usable or closed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plans, { minLength: 1, maxLength: 6 }),
        deliveries,
        fc.constantFrom(1, 1, 2),
        async (asked, delivery, connectionsMax) => {
          const base = server.made()
          const cutAfter = [...Array.from({ length: base }, () => undefined), ...delivery.cutAfter]
          server.delivery = { ...delivery, cutAfter }
          const sql = open(server, tls, connectionsMax)
          const waiting = new Set(asked.keys())
          const outcomes = await inTime(
            () => [...waiting].map(i => `s${i}`).join(', '),
            Promise.all(
              asked.map(async (plan, i) => {
                const outcome = await run(sql, `s${i}`, plan)
                waiting.delete(i)
                return outcome
              }),
            ),
          )
          // A connection is lost by a cut, or by a reader that throws.
          const lossy = delivery.cutAfter.some(at => at !== undefined) || asked.some(plan => plan.throwsAt !== null)
          for (const [i, outcome] of outcomes.entries()) expectRight(`s${i}`, asked[i]!, outcome, lossy)
          server.delivery = wholeDelivery
          for (let lost = 0, right = 0; right < 3; ) {
            const outcome = await inTime(() => 'what follows', run(sql, `after${right}`, following))
            if (outcome.error !== undefined && isLostConnection(outcome.error) && ++lost < 5) continue
            expect(outcome).toEqual({ seen: [1, 2, 3], closed: false })
            right++
          }
          await inTime(() => 'the end of the pool', sql.end())
          await until('all connections to be closed', () => server.open() === 0)
          expect(server.strays).toEqual([])
        },
      ),
      { numRuns, interruptAfterTimeLimit: 45_000, endOnFailure: true },
    )
  })
})

describe('G15: what happens to one connection does not affect others', () => {
  let server: ScriptedPostgres
  let sql: Sql
  beforeEach(async () => {
    server = await startScriptedPostgres()
    sql = open(server, false, 1)
  })
  afterEach(async () => {
    await sql.end({ timeout: 1 })
    await server.stop()
  })

  const rowsOf = async (answer: Promise<readonly { v: string }[]>): Promise<string[]> =>
    (await answer).map(row => row.v)
  const expectRows = async (tag: string): Promise<void> =>
    expect(await rowsOf(sql.unsafe(scriptOf({ tag, rows: 2 })))).toEqual([`${tag}:1:`, `${tag}:2:`])

  test('rows are complete if a piece ends within a message header, whichever buffers are freed', async () => {
    // A row is 1,025 bytes at most, and its head five.
    for (let shift = 0; shift <= 1028; shift += 4) {
      server.delivery = { ...wholeDelivery, pieceBytes: [16_384 + shift] }
      const plan: Plan = { ...following, kind: 'rows', rows: 20, rowBytes: 1008 }
      expect((await run(sql, `s${shift}`, plan)).seen).toHaveLength(20)
    }
  })

  test('every statement for a closed connection is rejected', async () => {
    const reserved = await sql.reserve()
    server.cut()
    await until('the connection to be closed', () => server.open() === 0)
    for (const _ of [1, 2, 3])
      await expect(reserved.unsafe('select')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    reserved.release()
    await expectRows('next')
  })

  test('a cursor callback that ends after its connection does not affect the next cursor', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const begun: string[] = []
    const read = (tag: string, gate: Promise<void>) =>
      sql.unsafe(scriptOf({ tag, rows: 6 })).cursor(2, async rows => {
        begun.push(rows[0]!.v)
        await gate
      })
    const first = read('first', gates[0]!.promise).catch(error => error.code)
    await until('the first batch', () => begun.length === 1)
    server.cut()
    expect(await first).toBe('CONNECTION_CLOSED')
    const second = Promise.resolve(read('second', gates[1]!.promise))
    await until('the first batch of the next', () => begun.length === 2)
    gates[0]!.resolve()
    // Time enough for an answer that should not come.
    const other = open(server, false, 1)
    await other.unsafe(scriptOf({ tag: 'other', rows: 1 }))
    await other.end()
    expect(begun).toEqual(['first:1:', 'second:1:'])
    gates[1]!.resolve()
    await second
    expect(begun).toEqual(['first:1:', 'second:1:', 'second:3:', 'second:5:'])
  })

  test('G11: a transaction whose connection has closed rejects statements, which would otherwise run in the next one', async () => {
    const [goOn, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late: unknown[] = []
    let [firstBegun, lateDone] = [false, false]
    const first = sql
      .begin('read write', async tx => {
        await tx.unsafe(scriptOf({ tag: 'a', rows: 1, transaction: 'first' }))
        firstBegun = true
        await goOn.promise
        for (const _ of [1, 2])
          late.push(await tx.unsafe(scriptOf({ tag: 'b', rows: 1, transaction: 'first' })).catch(error => error.code))
        lateDone = true
      })
      .catch(error => error.code)
    await until('the transaction', () => firstBegun)
    const second = sql.begin('read write', async tx => {
      const rows = await tx.unsafe(scriptOf({ tag: 'c', rows: 1, transaction: 'second' }))
      await finish.promise
      await tx.unsafe(scriptOf({ tag: 'd', rows: 1, transaction: 'second' }))
      return rows.length
    })
    server.cut()
    expect(await first).toBe('CONNECTION_CLOSED')
    await until('the next transaction, on the connection made again', () => server.made() === 2)
    goOn.resolve()
    await until('the late statements', () => lateDone)
    finish.resolve()
    expect(await second).toBe(1)
    expect(late).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
    expect(server.strays).toEqual([])
  })

  test('G14: a server that closes every connection immediately is not retried forever', async () => {
    server.delivery = { ...wholeDelivery, cutAfter: Array.from({ length: 1000 }, () => 0) }
    await expect(sql.unsafe('select')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(server.made()).toBe(1)
    server.delivery = wholeDelivery
    await expectRows('next')
  })

  test('G14: ending a pool does not wait for a statement whose connection has closed', async () => {
    let begun = false
    const reading = sql
      .unsafe(scriptOf({ tag: 'a', rows: 6 }))
      .cursor(2, () => {
        begun = true
        return new Promise<void>(() => {})
      })
      .catch(error => error.code)
    await until('the first batch', () => begun)
    const ended = sql.end()
    server.cut()
    expect(await reading).toBe('CONNECTION_CLOSED')
    await ended
  })

  test('a statement after one that failed midway receives all its rows', async () => {
    const failed = sql.unsafe(scriptOf({ tag: 'a', rows: 9, failsAt: 5 })).catch(error => error.message)
    await expectRows('next')
    expect(await failed).toBe('a fails')
  })
})
