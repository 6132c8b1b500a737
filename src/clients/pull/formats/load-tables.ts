// Reads a program's docs after the walk and derives the tables. Programs only gain questions, so the docs have a column for everything
// the walk returned.

import { RequestRefused } from '@tributary/client/tools'
import {
  chosenOf,
  type DocumentedQuestion,
  type KnownColumns,
  planTables,
  type Table,
  tableName,
} from '../../../base/tables/table-plan.ts'
import type { NoColumn } from '../../../base/tables/table-rows.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import { requireDocs } from '../requests/require-docs.ts'
import type { FollowJob, TablesJob } from '../spool/output-format.ts'

/**
 * `known` are the columns of the earlier layout, which keep their positions. `mayLack`: whether the output accepts rows that lack some of them,
 * because questions have been hidden from the key since; these are `lost`, or the name of a table.
 */
export async function loadTables(
  { client, program, state, tables, walk, context }: TablesJob,
  mayLack = !walk.adds,
): Promise<{ tables: Table[]; known: KnownColumns; lost: string[] }> {
  let known = state.read<KnownColumns>('columns') ?? {}
  const chosen = await questionsOf({ client, program, tables, context, fields: walk.filters.fields })
  if (chosen === undefined) return { tables: planTables([], tables, known), known, lost: [] }
  const there = columnNames(planTables(chosen, tables))
  const lost = Object.entries(known).flatMap(([table, names]) =>
    there[table] === undefined ? [table] : names.filter(name => !there[table]!.includes(name)),
  )
  if (mayLack) known = stillThere(known, there)
  return { tables: planTables(chosen, tables, known), known, lost }
}

/** Before a walk: whether its tables can be built from the current docs. */
export async function checkTables(job: TablesJob): Promise<void> {
  await loadTables(job)
}

/** Like `loadTables`, if the order of columns does not matter. */
export const tablesOf = async (job: FollowJob): Promise<Table[]> =>
  planTables((await questionsOf(job)) ?? [], job.tables)

/** Undefined if nothing of the program is published: then it has no applications either, or the rows would lack their columns. */
async function questionsOf({
  client,
  program,
  tables: { language },
  context,
  fields,
}: FollowJob): Promise<DocumentedQuestion[] | undefined> {
  try {
    const path = `/docs/api/programs/${encodeURIComponent(program)}/versions/active`
    const query = language === undefined ? '' : `?${new URLSearchParams({ language })}`
    const docs = await client.json<Documented>(path + query, documented, context)
    requireDocs(docs.questions)
    if (language !== undefined) requireLanguage(docs, language)
    return chosenOf(docs.questions, fields)
  } catch (error) {
    if (error instanceof RequestRefused && error.isAboutNothingThere) return undefined
    throw error
  }
}

interface Documented {
  questions: DocumentedQuestion[]
  /** A service before 1.1 has neither. */
  language?: unknown
  languages?: unknown
}

/** Throws if the program has no texts in this language: the service then sends those in the default language. */
function requireLanguage({ language: sent, languages }: Documented, wanted: string): void {
  const [family] = wanted.split('-')
  if (String(sent).split('-')[0] === family) return
  const offered = Array.isArray(languages) ? ` It has: ${languages.slice(0, 50).join(', ')}.` : ''
  throw new CommandError('failed', `The program has no texts in the language ${wanted}.${offered}`)
}

const documented = {
  questions: [
    {
      question_key: 'string',
      question_type: 'string',
      path: 'string',
      text: 'string',
      fields: [{ path: 'string', type: 'string' }],
      options: [{ id: 'string', text: 'string' }],
    },
  ],
} as const

/** Explains what to do about an application with more values than its tables have columns. */
export const withoutColumn = (error: NoColumn): CommandError =>
  new CommandError('mismatch', `${error.message} Pull into an .ndjson file.`, { cause: error })

/** Without the columns of questions hidden from the key since. */
const stillThere = (known: KnownColumns, there: KnownColumns): KnownColumns =>
  Object.fromEntries(
    Object.entries(known).map(([table, names]) => [table, names.filter(name => there[table]?.includes(name))]),
  )

/** As stored in the state. */
export const columnNames = (tables: readonly Table[]): KnownColumns =>
  Object.fromEntries(tables.map(table => [tableName(table), table.columns.map(({ name }) => name)]))
