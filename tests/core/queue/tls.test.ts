// The queue's own connections, where PostgreSQL asks for TLS.

import { describe, expect, test } from 'bun:test'
import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectQueue } from '../../../src/core/queue/connect.ts'
import { testCertificate } from '../../support/certificate.ts'
import { testServer } from '../../support/database.ts'
import { endWithTest, useDatabase, usePool } from '../../support/fixtures.ts'
import { failureOf, succeeds } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'

describe('a database that asks for TLS', () => {
  test('is reached by the queue like by everything else: `sslmode=require` encrypts without checking the certificate', async () => {
    const database = await useDatabase({}, endWithTest)
    const { dataDirectory } = await testServer()
    const { uid, gid } = await stat(dataDirectory)
    for (const [name, text] of [
      ['server.key', testCertificate.key],
      ['server.crt', testCertificate.cert],
    ] as const) {
      await writeFile(join(dataDirectory, name), text, { mode: 0o600 })
      await chown(join(dataDirectory, name), uid, gid)
    }
    endWithTest(async () => {
      await database.sql`alter system reset ssl`
      await database.sql`select pg_reload_conf()`
    })
    await database.sql`alter system set ssl = 'on'`
    await database.sql`select pg_reload_conf()`
    const url = `${database.url}?sslmode=require`
    const sql = usePool({ url, connectionsMax: 1 }, endWithTest)
    await until('TLS to be on', () => succeeds(sql`select 1`))

    const queue = await connectQueue({ databaseUrl: url, redisUrl: undefined }, () => {})
    const rows = await database.sql<{ ssl: boolean }[]>`
      select s.ssl
      from pg_stat_ssl s
      join pg_stat_activity a using (pid)
      where a.application_name like 'tributary-queue %'
      and a.datname = current_database()`
    await queue.close()
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.every(row => row.ssl)).toBe(true)

    const checked = connectQueue({ databaseUrl: `${database.url}?sslmode=verify-full`, redisUrl: undefined }, () => {})
    expect((await failureOf(checked))?.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  })
})
