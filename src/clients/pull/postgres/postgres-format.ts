// Applications as tables in the puller's own PostgreSQL. The state of the pull is stored with the spool, on this machine.

import { GaveUp, RequestRefused } from '@tributary/client/tools'
import { NoColumn } from '../../../base/tables/table-rows.ts'
import { columnNames, loadTables, tablesOf, withoutColumn } from '../formats/load-tables.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { OutputFormat } from '../spool/output-format.ts'
import { checkDatabase } from './check-database.ts'
import { databaseError } from './database-errors.ts'
import { applyPage, connected, loadPostgres, readPulled } from './load-postgres.ts'

export function postgresFormat(url: string, schema: string): OutputFormat {
  const { host, pathname } = new URL(url)
  const destination = `${host}${pathname} ${schema}`
  return {
    ending: '',
    hasTables: true,
    destination,
    spoolPath: out => `${out}.part`,
    readDone: async origin => {
      const record = await readPulled(url, schema, origin).catch((error: unknown) => {
        throw error instanceof CommandError ? error : databaseError('read', error)
      })
      if (record === undefined) return undefined
      const { made: _, ...known } = record
      return { ...known, receipts: [], files: [] }
    },
    check: async job => {
      const { tables } = await loadTables(job, true)
      await connected(url, sql => checkDatabase(sql, schema, tables, job.context.say)).catch((error: unknown) => {
        throw error instanceof CommandError ? error : databaseError('filled', error)
      })
    },
    follow: async job => {
      const tables = await tablesOf(job)
      const { signal } = job.context
      return (page, after) =>
        applyPage({ url, schema, tables, page, after, signal }).catch((error: unknown) => {
          throw failureOf(error, signal)
        })
    },
    prepare: async job => {
      const { client, program, context, walk, then, spoolPath, check } = job
      const { tables, lost } = await loadTables(job, true)
      if (lost.length > 0) context.say(hiddenSince(lost, walk.adds))
      const { fromDate, toDate } = walk.filters
      try {
        const applications = await loadPostgres({
          url,
          schema,
          tables,
          spoolPath,
          check,
          then,
          fromDate,
          signal: context.signal,
          fills: walk.adds ? 'since last' : fromDate === undefined && toDate === undefined ? 'all' : 'some',
          changesAfter: (walk.adds ? walk.changesAfter : undefined) ?? walk.changeCursor,
          changes: after => client.changes(program, after, { signal: context.signal }),
        })
        return { files: [], facts: { columns: columnNames(tables) }, total: applications }
      } catch (error) {
        throw failureOf(error, context.signal)
      }
    },
  }
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof NoColumn) return withoutColumn(error)
  signal.throwIfAborted()
  if (error instanceof RequestRefused && error.codes.includes('cursor_of_another_history'))
    return new CommandError(
      'failed',
      'The service was restored to a point before the last pull. Pull everything again, without --since-last and with --restart.',
      { cause: error },
    )
  if (error instanceof CommandError || error instanceof RequestRefused || error instanceof GaveUp) return error
  return databaseError('filled', error)
}

/** Reported once, because the state then records the columns without them. */
const hiddenSince = (columns: readonly string[], adds: boolean): string =>
  `Hidden from the key since the last pull: ${columns.slice(0, 10).join(', ')}${columns.length > 10 ? ` and ${columns.length - 10} more` : ''}. ` +
  (adds
    ? 'The columns are kept, with null in new rows and the earlier values in others, until you pull everything again.'
    : 'The columns are kept, but emptied.')
