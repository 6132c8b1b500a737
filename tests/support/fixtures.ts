// What a test file needs, opened in one line and ended with the file, last opened first:
// `const { database, client } = await useExport({ applications: 5 })`, at the top level of a test file.

import { afterAll } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config/all-settings.ts'
import type { Sql } from '../../src/db/client.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { createBareDatabase, createTestDatabase, type TestDatabase } from './database.ts'
import { ExportClient } from './export-client.ts'
import { FrontDoor } from './front-door.ts'
import { createTestKey, type TestKey, type TestKeyOptions } from './keys.ts'
import type { QuestionSpec } from './programs.ts'
import { type StoreName, startTestQueue, type TestQueue } from './queue.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from './raw-applications.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

let open: (() => Promise<unknown>)[] = []

/** `end` runs when the file's tests have run, before what was opened earlier is ended. Bun itself would run them the other way round. */
export function endWithFile(end: () => Promise<unknown>): void {
  if (open.length === 0) afterAll(endAll)
  open.unshift(end)
}

async function endAll(): Promise<void> {
  const ends = open
  open = []
  for (const end of ends) await end()
}

/** An empty, migrated database. */
export async function useDatabase(options?: Parameters<typeof createTestDatabase>[0]): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  endWithFile(() => database.drop())
  return database
}

/** A database with no schema at all. */
export async function useBareDatabase(): Promise<TestDatabase> {
  const database = await createBareDatabase()
  endWithFile(() => database.drop())
  return database
}

/** An empty folder; the account that runs PostgreSQL for root can reach it. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-folder-'))
  await chmod(folder, 0o755)
  endWithFile(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The HTTP service on a database that is open already. */
export async function useService(
  database: TestDatabase,
  config?: Partial<Config>,
  options?: TestServiceOptions,
): Promise<TestService> {
  const service = await startTestService(database, config, options)
  endWithFile(() => service.stop())
  return service
}

export interface ExportFixtureOptions {
  /** Of the one program, which asks one TEXT question; `raw` unless given. */
  slug?: string
  /** How many it has, with the answers of `textOf`, submitted at `timeOf`. None unless given. */
  applications?: number
  textOf?: (i: number) => string
  timeOf?: (i: number) => Micros
  /** Of the instance and of the service. */
  timeZone?: string
  config?: Partial<Config>
  service?: TestServiceOptions
  key?: TestKeyOptions
}

export interface ExportFixture {
  database: TestDatabase
  sql: Sql
  slug: string
  program: RawProgram
  /** Of the applications, in the order of an export. */
  ids: number[]
  service: TestService
  key: TestKey
  client: ExportClient
}

/** A service, one program with applications, and a client that may export them. For programs of more than one question: `useService` and `aProgram`. */
export async function useExport(options: ExportFixtureOptions = {}): Promise<ExportFixture> {
  const { slug = 'raw', timeZone, applications = 0 } = options
  const database = await useDatabase({ timeZone })
  const { sql } = database
  const program = await insertRawProgram(sql, slug)
  const ids =
    applications === 0 ? [] : await insertRawApplications(sql, program, applications, options.textOf, options.timeOf)
  const config = { ...(timeZone === undefined ? {} : { timeZone }), ...options.config }
  const service = await useService(database, config, options.service)
  const key = await createTestKey(sql, { programs: [slug], ...options.key })
  return { database, sql, slug, program, ids, service, key, client: new ExportClient(service, key, slug) }
}

/** A service with the program `housing-aid`, which asks these questions, and short ways to send its intake anything at all. */
export async function useIntake(questions: readonly QuestionSpec[], config?: Partial<Config>): Promise<FrontDoor> {
  const door = await FrontDoor.open(questions, config)
  endWithFile(() => door.close())
  return door
}

/** A queue on this store; on Redis only where `needs('redis')` says that there is one. */
export async function useQueue(store: StoreName): Promise<TestQueue> {
  const queue = await startTestQueue(store)
  endWithFile(() => queue.stop())
  return queue
}
