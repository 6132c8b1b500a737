// scripts/audit prune as an operator runs it, also when it is killed before it is done.

import { beforeEach, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sealAuditLog } from '../../src/core/audit/seal-audit.ts'
import type { Sql } from '../../src/db/client.ts'
import { append } from '../support/audit-log.ts'
import type { TestDatabase } from '../support/database.ts'
import { endWithTest, useDatabase, useFolder, usePool } from '../support/fixtures.ts'
import type { Ended } from '../support/run.ts'
import { until } from '../support/until.ts'
import { runScript, startScript } from './run-script.ts'

let database: TestDatabase
let folder: string
/** Another connection, which holds locks that the script waits for. */
let holder: Sql

beforeEach(async () => {
  database = await useDatabase({}, endWithTest)
  holder = usePool({ url: database.url, connectionsMax: 1 }, endWithTest)
  folder = await useFolder(endWithTest)
})

const audit = (...args: string[]): Promise<Ended> => runScript('audit-log', database.url, args)
const prune = (): Promise<Ended> => audit('prune', '--before', cut, '--to', folder)
const files = async (): Promise<string[]> => (await readdir(folder)).map(name => join(folder, name))

let cut: string
/** Events of several connections, sealed. */
async function write(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => append(database.sql, `subject-${n}`)))
  await sealAuditLog(database.sql, { waitMs: 30_000, batchEvents: 20 })
  const [row] = await database.sql<{ now: string }[]>`
    select to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`
  cut = row!.now
}

/** Runs it until `reached`, with what `lock` takes withheld from it, and kills it there. */
async function killAt(lock: (sql: Sql) => PromiseLike<unknown>, reached: () => Promise<boolean>): Promise<void> {
  await holder`begin`
  await lock(holder)
  const script = startScript('audit-log', database.url, ['prune', '--before', cut, '--to', folder])
  await until('the script to get there', reached)
  script.kill('SIGKILL')
  await script.exited
  await holder`rollback`
  await until('its connections to end', async () => {
    const [row] = await database.sql`
      select count(*) as left from pg_stat_activity
      where datname = current_database() and application_name like 'tributary-script %'`
    return row!.left === 0
  })
}

async function expectAllOnce(count: number): Promise<void> {
  const inFiles = (await Promise.all((await files()).map(file => Bun.file(file).text()))).join('')
  const held = await database.sql<{ subject: string }[]>`select subject from audit_event where action = 'tried'`
  const subjects = [...(inFiles.match(/subject-\d+/g) ?? []), ...held.map(row => row.subject)]
  expect(subjects.sort()).toEqual(Array.from({ length: count }, (_, n) => `subject-${n}`).sort())
  expect(held).toHaveLength(0)
}

test('prune moves old entries into a file and reports it, and verify checks that file', async () => {
  await write(60)
  const pruned = await prune()
  expect(pruned).toMatchObject({ code: 0, err: '' })
  expect(pruned.out).toMatch(/^audit-.*\.ndjson: 60 events .*\n$/)
  await expectAllOnce(60)
  const [file] = await files()
  const name = pruned.out.split(':')[0]!
  const alone = await audit('verify')
  expect(alone).toMatchObject({ code: 0 })
  expect(alone.out).toContain(': 1 event, 1 not ')
  expect(alone.out).toContain(`Pruned into ${name}: not checked`)
  expect((await audit('verify', '--with', file!)).out).toContain(`Pruned into ${name}: checked.`)
  // As a shell passes several.
  expect((await audit('verify', '--with', file!, join(folder, 'none'))).err).toContain('none ')
  expect(await prune()).toMatchObject({ code: 0, out: expect.not.stringContaining('.ndjson') })
  const text = await Bun.file(file!).text()
  await Bun.write(file!, text.replace('subject-7', 'subject-8'))
  const broken = await audit('verify', '--with', file!)
  expect(broken.code).toBe(1)
  expect(broken.err).toMatch(/ {2}audit-\S+: segment \d+ .*\[altered\]/)
})

test('prune killed between writing and removing has removed nothing, its file is not taken for a pruned one, and a second run completes', async () => {
  await write(60)
  await killAt(
    // The events go with it, in the same transaction.
    sql => sql`select from audit_seal order by segment desc limit 1 for update`,
    async () => {
      const [row] = await database.sql`
        select count(*) as waiting from pg_stat_activity
        where datname = current_database() and application_name like 'tributary-script %' and wait_event_type = 'Lock'`
      return row!.waiting === 1
    },
  )
  const [left, ...more] = await files()
  expect(more).toEqual([])
  expect((await audit('verify')).out).toContain(': 60 events.')
  // Its segments are those of the database, but none is recorded as pruned into it.
  const unknown = await audit('verify', '--with', left!)
  expect([unknown.code, unknown.out.includes('Pruned into')]).toEqual([0, false])
  expect((await prune()).out).toContain(': 60 events ')
  const [made] = (await files()).filter(file => file !== left)
  expect(await Bun.file(made!).text()).toBe(await Bun.file(left!).text())
  await Bun.file(left!).delete()
  await expectAllOnce(60)
  expect((await audit('verify', '--with', made!)).out).toContain(': 1 event, 1 not ')
})

test('prune reports wrong arguments before it does anything', async () => {
  for (const [args, said] of [
    [['--before', '400'], '--to'],
    [['--to', folder], '--before'],
    [['--before', 'soon', '--to', folder], '--before'],
    [['--before', '9000-01-01', '--to', folder], '--before'],
  ] as const) {
    const { code, err } = await audit('prune', ...args)
    expect(code).toBe(2)
    expect(err).toContain(said)
  }
  expect(await audit('prune', '--before', '400', '--to', folder)).toMatchObject({ code: 0, err: '' })
  expect(await files()).toEqual([])
})
