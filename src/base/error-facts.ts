// Extracts the facts of an error that are safe for the log, the record of a failed job, or a terminal.
// Database errors quote data: values in the message, the row in `detail`, parameters, the statement. None of that is written; the code and
// the names of table, column and constraint show an operator where to look.

/** A PostgreSQL error of either driver: their field names differ only by a suffix. */
interface DatabaseError extends Error {
  code: string
  severity: string
  routine?: string
  table_name?: string
  column_name?: string
  constraint_name?: string
  table?: string
  column?: string | number
  constraint?: string
}

/** Fields of other errors that say where something failed but contain no data. */
const placeFields = ['code', 'errno', 'syscall', 'address', 'port'] as const
const causesMax = 5

/** The facts to log about an error. `depth` counts the errors above it in the chain of causes. */
export function errorFacts(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const type = error.name
  const stack = stackOf(error)
  if (isDatabaseError(error)) {
    const { code, severity, routine } = error
    return { type, message: errorMessage(error), code, ...placeIn(error), severity, routine, stack }
  }
  const place = Object.fromEntries(placeFields.flatMap(name => (name in error ? [[name, error[name as never]]] : [])))
  const cause = error.cause === undefined || depth >= causesMax ? {} : { cause: errorFacts(error.cause, depth + 1) }
  return { type, message: error.message, ...place, stack, ...cause }
}

/** One line: the error's name and message, or PostgreSQL's description. */
export function errorLine(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${errorMessage(error)}` : String(error)
}

/** The full form for a developer, with the stack. */
export function errorStack(error: Error): string {
  return `${errorLine(error)}\n${stackOf(error)}`.trimEnd()
}

function errorMessage(error: Error): string {
  if (!isDatabaseError(error)) return error.message
  // PostgreSQL's message here only names the object without permission: "permission denied for table application".
  if (error.routine === 'aclcheck_error') return `PostgreSQL reported ${error.code}: ${error.message}`
  const place = Object.entries(placeIn(error)).map(([what, name]) => `, ${what} ${name}`)
  return `PostgreSQL reported ${error.code}${place.join('')}`
}

function isDatabaseError(error: Error): error is DatabaseError {
  const { code, severity } = error as Partial<DatabaseError>
  return typeof severity === 'string' && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)
}

function placeIn(error: DatabaseError): Record<string, string> {
  const place = {
    table: error.table_name ?? error.table,
    // In Bun, every error has a number of this name: the column in the source.
    column: error.column_name ?? error.column,
    constraint: error.constraint_name ?? error.constraint,
  }
  return Object.fromEntries(
    Object.entries(place).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** Where the error arose, without its message, which is at the start of the stack. */
function stackOf({ message, stack = '' }: Error): string {
  const at = stack.indexOf(message)
  const frames = at === -1 ? stack : stack.slice(at + message.length)
  return frames
    .split('\n')
    .filter(line => /^\s+at /.test(line))
    .join('\n')
}
