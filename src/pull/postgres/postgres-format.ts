// Applications as tables in a PostgreSQL of whoever pulls. The state of the pull stays beside the spool, on this machine.

import type { OutputFormat } from '../output-format.ts'
import { CommandError } from '../pull-outcome.ts'
import { columnNames, loadTables } from '../tables/load-tables.ts'
import { NoColumn } from '../tables/table-rows.ts'
import { loadPostgres } from './load-postgres.ts'

export function postgresFormat(url: string, schema: string): OutputFormat {
  const { host, pathname } = new URL(url)
  return {
    ending: '',
    hasTables: true,
    destination: `${host}${pathname} ${schema}`,
    spoolPath: out => `${out}.part`,
    prepare: async job => {
      const { tables } = await loadTables(job)
      try {
        await loadPostgres({ url, schema, tables, spoolPath: job.spoolPath, signal: job.context.signal })
      } catch (error) {
        if (error instanceof NoColumn) throw new CommandError('mismatch', error.message)
        job.context.signal.throwIfAborted()
        throw new CommandError(
          'failed',
          `The database cannot be filled: ${faultOf(error)}. The same command tries again.`,
          { cause: error },
        )
      }
      return { files: [], facts: { columns: columnNames(tables) } }
    },
  }
}

/** What PostgreSQL says of a value quotes it, so only its code is told then. */
function faultOf(error: unknown): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return /^(22|23)/.test(code) ? `a value does not fit its column (${code})` : message
}
