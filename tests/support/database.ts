// A real PostgreSQL for tests: one server a run, one template that is migrated once, one clone for each test file.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../scripts/processes/embedded-postgres.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { distributeApplications, grantRoles } from '../../src/db/distribution.ts'
import { changeUnusedTimeZone, prepareDatabase } from '../../src/db/instance.ts'
import { type CitusCluster, citusInstallation, startCitusCluster } from './citus.ts'
import { makeServerFolder } from './server-folder.ts'

let server: Promise<EmbeddedPostgres> | undefined
/** The URL of the server's own database, which no test uses. */
let superuser: Sql | undefined
let cluster: Promise<CitusCluster> | undefined
let template: Promise<string> | undefined
let clones = 0

/** The server of this test run, started at its first use. */
export function testServer(): Promise<EmbeddedPostgres> {
  server ??= (async () => {
    const directory = await makeServerFolder()
    const dataDirectory = join(directory, 'pg')
    const started = await startEmbeddedPostgres({ dataDirectory, unsafeFast: true, removeWhenKilled: directory })
    return {
      ...started,
      stop: async () => {
        await started.stop()
        await rm(started.dataDirectory, { recursive: true, force: true })
        await rm(directory, { recursive: true, force: true })
      },
    }
  })()
  return server
}

export async function stopTestServer(): Promise<void> {
  await (await cluster)?.stop()
  cluster = undefined
  if (server === undefined) return
  await superuser?.end()
  superuser = undefined
  const running = await server
  server = undefined
  await running.stop()
}

export interface TestDatabase {
  url: string
  /** The URL for the owner of the schema. */
  sql: Sql
  /** Whether `test_service` and `test_console`, which have exactly the rights in src/db/roles.sql, may log in. */
  hasLogins?: boolean
  /** Closes the pool and drops the database, even if it still has connections. */
  drop(): Promise<void>
}

/** An empty, migrated database, in the instance time zone UTC by default. */
export async function createTestDatabase(
  options: { timeZone?: string; connectionsMax?: number } = {},
): Promise<TestDatabase> {
  const installation = citusInstallation()
  if (installation !== undefined) return createClusterDatabase(installation, options)
  const { url } = await testServer()
  template ??= makeTemplate(url)
  const name = `test_${process.pid}_${++clones}`
  const templateName = await template
  const admin = asSuperuser(url)
  await admin`create database ${admin(name)} template ${admin(templateName)} strategy file_copy`
  const cloneUrl = withDatabase(url, name)
  const sql = openDatabase({ url: cloneUrl, connectionsMax: options.connectionsMax ?? 20, applicationName: 'test' })
  if (options.timeZone !== undefined) await changeUnusedTimeZone(sql, options.timeZone)
  return {
    url: cloneUrl,
    sql,
    hasLogins: true,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await admin`drop database if exists ${admin(name)} with (force)`
    },
  }
}

/** The cluster of this test run, with this PostgreSQL, started at its first use. */
export function testCluster(installation: string): Promise<CitusCluster> {
  cluster ??= startCitusCluster(installation)
  return cluster
}

/** Like `createTestDatabase`, on the coordinator of the cluster; distributed by default. */
export async function createClusterDatabase(
  installation: string,
  options: { timeZone?: string; connectionsMax?: number; undistributed?: boolean } = {},
): Promise<TestDatabase> {
  const nodes = await testCluster(installation)
  const name = `test_${process.pid}_${++clones}`
  await nodes.createDatabase(name)
  const url = withDatabase(nodes.coordinator.url, name)
  // A separate connection: settings of the database take effect for connections opened afterwards.
  const preparing = openDatabase({ url, connectionsMax: 1 })
  await prepareDatabase(preparing, options.timeZone ?? 'UTC')
  if (options.undistributed !== true) await distributeApplications(preparing, 4)
  await preparing.end()
  const sql = openDatabase({ url, connectionsMax: options.connectionsMax ?? 20, applicationName: 'test' })
  return {
    url,
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await nodes.dropDatabase(name)
    },
  }
}

/** An empty database with no schema at all. */
export async function createBareDatabase(): Promise<TestDatabase> {
  const { url } = await testServer()
  const name = `bare_${process.pid}_${++clones}`
  const admin = asSuperuser(url)
  await admin`create database ${admin(name)}`
  const sql = openDatabase({ url: withDatabase(url, name), connectionsMax: 10, applicationName: 'test' })
  return {
    url: withDatabase(url, name),
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await admin`drop database if exists ${admin(name)} with (force)`
    },
  }
}

async function makeTemplate(url: string): Promise<string> {
  const name = 'tributary_template'
  const admin = asSuperuser(url)
  await admin`create database ${admin(name)}`
  const sql = openDatabase({ url: withDatabase(url, name), connectionsMax: 2 })
  await prepareDatabase(sql, 'UTC')
  await grantRoles(sql)
  await sql`create role test_service login in role tributary_service`
  await sql`create role test_console login in role tributary_console`
  await sql.end()
  return name
}

/** The URL of a database for a login with few rights; unchanged if there is none, or if it already contains another login. */
export function leastPrivileged(
  { url, hasLogins }: Pick<TestDatabase, 'url' | 'hasLogins'>,
  login: 'test_service' | 'test_console',
): string {
  const changed = new URL(url)
  if (hasLogins !== true || changed.username !== 'tributary') return url
  changed.username = login
  return changed.toString()
}

function asSuperuser(url: string): Sql {
  superuser ??= openDatabase({ url, connectionsMax: 4 })
  return superuser
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.toString()
}
