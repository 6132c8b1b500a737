// The colors in which the console shows a program's statuses.

import type { StatusColor, StatusDetails } from '../../domain/questions/program-version.ts'
import { type Db, findValue } from '../client.ts'

/** By status, from the newest published version; before the first publication, from the draft. */
export type StatusColors = ReadonlyMap<string, StatusColor>

export async function readStatusColors(db: Db, programId: number): Promise<StatusColors> {
  const details = await findValue<StatusDetails[] | null>(db)`
    select details -> 'status_details'
    from program_version
    where program_id = ${programId}
    order by published_at desc nulls last, program_version_id desc
    limit 1`
  return new Map(
    (details ?? []).flatMap(({ status, color }) => (color === undefined ? [] : [[status, color] as const])),
  )
}
