// Every application of a program as an export gives it, one a line: the exporter's own bytes, without HTTP.

import { splicedBytes, spliceRow } from '../../src/core/export/framings/splice.ts'
import type { Sql } from '../../src/db/client.ts'
import { findProgram } from '../../src/db/programs/programs.ts'
import { computedKeyMap } from './computed-key-map.ts'
import { storedRow } from './stored-row.ts'

interface Row {
  program_version_id: number
  snapshot: string
  annotations: string
  is_current: boolean
}

/** In the order of an export, as of now. */
export async function exportLines(sql: Sql, slug: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of readExportLines(sql, slug)) lines.push(line)
  return lines
}

/** The same, holding at most some hundred of them in memory. */
export async function* readExportLines(sql: Sql, slug: string): AsyncGenerator<string> {
  const program = await findProgram(sql, slug)
  if (program === undefined) throw new Error(`there is no program ${slug}`)
  const { fills } = await computedKeyMap(sql, program.program_id)
  const rows = sql<Row[]>`
    select program_version_id, snapshot, annotations, superseded_seq is null as is_current
    from application
    where program_id = ${program.program_id}
    order by submit_time, submit_seq`
  for await (const batch of rows.cursor(500)) {
    for (const { program_version_id, is_current, ...row } of batch) {
      const fill = fills.get(program_version_id)!
      const stored = storedRow(row.snapshot, row.annotations, is_current)
      const line = Buffer.alloc(splicedBytes(stored, fill))
      spliceRow(line, 0, stored, fill)
      yield line.toString()
    }
  }
}
