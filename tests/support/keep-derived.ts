// Has everything kept that a worker keeps, at once and without one.

import type { Sql } from '../../src/db/client.ts'
import { refreshDocsExample } from '../../src/derived/program-docs.ts'
import { refreshKeyMap } from '../../src/derived/program-key-map.ts'

/** Of every version of every program, by the functions that the jobs run. */
export async function keepDerived(sql: Sql, { timeZone }: { timeZone: string }): Promise<void> {
  const versions = await sql<{ program_version_id: number }[]>`select program_version_id from program_version`
  for (const { program_version_id } of versions) {
    await refreshKeyMap(sql, program_version_id)
    await refreshDocsExample(sql, program_version_id, { timeZone })
  }
}
