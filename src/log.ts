// The structured log: one JSON line per request or event, on standard output.
// It must not know what is worth logging; it only keeps what must never be logged out of every line.

import pino from 'pino'

export type Log = pino.Logger

/** Names under which a secret could slip into a line; pino replaces their values. */
const secretPaths = [
  'authorization',
  'password',
  'secret',
  'token',
  'headers',
  '*.authorization',
  '*.password',
  '*.secret',
  '*.token',
]

/** `destination` is for tests; the default is standard output, written synchronously so that no line is lost at exit. */
export function createLog(level: string, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: { service: 'tributary' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: label => ({ level: label }) },
    redact: { paths: secretPaths, censor: '[redacted]' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
