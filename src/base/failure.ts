// Messages of a process that cannot continue: one clear sentence for each failure that an operator can fix, with its code in brackets
// for searches and tests. Any other error is printed in full, for a developer.

import { errorStack } from './error-facts.ts'
import { findPassingError } from './passing-errors.ts'
import { Problem, problemLines } from './problem.ts'
import { redactSecrets } from './redact.ts'

/** Names the setting that contains the database's address, for the message about an error of `work`. The default is DATABASE_URL. */
export async function ofDatabase<T>(setting: string, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { setting }) : error
  }
}

/** Lines for standard error: the Problem's own, one sentence for a failure of the network, files or database, otherwise the stack. */
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
      return `The database refused the connection: ${message}. Check the user, password and database name in ${setting}.`
    case '25006':
      return `The database is read-only, perhaps a standby. This release needs to write to it; set ${setting} to the primary.`
    case '53100':
    case '53200':
    case '53300':
    case '53400':
    case '57P03':
      return `The database is temporarily unavailable: ${message}. Start again when it is available.`
    case '42501':
      return `The database user lacks a privilege: ${message}. Grant the privilege, or use another user in ${setting}.`
    case 'EADDRINUSE':
      return `The port is already in use: ${/[0-9]+/.exec(message)?.[0] ?? message}. Stop the process that uses it, or set PORT or HEALTH_PORT to another port.`
    case 'EACCES':
    case 'EPERM':
      return `Permission denied: ${path ?? message}.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `Must be a folder, but is a file: ${path ?? message}.`
    case 'EISDIR':
      return `${path ?? 'The path'} is a folder, not a file.`
    case 'ENOENT':
      return `File not found: ${path ?? message}.`
    default:
      return undefined
  }
}

/** The message for work interrupted by the network or a restarting database. */
function interruptionSentence(error: unknown): string | undefined {
  const passing = findPassingError(error)
  if (passing === undefined) return undefined
  const { path } = error as { path?: unknown }
  // `fetch` puts the URL in `path`.
  if (typeof path === 'string' && /^https?:/.test(path))
    return `The connection to ${new URL(path).origin} was lost. Try again.`
  if (passing.kind === 'lost')
    return `The connection to the database was lost: ${passing.meaning}. The last step may or may not have been saved. Check whether it was, then try again.`
  return `The database reported ${passing.meaning}. The last step was rolled back. Try again.`
}
