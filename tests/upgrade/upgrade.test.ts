// From each release on: its database, restored and brought to the present, with everything that its clients and people held.
// `UPDATE_DUMP=1 scripts/bun test tests/upgrade` makes the dumps of the release that is checked out again (CONTRIBUTING.md).

import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sealAuditLog } from '../../src/core/audit/seal-audit.ts'
import { verifyAuditLog } from '../../src/core/audit/verify-audit.ts'
import { deriveSecret, secretText } from '../../src/core/webhooks/signatures.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import { migrate } from '../../src/db/migrate.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import { runScript } from '../scripts/run-script.ts'
import { ConsoleVisitor, testPassword } from '../support/console.ts'
import { ApiProgram } from '../support/console-api.ts'
import type { TestDatabase } from '../support/database.ts'
import { useBareDatabase, useDatabase, useService } from '../support/fixtures.ts'
import { load } from '../support/load-input.ts'
import { aProgram, q } from '../support/programs.ts'
import { until } from '../support/until.ts'
import { goldenFolder } from './golden-folder.ts'
import {
  codeAt,
  type Installation,
  makeInstallations,
  settings,
  statusesOf,
  statusOfKey,
  submitOnce,
  timeZone,
  webhookKeys,
} from './installations.ts'
import { readAll } from './reads.ts'

if (process.env.UPDATE_DUMP) await makeInstallations()

const files = readdirSync(goldenFolder)
const names = files.filter(file => file.endsWith('.json')).map(file => file.replace(/\.json$/, ''))
// It has the roles of an installation made, which the dumps name.
const fresh = await useDatabase()

/** The database as it was, as `psql` would restore it. */
async function restore(name: string): Promise<TestDatabase> {
  const database = await useBareDatabase()
  const restoring = openDatabase({ url: database.url, connectionsMax: 1 })
  const dump = gunzipSync(await Bun.file(join(goldenFolder, `${name}.sql.gz`)).bytes()).toString()
  await restoring.unsafe(dump).simple()
  await restoring.end()
  return { ...database, hasLogins: true }
}

/** Brought to the present, as `scripts/migrate --roles` does it, with a service whose clock goes on ten minutes after the dump. */
async function upgrade(name: string) {
  const kept = (await Bun.file(join(goldenFolder, `${name}.json`)).json()) as Installation
  const database = await restore(name)
  await migrate(database.sql, allMigrations)
  await grantRoles(database.sql)
  const since = performance.now()
  const now = () => Math.floor(kept.at + 600_000_000 + (performance.now() - since) * 1000)
  const service = await useService(database, { ...settings, timeZone }, { now })
  const get = (path: string, headers: Record<string, string>) => service.get(path, { headers })
  const read = (item: Installation['reads'][number]) => readAll(get, item, kept.keys[item.key]!.authorization)
  return { kept, database, sql: database.sql, service, now, read }
}

/** Every event of the log, from before the upgrade too, is sealed by a round of a worker, and verifies. */
async function expectSealed({ sql, url }: TestDatabase): Promise<void> {
  // What the service writes behind an answer may still be under way.
  await until('every event to be sealed', async () => {
    await sealAuditLog(sql)
    return (await verifyAuditLog(sql)).unsealed === 0
  })
  const { code, out } = await runScript('audit-log', url, ['verify'])
  expect(code).toBe(0)
  expect(Number(/(\d+) events/.exec(out)?.[1])).toBeGreaterThan(10)
}

test('the dump of 1.0.0 exists', () => {
  expect(names).toEqual(expect.arrayContaining(['1.0.0-own', '1.0.0-followed']))
})

describe.each(names)('%s', name => {
  test('every read under way continues as in that release, with keys and audit log unchanged', async () => {
    const { kept, database, service, read } = await upgrade(name)
    for (const item of kept.reads) expect([item.name, await read(item)]).toMatchObject([item.name, item.answers])
    for (const [key, { authorization, status }] of Object.entries(kept.keys))
      expect([key, await statusOfKey(service, authorization)]).toEqual([key, status])
    await expectSealed(database)
  })

  test('its migrations and later ones result in the schema of a new installation', async () => {
    const { sql } = await upgrade(name)
    // A new installation has none of what earlier releases need, which goes here once a later release finishes its upgrade.
    for (const { kind, outsideStatements = [] } of allMigrations)
      if (kind === 'contract') for (const { text } of outsideStatements) await sql.unsafe(text).simple()
    expect(await schemaOf(sql)).toEqual(await schemaOf(fresh.sql))
  })
})

