// Messages of a process that cannot continue: one clear sentence for each failure that an operator can fix, with its code in brackets
// for whoever searches for it or tests for it. Any other error is printed in full, for a developer.

import { errorStack } from './error-facts.ts'
import { findPassingError } from './passing-errors.ts'
import { Problem, problemLines } from './problem.ts'
import { redactSecrets } from './redact.ts'

/** Marks what `work` fails with as a failure of the database that this setting names; unmarked, it is that of DATABASE_URL. */
export async function ofDatabase<T>(setting: string, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { setting }) : error
  }
}

/** Lines for standard error. A Problem speaks for itself; failures of the network, files and database are put in words. */
export function failureLines(error: unknown): string[] {
  if (error instanceof Problem) return problemLines(error)
  const sentence = failureSentence(error) ?? interruptionSentence(error)
  if (sentence !== undefined) return [`${sentence} [${(error as { code: string }).code}]`]
  return [redactSecrets(error instanceof Error ? errorStack(error) : String(error))]
}

function failureSentence(error: unknown): string | undefined {
  const failure = error as NodeJS.ErrnoException & { address?: unknown; port?: unknown; setting?: string }
  const { code, message, path, setting = 'DATABASE_URL' } = failure
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'EHOSTUNREACH':
    case 'CONNECT_TIMEOUT':
    case 'CONNECTION_SILENT': {
      const place = [failure.address, failure.port].flat().filter(Boolean).join(':') || setting
      return `The database at ${place} cannot be reached. Is it running, and is ${setting} right?`
    }
    case '28P01':
    case '28000':
    case '3D000':
      return `The database refused the connection: ${message}. Check user, password and database name in ${setting}.`
    case '25006':
      return `The database is read-only: a standby, or one that was set so. This release has to write to it; name the primary in ${setting}.`
    case '53100':
    case '53200':
    case '53300':
    case '53400':
    case '57P03':
      return `The database cannot serve this just now: ${message}. Start again when it can.`
    case '42501':
      return `The database user may not do this: ${message}. Grant it the right, or use another user in ${setting}.`
    case 'EADDRINUSE':
      return `The port is already in use: ${/[0-9]+/.exec(message)?.[0] ?? message}. Stop what uses it, or set PORT or HEALTH_PORT to another.`
    case 'EACCES':
    case 'EPERM':
      return `Permission denied: ${path ?? message}.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `A file is where a folder was expected: ${path ?? message}.`
    case 'EISDIR':
      return `${path ?? 'What was named'} is a directory, not a file.`
    case 'ENOENT':
      return `There is no such file: ${path ?? message}.`
    default:
      return undefined
  }
}

/** What the network or a database that restarts does to work that is under way. */
function interruptionSentence(error: unknown): string | undefined {
  const passing = findPassingError(error)
  if (passing === undefined) return undefined
  const { path } = error as { path?: unknown }
  // An error of `fetch` has the address there.
  if (typeof path === 'string' && /^https?:/.test(path))
    return `The connection to ${new URL(path).origin} was lost. Try again.`
  if (passing.is === 'lost')
    return `The connection to the database was lost: ${passing.meaning}. The last step may or may not have been stored: check it, then try again.`
  return `The database could not do this: ${passing.meaning}. The last step was undone. Try again.`
}
