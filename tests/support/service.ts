// The whole HTTP application for tests, listening on a free port of loopback, with its log caught.

import { createApp } from '../../src/app.ts'
import { createLog } from '../../src/base/log.ts'
import type { Config } from '../../src/config/all-settings.ts'
import type { Environment } from '../../src/config/load-config.ts'
import { shownSettings } from '../../src/config/shown-settings.ts'
import type { FileStore } from '../../src/core/files/file-store.ts'
import { openFileStore } from '../../src/core/files/open-file-store.ts'
import type { CountingRedis } from '../../src/core/queue/counting-redis.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { isDistributed } from '../../src/db/distribution.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import type { Foundation } from '../../src/web/http/server/deps.ts'
import { Metrics } from '../../src/web/http/server/metrics.ts'
import { bySentPath } from '../../src/web/http/server/sent-path.ts'
import { testConfig, unlimited } from './config.ts'
import { leastPrivileged, type TestDatabase } from './database.ts'

export interface TestService {
  /** `http://127.0.0.1:<port>` */
  baseUrl: string
  port: number
  config: Config
  foundation: Foundation
  /** The folder of its uploaded files. */
  fileStore: FileStore | undefined
  /** Number of requests that wait for changes. */
  watch: { readonly waiting: number }
  /** Every route. */
  routes(): Promise<{ method: string; path: string }[]>
  /** Every log line so far, parsed. */
  logLines: Record<string, unknown>[]
  /** The same lines as written, to search for text that must not be in them. */
  logText(): string
  /** The log line of a request, by its `X-Request-Id`. */
  requestLine(requestId: string | null): Record<string, unknown> | undefined
  /** Fetches a path of this service. Never follows a redirect. Throws if a key reaches its usual limits: tests of limits set their own. */
  get(path: string, init?: RequestInit): Promise<Response>
  /** Ends the service with its open connections; the database remains. */
  stop(): Promise<void>
}

export interface TestServiceOptions {
  /** The clock; the real one by default. */
  now?: () => Micros
  /** Terminates TLS in the service (PEM texts); `baseUrl` is then https. */
  tls?: { cert: string; key: string }
  /** Used instead of the database's own pool, for counting statements. */
  db?: Sql
  /** The same for the pools of exports and intake. */
  exportDb?: Sql
  intakeDb?: Sql
  /** The server that pages are read from in preference to the primary. */
  readDb?: Sql
  /** The same for the pool of the console. */
  consoleDb?: Sql
  /** The settings that the console shows as set. */
  environment?: Environment
  /** The Redis in which several services count keys together; the caller closes it. */
  countingRedis?: CountingRedis
}

const limits = Object.keys(unlimited)

/**
 * Starts `createApp` on a real socket. The configuration is `testConfig()`: development, with the usual limits, unless a test sets `unlimited`. Its
 * pools have the rights in src/db/roles.sql, the console's those of the console; exports and intake have `config.exportConnections` and
 * `config.intakeConnections` connections.
 */
export async function startTestService(
  database: TestDatabase,
  overrides: Partial<Config> = {},
  options: TestServiceOptions = {},
): Promise<TestService> {
  const tls = options.tls === undefined ? {} : { tlsCert: 'given as text', tlsKey: 'given as text' }
  const config = testConfig({ databaseUrl: database.url, logLevel: 'debug', ...tls, ...overrides })
  const logLines: Record<string, unknown>[] = []
  const texts: string[] = []
  const log = createLog(config.logLevel, {
    write: line => {
      texts.push(line)
      logLines.push(JSON.parse(line))
    },
  })
  const { databasePrepare: prepare, statementTimeoutMs } = config
  const opened: Sql[] = []
  const openPool = (
    applicationName: string,
    connectionsMax: number,
    login: 'test_service' | 'test_console' = 'test_service',
  ): Sql => {
    const url = leastPrivileged(database, login)
    const pool = openDatabase({ url, connectionsMax, prepare, statementTimeoutMs, applicationName })
    opened.push(pool)
    return pool
  }
  const exportDb = options.exportDb ?? openPool('test-export', config.exportConnections)
  const intakeDb = options.intakeDb ?? options.db ?? openPool('test-intake', config.intakeConnections)
  const db = options.db ?? openPool('test', 20)
  const foundation: Foundation = {
    config,
    settings: shownSettings(options.environment ?? {}),
    log,
    db,
    exportDb,
    readDb: options.readDb,
    // Read from the tests' database, which also exists if a given pool leads nowhere.
    isDistributed: await isDistributed(database.sql),
    intakeDb,
    consoleDb: options.consoleDb ?? options.db ?? openPool('test-console', 10, 'test_console'),
    metrics: new Metrics(),
    countingRedis: options.countingRedis,
    now: options.now ?? (() => Math.floor((performance.timeOrigin + performance.now()) * 1000)),
  }
  const app = createApp(foundation)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    ...bySentPath<Bun.Server<undefined>>(app.fetch),
  })
  const port = server.port!
  const baseUrl = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`
  return {
    baseUrl,
    port,
    config,
    foundation,
    fileStore: openFileStore(config),
    watch: app.watch,
    routes: app.routes,
    logLines,
    logText: () => texts.join(''),
    requestLine: requestId => logLines.find(line => line.msg === 'request' && line.request_id === requestId),
    get: async (path, init) => {
      const response = await fetch(`${baseUrl}${path}`, { redirect: 'manual', ...init })
      if (response.status === 429 && path.startsWith('/api/') && !limits.some(limit => limit in overrides))
        throw new Error(
          `This test asks more than a key may (${config.requestsPerMinute} requests a minute, ${config.exportsAtATime} exports at once). Start its service as \`unlimited\`.`,
        )
      return response
    },
    stop: async () => {
      await server.stop(true)
      await Promise.all(opened.map(pool => pool.end({ timeout: 1 })))
    },
  }
}
