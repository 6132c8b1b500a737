// Opens PostgreSQL and defines how its types appear in the code. It contains no statements and no decisions. Instants are whole
// microseconds (numbers), int8 is a number that is checked to be safe, and date and numeric stay text.
//
// postgres.js is patched; patches/README.md explains why. postgres-patch.d.ts declares what the patch adds.

import postgres from 'postgres'
import { hasWaited, isLostConnection } from '../base/passing-errors.ts'
import { connectionName } from '../base/release.ts'
import { formatMicros, type Micros, parsePostgresInstant } from '../domain/values/offset-time.ts'

/** A pool of connections, or a transaction on one of them. The first parameter of every function in `db`. */
export type Sql = postgres.Sql<{ timestamptz: Micros; int8: number }>
export type Transaction = postgres.TransactionSql<{ timestamptz: Micros; int8: number }>
export type Db = Sql | Transaction | DatabaseSession
/** One connection of a pool, for anything that depends on the session. */
export type DatabaseSession = postgres.ReservedSql<{ timestamptz: Micros; int8: number }>

type Statement = [text: TemplateStringsArray, ...values: readonly postgres.ParameterOrFragment<number>[]]

/** The row of a statement that returns at most one: findRow<Program>(db)`select …`. */
export const findRow =
  <Row extends object>(db: Db) =>
  async (...statement: Statement): Promise<Row | undefined> => {
    const [row] = await db<Row[]>(...statement)
    return row
  }

/** The only column of a statement that always returns one row. */
export const readValue =
  <Value>(db: Db) =>
  async (...statement: Statement): Promise<Value> => {
    const [row] = await db<[Record<string, Value>]>(...statement)
    return Object.values(row)[0]!
  }

/** The only column of a statement that returns at most one row. */
export const findValue =
  <Value>(db: Db) =>
  async (...statement: Statement): Promise<Value | undefined> => {
    const row = await findRow<Record<string, Value>>(db)(...statement)
    return row && Object.values(row)[0]
  }

interface DatabaseOptions {
  url: string
  /** Maximum number of connections in this pool. */
  connectionsMax: number
  /** Statement timeout in milliseconds; 0 for no limit. */
  statementTimeoutMs?: number
  /**
   * How long the database may send nothing while a response is due, also in the middle of a batch. The connection is then dropped, and its statements
   * fail as if it was lost. Longer than the statement timeout. 0 for no limit.
   */
  silenceTimeoutMs?: number
  /** How long a statement may wait for a connection before it fails as with a lost one. 0 for no limit. */
  queueTimeoutMs?: number
  /** Called for each statement and transaction with the time it waited for a connection. */
  onWait?: (ms: number) => void
  /** Whether statements are prepared by name. Not possible behind a pooler in transaction mode. */
  prepare?: boolean
  /** The name of its connections in PostgreSQL; the release is appended. */
  applicationName?: string
  /** Whether every transaction is read-only, for databases that belong to others. */
  readOnly?: boolean
}

/** Maximum time to establish a connection. */
const connectTimeoutMs = 10_000

/** Idle time after which the operating system checks that the other end is still there. */
const keepAliveSeconds = 15

/** The name of the patch in `patches/`. It changes with the patch, so that code and driver always match. */
const patch = 'tributary-6'

/**
 * A pool that connects on first use. Close it with `sql.end()`. Throws if the driver is not patched: with an unpatched driver, an export would find
 * no rows and look complete.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  if (postgres.patch !== patch)
    throw new Error(`The installed postgres driver is not the one this release needs (${patch}). Run: bun install`)
  return postgres(options.url, {
    max: options.connectionsMax,
    prepare: options.prepare ?? true,
    idle_timeout: 0,
    connect_timeout: Math.min(connectTimeoutMs, options.silenceTimeoutMs || connectTimeoutMs) / 1000,
    silence_timeout: (options.silenceTimeoutMs ?? 0) / 1000,
    queue_timeout: (options.queueTimeoutMs ?? 0) / 1000,
    // Detects a vanished peer while no response is due. Bun offers no user timeout; `silence_timeout` is ours.
    keep_alive: keepAliveSeconds,
    backoff: reconnectPauseSeconds,
    ...(options.onWait === undefined ? {} : { onwait: options.onWait }),
    onnotice: () => {},
    connection: {
      application_name: connectionName(options.applicationName ?? 'tributary'),
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: options.statementTimeoutMs ?? 0,
      ...(options.readOnly === true ? { default_transaction_read_only: true } : {}),
    },
    types: {
      timestamptz: {
        from: [1184],
        to: 1184,
        parse: parsePostgresInstant,
        serialize: (value: Micros | string): string => (typeof value === 'number' ? formatMicros(value) : value),
      },
      int8: {
        from: [20],
        to: 20,
        parse: safeInteger,
        serialize: (value: number | bigint): string => String(value),
      },
      date: {
        from: [1082],
        to: 1082,
        parse: (text: string): string => text,
        serialize: (text: string): string => text,
      },
    },
  }) as unknown as Sql
}

/**
 * The pause before reconnecting. The driver's own grows to 20 seconds with every connection that a database restart ends, so a pool of ten would
 * remain unusable long after the database is back.
 */
function reconnectPauseSeconds(retries: number): number {
  return Math.min(0.25, 0.01 * 2 ** Math.min(retries, 5)) * (0.5 + Math.random() / 2)
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`an int8 beyond 2^53 came from the database: ${text}`)
  return value
}

/** A long list of whole numbers as a parameter for `bigint[]`. The driver would quote and escape each, at a tenth of what a bulk load costs. */
export const bigints = (numbers: readonly (number | null)[]): string => `{${numbers.map(n => n ?? 'NULL').join(',')}}`

/** Whether the database responds within two seconds. */
export async function isReachable(sql: Sql): Promise<boolean> {
  const answered = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([answered, Bun.sleep(2000).then(() => false)])
}

/** Whether the database is reached through a pooler, which gives each client a process ID of its own. */
export async function isPooled(sql: Sql): Promise<boolean> {
  const rows = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return rows.state.pid !== rows[0]!.pid
}

/** The database's clock. */
export async function readNow(db: Db): Promise<Micros> {
  const [row] = await db<{ now: Micros }[]>`select clock_timestamp() as now`
  return row!.now
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return (await sql.begin(work)) as T
}

/** Runs `work` with a dedicated connection, which returns to the pool afterwards. */
export async function inSession<T>(sql: Sql, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  const session = await sql.reserve()
  try {
    return await work(session)
  } finally {
    session.release()
  }
}

/** Like `inTransaction`, on the connection of a session. */
export async function inTransactionOf<T>(session: DatabaseSession, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await session`begin`
  try {
    const result = await work(session as unknown as Transaction)
    const { command } = await session`commit`
    // After a failed statement, a commit rolls back without an error.
    if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed')
    return result
  } catch (error) {
    await session`rollback`.catch(() => {})
    throw error
  }
}

/** Runs reads in one snapshot of the database. */
export async function inSnapshot<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return (await sql.begin('isolation level repeatable read read only', work)) as T
}

/**
 * Runs a read, and retries it a few times within half a second if its connection was lost: after a database restart, each pooled connection only
 * detects that with its next statement. Only for reads, which may be repeated.
 */
export async function readThroughLoss<T>(read: () => Promise<T>): Promise<T> {
  for (const pauseMs of [10, 90, 400]) {
    try {
      return await read()
    } catch (error) {
      if (!isLostConnection(error) || hasWaited(error)) throw error
      await Bun.sleep(pauseMs)
    }
  }
  return read()
}
