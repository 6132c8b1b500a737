// The structured log: one JSON line per request or event, on standard output, with secrets removed.

import { writeSync } from 'node:fs'
import pino from 'pino'
import { errorFacts } from './error-facts.ts'
import { redactSecrets } from './redact.ts'

/** Names under which a secret could reach a log line. Their values are replaced at any depth. */
const secretNames = new Set(['authorization', 'password', 'secret', 'token', 'headers'])
const depthMax = 5
const service = 'tributary'

export type Log = pino.Logger

/** `destination` is for tests; the default is standard output. */
export function createLog(level: string, destination: pino.DestinationStream = new StandardOutput()): Log {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Pino's own `redact` is not used: for names at any depth it takes longer than the rest of a small request.
      formatters: { level: label => ({ level: label }), log: fields => withoutSecrets(fields, 0) },
      serializers: { err: errorFacts },
      // Anything a line can contain, including what a client put into an address or a library into a message.
      hooks: { streamWrite: redactSecrets },
    },
    destination,
  )
}

/** The value itself, or a copy in which the values of secret names are replaced. Errors are left to their serializer. */
function withoutSecrets<Value>(value: Value, depth: number): Value {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  let copy: Record<string, unknown> | undefined
  for (const name in value) {
    const item: unknown = value[name]
    const cleared = secretNames.has(name) || depth === depthMax ? '[redacted]' : withoutSecrets(item, depth + 1)
    if (cleared === item) continue
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
    copy[name] = cleared
  }
  return (copy as Value | undefined) ?? value
}

/**
 * Writes all lines of one turn of the event loop to standard output at once. Turns are short, so this costs the next request nothing. Writes are
 * synchronous, so no line is lost when the process exits by itself, on a handled signal or by an error, and a reader that doesn't keep up slows the service
 * instead of filling its memory.
 */
class StandardOutput implements pino.DestinationStream {
  #lines = ''

  constructor() {
    process.on('exit', () => this.#flush())
  }

  write(line: string): void {
    if (this.#lines === '') setImmediate(() => this.#flush())
    this.#lines += line
  }

  #flush(): void {
    let bytes = Buffer.from(this.#lines)
    this.#lines = ''
    while (bytes.length > 0) {
      try {
        bytes = bytes.subarray(writeSync(1, bytes))
      } catch (error) {
        // The reader is gone or the disk is full, and there is nowhere left to report it.
        if ((error as { code?: unknown }).code !== 'EAGAIN') return
        Bun.sleepSync(1)
      }
    }
  }
}
