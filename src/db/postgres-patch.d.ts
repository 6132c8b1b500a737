// Declares what our patch (patches/README.md) adds to postgres.js. `openDatabase` verifies that the patch is applied.

import 'postgres'

declare module 'postgres' {
  /** The patch's name; absent if the driver is not patched. */
  const patch: string | undefined

  interface Options<T extends Record<string, PostgresType>> {
    /** Seconds that the server may say nothing while it owes an answer; the connection is then destroyed. 0 for no limit. */
    silence_timeout?: number
    /** Seconds that a statement may wait for a connection; it is then rejected. 0 for no limit. */
    queue_timeout?: number
    /** Called with the milliseconds that a statement waited for a connection. */
    onwait?: (ms: number) => void
  }

  /** Of a pool, as they were given to it; `Options` says what they are. */
  interface ParsedOptions<T extends Record<string, unknown>> {
    queue_timeout?: number
    onwait?: (ms: number) => void
  }

  interface Sql<TTypes extends Record<string, unknown>> {
    /** How many connections are in use (being made, too) and idle, and how many statements wait for one. */
    pool(): { used: number; idle: number; waiting: number }
  }

  interface PendingQuery<TRow extends readonly MaybeRow[]> {
    /** The driver's own, which its types leave out: a statement that is not prepared is planned for its parameters each time. */
    options: { prepare?: boolean }
    /**
     * Set before the statement is awaited: gets each row as a DataRow message that begins at `at`, its columns in binary, instead
     * of a row being made of it. The bytes are the connection's own and good for the time of the call. What it throws is what the
     * statement rejects with, once the driver has given up its connection: rows were lost on it.
     */
    onRow?: (bytes: Buffer, at: number) => void
    /** Asks for more rows of the cursor; for all the rest when it is Infinity, which saves a round trip at the end. Void without one. */
    more(rows: number): void
    /** Asks for the end of the cursor. Rows requested before still come. Void without one. */
    close(): void
  }
}
