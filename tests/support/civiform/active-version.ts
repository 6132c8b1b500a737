// The only active version there is: its screens, and the questions kept here by their names.

import type { Sql } from '../../../src/db/client.ts'
import type { Screen } from '../../../src/domain/questions/program-version.ts'

export async function readActiveVersion(sql: Sql): Promise<{ screens: Screen[]; idOf: (name: string) => number }> {
  const [version] = await sql<{ screens: Screen[] }[]>`
    select screens from program_version v join program p using (program_id) where state = 'ACTIVE' order by program_id`
  const rows = await sql<{ name: string; id: number }[]>`select admin_name as name, question_id as id from question`
  const ids = new Map(rows.map(row => [row.name, row.id]))
  return { screens: version!.screens, idOf: name => ids.get(name)! }
}
