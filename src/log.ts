// The structured log: one JSON line per request or event, on standard output.
// It must not know what is worth logging; it only keeps what must never be logged out of every line.

import { writeSync } from 'node:fs'
import pino from 'pino'
import { errorFacts } from './error-facts.ts'
import { redactSecrets } from './redact.ts'

/** Names under which a secret could slip into a line; pino replaces their values. */
const secretNames = ['authorization', 'password', 'secret', 'token', 'headers'] as const
const service = 'tributary'

export type Log = pino.Logger

/** `destination` is for tests; the default is standard output. */
export function createLog(level: string, destination: pino.DestinationStream = new StandardOutput()): Log {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: errorFacts },
      // Whatever a line is made of: also what a client put into an address, or a library into a message.
      hooks: { streamWrite: redactSecrets },
      redact: { paths: secretNames.flatMap(name => [name, `*.${name}`]), censor: '[redacted]' },
    },
    destination,
  )
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
        // When nobody reads any more, or nothing more can be stored, there is nobody left to tell.
        if ((error as { code?: unknown }).code !== 'EAGAIN') return
        Bun.sleepSync(1)
      }
    }
  }
}
