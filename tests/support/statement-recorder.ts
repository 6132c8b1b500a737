// Stands between a pool and PostgreSQL and writes down every statement that is run, with its parameters, as it is on the wire.
// It must not change a byte, nor know what a statement is for; it leaves out only what the driver asks for itself on a new connection.

import type { Sql } from '../../src/db/client.ts'
import { endWithFile, usePool } from './fixtures.ts'
import { portOf, startProxy } from './proxy.ts'

export interface RecordedStatement {
  text: string
  /** The parameters' types as sent by the client; 0 if it left that to PostgreSQL. None for a simple query. */
  parameterTypes: readonly number[]
  /** As text. */
  parameters: readonly (string | null)[]
  /** Whether it was prepared under a name, to be run again. */
  isNamed?: boolean
  /** How often rows were requested: more than once if a cursor reads in batches. */
  fetches: number
}

export interface StatementRecorder {
  /** The database's URL, through the recorder. */
  url: string
  /** Everything run so far, in order of its start. */
  statements: readonly RecordedStatement[]
  /** Clears the record. */
  clear(): void
  stop(): Promise<void>
}

/** Records what is run in the database of `databaseUrl` over connections to the recorder's `url`. */
export async function startStatementRecorder(databaseUrl: string): Promise<StatementRecorder> {
  const statements: RecordedStatement[] = []
  const proxy = await startProxy(portOf(databaseUrl), ({ upstream }) => {
    const session = new RecordedSession(statements)
    return {
      fromClient: bytes => {
        session.take(bytes)
        upstream.write(bytes)
      },
    }
  })
  return {
    url: proxy.through(databaseUrl),
    statements,
    clear: () => {
      statements.length = 0
    },
    stop: proxy.stop,
  }
}

/** A recorder and connections through it, all until the file ends. */
export async function useRecorder(
  databaseUrl: string,
  connectionsMax = 2,
): Promise<{ recorder: StatementRecorder; recorded: Sql }> {
  const recorder = await startStatementRecorder(databaseUrl)
  endWithFile(() => recorder.stop())
  return { recorder, recorded: usePool({ url: recorder.url, connectionsMax }) }
}

/** Parses one client's messages (PostgreSQL's protocol, version 3, without TLS). */
class RecordedSession {
  #rest: Buffer = Buffer.alloc(0)
  #started = false
  readonly #prepared = new Map<string, Pick<RecordedStatement, 'text' | 'parameterTypes'>>()
  readonly #portals = new Map<string, RecordedStatement>()

  constructor(private readonly statements: RecordedStatement[]) {}

  take(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    for (;;) {
      // The very first message has no type.
      const head = this.#started ? 1 : 0
      if (bytes.length < head + 4) break
      const end = head + bytes.readInt32BE(head)
      if (bytes.length < end) break
      if (this.#started) this.#message(String.fromCharCode(bytes[0]!), new Reader(bytes.subarray(5, end)))
      this.#started = true
      bytes = bytes.subarray(end)
    }
    this.#rest = bytes
  }

  #message(kind: string, body: Reader): void {
    if (kind === 'Q') {
      this.statements.push({ text: body.text(), parameterTypes: [], parameters: [], fetches: 1 })
    } else if (kind === 'P') {
      const [name, text] = [body.text(), body.text()]
      this.#prepared.set(name, { text, parameterTypes: body.list(() => body.int32()) })
    } else if (kind === 'B') {
      const [portal, name] = [body.text(), body.text()]
      if (body.list(() => body.int16()).some(format => format !== 0)) throw new Error('a parameter is not sent as text')
      const statement = this.#prepared.get(name)
      if (statement === undefined) throw new Error(`a statement that was not prepared is bound: "${name}"`)
      this.#portals.set(portal, {
        ...statement,
        isNamed: name !== '',
        parameters: body.list(() => body.value()),
        fetches: 0,
      })
    } else if (kind === 'E') {
      const statement = this.#portals.get(body.text())
      if (statement === undefined) throw new Error('a portal that was not bound is executed')
      if (statement.fetches++ === 0 && !isOfTheDriver(statement)) this.statements.push(statement)
    }
  }
}

/** The driver requests the types of arrays on the first connection of a pool, at some point. */
const isOfTheDriver = ({ text }: RecordedStatement): boolean =>
  /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type a/.test(text)

/** Reads the parts of a message one after another. */
class Reader {
  #at = 0
  constructor(private readonly bytes: Buffer) {}

  text(): string {
    const end = this.bytes.indexOf(0, this.#at)
    const text = this.bytes.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  int16(): number {
    this.#at += 2
    return this.bytes.readInt16BE(this.#at - 2)
  }

  int32(): number {
    this.#at += 4
    return this.bytes.readInt32BE(this.#at - 4)
  }

  value(): string | null {
    const length = this.int32()
    if (length === -1) return null
    this.#at += length
    return this.bytes.toString('utf8', this.#at - length, this.#at)
  }

  list<T>(item: () => T): T[] {
    return Array.from({ length: this.int16() }, item)
  }
}
