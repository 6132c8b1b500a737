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
 * `known` are the columns as they were laid out before, which keep their places. `mayLack`: whether the output takes rows that lack some of
 * them, of questions that were hidden from the key since; these are `lost`, or the name of a table.
 */
export async function loadTables(
  { client, program, state, tables, walk, context }: TablesJob,
  mayLack = !walk.adds,
): Promise<{ tables: Table[]; known: KnownColumns; lost: string[] }> {
  let known = state.read<KnownColumns>('columns') ?? {}
  const chosen = await questionsOf({ client, program, context, fields: walk.filters.fields })
  if (chosen === undefined) return { tables: planTables([], tables, known), known, lost: [] }
  const there = columnNames(planTables(chosen, tables))
  const lost = Object.entries(known).flatMap(([table, names]) =>
    there[table] === undefined ? [table] : names.filter(name => !there[table]!.includes(name)),
  )
  if (mayLack) known = stillThere(known, there)
  return { tables: planTables(chosen, tables, known), known, lost }
}

/** Before a walk: whether its tables can be made of what the docs say now. */
export async function checkTables(job: TablesJob): Promise<void> {
  await loadTables(job)
}

/** As `loadTables`, where the order of columns does not matter. */
export const tablesOf = async (job: FollowJob): Promise<Table[]> =>
  planTables((await questionsOf(job)) ?? [], job.tables)

/** Undefined where nothing of the program is published: it has no application either, or the rows would miss their columns. */
async function questionsOf({
  client,
  program,
  context,
  fields,
}: Omit<FollowJob, 'tables'>): Promise<DocumentedQuestion[] | undefined> {
  try {
    const path = `/docs/api/programs/${encodeURIComponent(program)}/versions/active`
    const { questions } = await client.json<{ questions: DocumentedQuestion[] }>(path, documented, context)
    requireDocs(questions)
    return chosenOf(questions, fields)
  } catch (error) {
    if (error instanceof RequestRefused && error.isAboutNothingThere) return undefined
    throw error
  }
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

/** What to do about an application that has more than its tables. */
export const withoutColumn = (error: NoColumn): CommandError =>
  new CommandError('mismatch', `${error.message} Pull into an .ndjson file.`, { cause: error })

/** Without those of questions that were hidden from the key since. */
const stillThere = (known: KnownColumns, there: KnownColumns): KnownColumns =>
  Object.fromEntries(
    Object.entries(known).map(([table, names]) => [table, names.filter(name => there[table]?.includes(name))]),
  )

/** As the state keeps them. */
export const columnNames = (tables: readonly Table[]): KnownColumns =>
  Object.fromEntries(tables.map(table => [tableName(table), table.columns.map(({ name }) => name)]))
