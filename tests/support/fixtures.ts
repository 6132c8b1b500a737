// What a test file needs, opened in one line and ended with the file, last opened first:
// `const { database, client } = await useExport({ applications: 5 })`, at the top level of a test file.
// What only one test needs is opened in it, or in `beforeEach`, and ends with it: `useDatabase({}, endWithTest)`.

import { afterAll, onTestFinished } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config/all-settings.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { createBareDatabase, createTestDatabase, type TestDatabase } from './database.ts'
import { ExportClient } from './export-client.ts'
import { IntakeFixture } from './intake-fixture.ts'
import { createTestKey, type TestKey, type TestKeyOptions } from './keys.ts'
import { aProgram, type QuestionSpec } from './programs.ts'
import { insertRawApplications, insertRawProgram, type RawProgram } from './raw-applications.ts'
import { makeServerFolder } from './server-folder.ts'
import { startTestService, type TestService, type TestServiceOptions } from './service.ts'

type End = () => unknown
type EndWith = (end: End) => void

/**
 * Bun itself would run the hooks in the order in which they were registered. If a file fails before its end, the next file ends what it left behind.
 */
function lastOpenedFirst(atEnd: (endAll: () => Promise<void>) => void): EndWith {
  const ends: End[] = []
  let file: string | undefined
  return end => {
    if (ends.length === 0 || file !== Bun.main)
      atEnd(async () => {
        while (ends.length > 0) await ends.shift()!()
      })
    file = Bun.main
    ends.unshift(end)
  }
}

/**
 * `end` runs after the file's tests, in reverse order of opening. The first call in a file is at its top level: hooks that `beforeAll` registers
 * first run when it has ended.
 */
export const endWithFile = lastOpenedFirst(afterAll)

/** For tests that are skipped if something is missing: their resources are only opened if it exists. */
export const openedIf = async <T>(isThere: boolean, open: () => Promise<T>): Promise<T> =>
  isThere ? open() : (undefined as T)

/** The same for one test; called in it or in `beforeEach`. Runs after every `afterEach`. */
export const endWithTest = lastOpenedFirst(onTestFinished)

/** An empty, migrated database. */
export async function useDatabase(
  options?: Parameters<typeof createTestDatabase>[0],
  endWith = endWithFile,
): Promise<TestDatabase> {
  const database = await createTestDatabase(options)
  endWith(() => database.drop())
  return database
}

/** A database with no schema at all. */
export async function useBareDatabase(endWith = endWithFile): Promise<TestDatabase> {
  const database = await createBareDatabase()
  endWith(() => database.drop())
  return database
}

/** Separate connections to an existing database. */
export function usePool(options: Parameters<typeof openDatabase>[0], endWith = endWithFile): Sql {
  const sql = openDatabase(options)
  endWith(() => sql.end({ timeout: 1 }))
  return sql
}

/** An empty folder that the account that runs PostgreSQL for root can access. */
export async function useFolder(endWith = endWithFile): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-folder-'))
  await chmod(folder, 0o755)
  endWith(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** An empty folder for the data of PostgreSQL servers. */
export async function useServerFolder(endWith = endWithFile): Promise<string> {
  const folder = await makeServerFolder()
  endWith(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The HTTP service on a database that is already open. */
export async function useService(
  database: TestDatabase,
  config?: Partial<Config>,
  options?: TestServiceOptions,
  endWith = endWithFile,
): Promise<TestService> {
  const service = await startTestService(database, config, options)
  endWith(() => service.stop())
  return service
}

export interface ExportFixtureOptions {
  /** Slug of the only program, which asks TEXT questions; `raw` by default. */
  slug?: string
  /** By default it has three versions, each in a different order; this gives it one version with one question. */
  versions?: 'one'
  /** Number of applications, with the answers of `textOf`, submitted at `timeOf`; none by default. */
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
  /** IDs of the applications, in export order. */
  ids: number[]
  service: TestService
  key: TestKey
  client: ExportClient
}

/** A service, one program with applications, and a client that may export them. For programs with other questions: `useService` and `aProgram`. */
export async function useExport(options: ExportFixtureOptions = {}): Promise<ExportFixture> {
  const { slug = 'raw', timeZone, applications = 0 } = options
  const database = await useDatabase({ timeZone })
  const { sql } = database
  const program = await insertRawProgram(sql, slug, { versions: options.versions })
  const ids =
    applications === 0 ? [] : await insertRawApplications(sql, program, applications, options.textOf, options.timeOf)
  const config = { ...(timeZone === undefined ? {} : { timeZone }), ...options.config }
  const service = await useService(database, config, options.service)
  const key = await createTestKey(sql, { programs: [slug], ...options.key })
  return { database, sql, slug, program, ids, service, key, client: new ExportClient(service, key, slug) }
}

/** A service with the program `housing-aid`, which asks these questions, and shortcuts to send anything to its intake. */
export async function useIntake(questions: readonly QuestionSpec[], config?: Partial<Config>): Promise<IntakeFixture> {
  const database = await useDatabase()
  const program = await aProgram(database.sql, { slug: 'housing-aid', questions })
  const key = await createTestKey(database.sql, { mayExport: true, maySubmit: true, programs: ['housing-aid'] })
  return new IntakeFixture(database, await useService(database, config), program, key)
}
