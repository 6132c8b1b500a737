// Opens PostgreSQL and fixes, once, how its types appear in the code. It holds no statement and decides nothing.
// Instants are whole microseconds (numbers), int8 is a number asserted safe, date and numeric stay text.

import postgres from 'postgres'
import { formatMicros, type Micros, parsePostgresInstant } from '../domain/offset-time.ts'

/** A pool of connections, or one transaction of it. What every function of `db` takes first. */
export type Sql = postgres.Sql<{ timestamptz: Micros; int8: number }>
export type Transaction = postgres.TransactionSql<{ timestamptz: Micros; int8: number }>
export type Db = Sql | Transaction

export interface DatabaseOptions {
  url: string
  /** Connections of this pool at most. */
  connectionsMax: number
  /** Milliseconds one statement may run before PostgreSQL ends it; 0 for no limit. */
  statementTimeoutMs?: number
  /** Whether statements are prepared by name. Off behind a pooler in transaction mode. */
  prepare?: boolean
  applicationName?: string
}

/** A pool that connects on first use. Close it with `sql.end()`. */
export function openDatabase(options: DatabaseOptions): Sql {
  return postgres(options.url, {
    max: options.connectionsMax,
    prepare: options.prepare ?? true,
    idle_timeout: 0,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'tributary',
      TimeZone: 'UTC',
      DateStyle: 'ISO, YMD',
      statement_timeout: options.statementTimeoutMs ?? 0,
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

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`an int8 beyond 2^53 came from the database: ${text}`)
  return value
}

/** Whether the database answers within two seconds. */
export async function isReachable(sql: Sql): Promise<boolean> {
  const answered = sql`select 1`.then(
    () => true,
    () => false,
  )
  return Promise.race([answered, Bun.sleep(2000).then(() => false)])
}
