// What `openDatabase` decides about connections and values.

import { describe, expect, test } from 'bun:test'
import { isLostConnection } from '../../src/base/passing-errors.ts'
import { inSession, inTransactionOf, openDatabase, readThroughLoss, type Sql } from '../../src/db/client.ts'
import { endWithTest, useDatabase, usePool } from '../support/fixtures.ts'
import { type ScriptedPostgres, startScriptedPostgres } from '../support/scripted-postgres.ts'

const database = await useDatabase()

/** Seconds until the next timer of each connection of this process to the port, if it is a keepalive's, as Linux reports. */
async function keepaliveSeconds(port: number): Promise<number[]> {
  const remote = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = (await Bun.file('/proc/net/tcp').text()).split('\n').map(line => line.trim().split(/\s+/))
  return lines
    .filter(([, , to, state]) => to === remote && state === '01')
    .map(fields => fields[5]!.split(':'))
    .map(([kind, ticks]) => (kind === '02' ? Number.parseInt(ticks!, 16) / 100 : Number.POSITIVE_INFINITY))
}

describe.skipIf(process.platform !== 'linux')(
  'G14: a database that disappears without closing its connections is noticed',
  () => {
    test.each([false, true])('by keepalive on an idle connection, TLS %p', async tls => {
      const server: ScriptedPostgres = await startScriptedPostgres({ tls })
      const sql: Sql = openDatabase({
        url: `postgres://u:p@127.0.0.1:${server.port}/d${tls ? '?sslmode=require' : ''}`,
        connectionsMax: 1,
      })
      try {
        await sql.unsafe('select')
        const [seconds] = await keepaliveSeconds(server.port)
        expect(seconds).toBeWithin(1, 16)
      } finally {
        await sql.end({ timeout: 1 })
        await server.stop()
      }
    })
  },
)

describe('an int8', () => {
  test('is read as a number, from -(2^53 - 1) to 2^53 - 1', async () => {
    const read = (text: string) => database.sql<{ n: number }[]>`select ${text}::text::int8 as n`
    for (const n of [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]) expect((await read(String(n)))[0]!.n).toBe(n)
  })

  test('beyond that is refused and never rounded', async () => {
    const single = usePool({ url: database.url, connectionsMax: 1 }, endWithTest)
    for (const n of ['9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807'])
      await expect(Promise.resolve(single`select ${n}::text::int8 as n`)).rejects.toThrow(n)
    // Nor does it cost what follows.
    expect(await single`select 1::int8 as n`).toEqual([{ n: 1 }] as never)
  })
})

test('a transaction with a failed statement does not count as committed, even if its work continued', async () => {
  const work = inSession(database.sql, session =>
    inTransactionOf(session, async tx => void (await tx`select 1 / 0`.catch(() => {}))),
  )
  await expect(work).rejects.toThrow()
})

describe('a connection that was refused or lost', () => {
  const lost = [
    'CONNECTION_CLOSED',
    'CONNECT_TIMEOUT',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    '57P01',
    '57P03',
    '08006',
    '53300',
  ]
  test.each(lost)('%s: a read is tried again, because it may succeed on another connection', async code => {
    expect(isLostConnection(Object.assign(new Error('as the driver throws it'), { code }))).toBe(true)
  })

  test.each(['57014', '23505', '42703', '53400', '40001', undefined])(
    '%p does not count as a lost connection',
    code => {
      expect(isLostConnection(Object.assign(new Error('as the driver throws it'), { code }))).toBe(false)
    },
  )

  test.each(['CONNECTION_SILENT', 'CONNECTION_BUSY', 'CONNECT_TIMEOUT'])(
    '%s: a statement that timed out is not tried again',
    async code => {
      let tries = 0
      const read = readThroughLoss(async () => {
        tries++
        throw Object.assign(new Error('as the driver throws it'), { code })
      })
      await expect(read).rejects.toMatchObject({ code })
      expect(tries).toBe(1)
    },
  )

  test('53300: a read waits while the server has no free connection', async () => {
    await database.sql`create role visitor login connection limit 1`
    const url = new URL(database.url)
    url.username = 'visitor'
    url.password = ''
    const [guest, other] = [1, 2].map(() => openDatabase({ url: url.toString(), connectionsMax: 1 }))
    try {
      await guest!`select 1`
      let tries = 0
      const read = readThroughLoss(async () => {
        if (++tries === 2) await guest!.end()
        return other!<{ n: number }[]>`select 7 as n`
      })
      expect((await read)[0]!.n).toBe(7)
      expect(tries).toBeGreaterThan(1)
    } finally {
      await Promise.all([guest!.end(), other!.end()])
      await database.sql`drop role visitor`
    }
  })
})