describe.each(names.filter(name => name.endsWith('-own')))('%s', name => {
  test('walks continue exactly while the next migration is applied, questions are published and people submit', async () => {
    const { kept, database, sql, service, read } = await upgrade(name)
    const { own, keys } = kept
    const walks = kept.reads.filter(read => /\/applications\?|\/odata\//.test(read.path))
    expect(walks.length).toBeGreaterThan(10)
    const additive = {
      name: '9999-adding.sql',
      text: `create table added (added text); alter table application add column added text;
        create index on application (added);`,
      sha256: 'of the test',
      kind: 'expand',
      oldestRelease: kept.release,
    } as const
    let applied: string[] | undefined
    const migrating = migrate(sql, [...allMigrations, additive]).then(names => {
      applied = names
    })
    for (let rounds = 0; applied === undefined || rounds < 2; rounds++)
      await Promise.all(
        walks.map(async walk => expect([walk.name, await read(walk)]).toMatchObject([walk.name, walk.answers])),
      )
    await migrating
    expect(applied).toEqual(['9999-adding.sql'])

    // The first submission of this release, and one that 1.0.0 took already and whose answer was lost.
    const { applicant, idempotencyKey, body } = own!.submitted
    const desk = keys.desk!.authorization
    expect(await submitOnce(service, desk, applicant, idempotencyKey)).toEqual(body)
    const { application_id } = await submitOnce(service, desk, own!.inProgress, crypto.randomUUID())
    expect(application_id).toBeGreaterThan(body.application_id as number)
    await aProgram(sql, { slug: own!.slug, questions: [q.text('own new question', { optional: true })] })
    for (const walk of walks) expect([walk.name, await read(walk)]).toMatchObject([walk.name, walk.answers])
    await expectSealed(database)
  })

  test('people sign in with their second factors and the same permissions, and sessions, tokens and webhook secrets stay valid', async () => {
    const { kept, sql, service, now } = await upgrade(name)
    const { people, cookie, token, webhookSecret } = kept.own!
    expect(Object.values(people).filter(({ second }) => second !== undefined)).toHaveLength(1)
    for (const [email, { second, pages }] of Object.entries(people)) {
      const visitor = new ConsoleVisitor(service)
      const code: Record<string, string> = second === undefined ? {} : { code: codeAt(second, now()) }
      const signedIn = await visitor.post('/admin/sign-in', { csrf: '', email, password: testPassword, ...code })
      expect([email, signedIn.status]).toEqual([email, 303])
      expect([email, await statusesOf(visitor)]).toEqual([email, pages])
      if (second !== undefined)
        await new ConsoleVisitor(service).refused(401, '/admin/sign-in', { csrf: '', email, password: testPassword })
    }
    const gone = { csrf: '', email: 'eve@example.gov', password: testPassword }
    await new ConsoleVisitor(service).refused(401, '/admin/sign-in', gone)
    expect((await service.get('/admin', { headers: { Cookie: cookie, Accept: 'text/html' } })).status).toBe(200)
    expect(await ApiProgram.withToken(service, token).ask('GET', '/programs')).toMatchObject({ status: 200 })
    const [row] = await sql<{ secret_name: string }[]>`select secret_name from webhook_endpoint`
    expect(secretText(deriveSecret(webhookKeys, row!.secret_name)!)).toBe(webhookSecret)
  })

  test('an interrupted bulk load continues where it stopped', async () => {
    const { kept, sql } = await upgrade(name)
    const { slug, text, stored } = kept.own!.load
    const lines = text.trim().split('\n').length
    const ids = () => sql`select application_id from application join program using (program_id) where slug = ${slug}`
    expect(await ids()).toHaveLength(stored)
    expect(await load(sql, text, { timeZone })).toMatchObject({ before: { stored }, applications: lines })
    expect(await ids()).toHaveLength(lines)
  })
})

/** What the catalog has of tables, functions and rights, a line each. */
async function schemaOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    with tables as (
      select oid, relname, relkind, reloptions, relacl from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'S')
    )
    select concat_ws(' ', relkind, relname, reloptions) as line from tables
    union all
    select concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
      attstorage, pg_get_expr(adbin, adrelid), (select collname from pg_collation c where c.oid = attcollation))
    from pg_attribute join tables t on attrelid = t.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid)) from pg_constraint c join tables t on conrelid = t.oid
    union all
    select pg_get_indexdef(indexrelid) from pg_index join tables t on indrelid = t.oid
    union all
    select pg_get_triggerdef(g.oid) from pg_trigger g join tables t on tgrelid = t.oid where not tgisinternal
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select concat_ws(' ', name, grantee::regrole, privilege_type)
    from (
      select relname as name, relacl as acl from tables
      union all select concat_ws('.', relname, attname), attacl from pg_attribute join tables t on attrelid = t.oid
      union all select oid::regprocedure::text, proacl from pg_proc where pronamespace = 'public'::regnamespace
    ) granted, aclexplode(acl)
    order by line`
  return rows.map(({ line }) => line)
}
