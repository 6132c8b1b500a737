// What the target database refused, in words, with what to do about it: most of it never passes by itself.

import { CommandError } from '../requests/pull-outcome.ts'

/** How what is too wide for one table can be pulled. */
export const fewerQuestions =
  'Pull fewer questions into a schema with --fields, and the others into another with --schema.'

/** By SQLSTATE or its class; of the former first. */
const remedies: Readonly<Record<string, string>> = {
  '22P05': 'The database has an encoding that lacks a letter. Name a database with the encoding UTF8.',
  '22021': 'The database has an encoding that lacks a letter. Name a database with the encoding UTF8.',
  '25006': 'Name the primary: a standby takes nothing.',
  '28': 'Name another role in --to, or set PGPASSWORD.',
  '3D': 'Create the database, or name another.',
  '42501': 'Grant that to the role, or name another role in --to.',
  '54000': `A row has some 8,160 bytes at most, of which each text takes 18 or more. ${fewerQuestions}`,
  '54011': fewerQuestions,
  '54': fewerQuestions,
}

/** Whether the database is away, or begins and ends, or is full for the moment: it comes back. */
export function isPassing(error: unknown): boolean {
  return /^(08|40|53|57P|CONNECT|E(CONN|PIPE|TIMEDOUT|HOSTUNREACH))/.test(codeOf(error))
}

export function databaseError(what: string, error: unknown): CommandError {
  const code = codeOf(error)
  // PostgreSQL quotes values in messages of these classes, so only the code is reported.
  const { message = String(error) } = error as { message?: string }
  const reason = /^(22|23)/.test(code) ? `a value does not fit its column (${code})` : message
  const remedy = isPassing(error)
    ? 'The same command tries again.'
    : (remedies[code] ?? remedies[code.slice(0, 2)] ?? 'Then the same command continues from here.')
  return new CommandError('failed', `The database cannot be ${what}: ${reason}. ${remedy}`, { cause: error })
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)
