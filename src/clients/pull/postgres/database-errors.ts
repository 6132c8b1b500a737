// Explains errors of the target database and how to fix them. Most never go away by themselves.

import { CommandError } from '../requests/pull-outcome.ts'

/** How to pull something that is too wide for one table. */
export const fewerQuestions = 'Pull fewer questions with --fields, and the rest into another schema with --schema.'

/** By SQLSTATE or its class; exact codes come first. */
const remedies: Readonly<Record<string, string>> = {
  '22P05': "The database's encoding lacks a letter. Use a database with the encoding UTF8.",
  '22021': "The database's encoding lacks a letter. Use a database with the encoding UTF8.",
  '25006': 'Use the primary: a standby is read-only.',
  '28': 'Use another role in --to, or set PGPASSWORD.',
  '3D': 'Create the database, or use another.',
  '42501': 'Grant the role this privilege, or use another role in --to.',
  '54000': `A row holds about 8,160 bytes, and each text takes at least 18. ${fewerQuestions}`,
  '54011': fewerQuestions,
  '54': fewerQuestions,
}

/** Whether the database is temporarily unreachable, starting, stopping or full. */
export function isPassing(error: unknown): boolean {
  return /^(08|40|53|57P|CONNECT|E(CONN|PIPE|TIMEDOUT|HOSTUNREACH))/.test(codeOf(error))
}

export function databaseError(what: string, error: unknown): CommandError {
  const code = codeOf(error)
  // PostgreSQL quotes values in messages of these classes, so only the code is reported.
  const { message = String(error) } = error as { message?: string }
  const reason = /^(22|23)/.test(code) ? `a value does not fit its column (${code})` : message
  const remedy = isPassing(error)
    ? 'Run the same command to try again.'
    : (remedies[code] ?? remedies[code.slice(0, 2)] ?? 'Then run the same command to continue.')
  return new CommandError('failed', `The database could not be ${what}: ${reason}. ${remedy}`, { cause: error })
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)
