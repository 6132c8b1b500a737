// Rows as COPY takes them, and the sending of it.
//
// postgres.js hands out the writing side of a COPY, but not its end: when the server refuses what was sent, its stream never
// finishes and the error goes to the statement's promise, which has been resolved with the stream long since.
// So the statement's `reject` is taken over, and whatever is under way is raced against it.

import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'

type CopyValue = string | number | boolean | null

const special = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Rows in the text form of COPY. */
export class CopyRows {
  #rows: string[] = []
  #length = 0

  /** UTF-16 units gathered so far. */
  get length(): number {
    return this.#length
  }

  /** Adds a row: its values in the order of the statement's columns. Text is well-formed and without U+0000; instants are `copyTime`s. */
  add(values: readonly CopyValue[]): void {
    const row = `${values.map(copyText).join('\t')}\n`
    this.#rows.push(row)
    this.#length += row.length
  }

  /** The rows added since the last time. */
  take(): Buffer {
    const taken = Buffer.from(this.#rows.join(''))
    this.#rows = []
    this.#length = 0
    return taken
  }
}

function copyText(value: CopyValue): string {
  if (value === null) return '\\N'
  return typeof value === 'string' ? value.replace(special, found => escapes[found]!) : String(value)
}

export const copyTime = (time: Micros | null): string | null => (time === null ? null : formatMicros(time))

/** Larger ones are no faster, and a write is copied whole by postgres.js. */
const chunkBytes = 1024 * 1024

/**
 * Sends rows to `copy … from stdin`. Resolves when the server has taken them all, and rejects with the server's error, or the
 * connection's.
 */
export async function copyRows(statement: ReturnType<Db>, rows: CopyRows): Promise<void> {
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => {})
  Object.assign(statement, { reject: refused.reject })
  const orRefused = <T>(work: Promise<T>): Promise<T> => Promise.race([work, refused.promise])
  const bytes = rows.take()
  const stream = await orRefused(statement.writable())
  stream.on('error', refused.reject)
  // Not awaited one by one: the stream keeps what the socket does not take yet, and it is all in memory anyway.
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.write(bytes.subarray(at, at + chunkBytes))
  await orRefused(new Promise<void>(done => stream.once('finish', done).end()))
}
