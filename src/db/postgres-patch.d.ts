// Declares what our patch (patches/README.md) adds to postgres.js. `openDatabase` verifies that the patch is applied.

import 'postgres'

declare module 'postgres' {
  /** The patch's name; absent if the driver is not patched. */
  const patch: string | undefined

  interface Options<T extends Record<string, PostgresType>> {
    /** Seconds that the server may send nothing while a response is due; the connection is then destroyed. 0 for no limit. */
    silence_timeout?: number
    /** Seconds that a statement may wait for a connection before it is rejected. 0 for no limit. */
    queue_timeout?: number
    /** Called with the milliseconds that a statement waited for a connection. */
    onwait?: (ms: number) => void
  }

  /** The options given to the pool, described in `Options`. */
  interface ParsedOptions<T extends Record<string, unknown>> {
    queue_timeout?: number
    onwait?: (ms: number) => void
  }

  interface Sql<TTypes extends Record<string, unknown>> {
    /** Number of connections in use (including those being established) and idle, and of statements waiting for one. */
    pool(): { used: number; idle: number; waiting: number }
  }

  interface PendingQuery<TRow extends readonly MaybeRow[]> {
    /** A driver option that its types omit: an unprepared statement is planned for its parameters each time. */
    options: { prepare?: boolean }
    /**
     * Set before the statement is awaited: receives each row as a DataRow message starting at `at`, with binary columns, instead of a row object. The
     * bytes belong to the connection and are only valid during the call. If it throws, the statement rejects with that error after the driver has
     * dropped its connection, because rows were lost on it.
     */
    onRow?: (bytes: Buffer, at: number) => void
    /** Requests more rows from the cursor, or all the rest with Infinity, which saves a round trip at the end. No effect without a cursor. */
    more(rows: number): void
    /** Closes the cursor. Rows requested before still arrive. No effect without a cursor. */
    close(): void
  }
}
