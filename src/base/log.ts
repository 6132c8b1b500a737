// The structured log: one JSON line per request or event, on standard output, with secrets removed.

import { writeSync } from 'node:fs'
import pino from 'pino'
import { errorFacts } from './error-facts.ts'
import { redactSecrets } from './redact.ts'

/** Names under which a secret could slip into a line; their values are replaced, however deep they are. */
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
      // Not pino's own `redact`: with names at any depth it takes longer than all else that is done for a small request.
      formatters: { level: label => ({ level: label }), log: fields => withoutSecrets(fields, 0) },
      serializers: { err: errorFacts },
      // Whatever a line is made of: also what a client put into an address, or a library into a message.
      hooks: { streamWrite: redactSecrets },
    },
    destination,
  )
}

/** The same, or a copy with the values of secret names replaced. Errors are left to their serializer. */
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
 * Standard output, written once for all lines of a turn of the event loop: that costs the next request nothing, and a turn is
 * short. Synchronously, so that no line is lost when the process ends by itself, on a signal it handles or by an error, and so
 * that a reader that does not keep up holds the service back instead of filling its memory.
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
        // The reader is gone, or the disk is full: nowhere is left to report it.
        if ((error as { code?: unknown }).code !== 'EAGAIN') return
        Bun.sleepSync(1)
      }
    }
  }
}
