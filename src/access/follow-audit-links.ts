// Goes along a chain of the audit trail, and computes each hash again from what is there.

import { type ChainPlace, readAuditLinks } from '../db/audit-chains.ts'
import type { Db } from '../db/client.ts'
import { nextHash } from './audit-file.ts'

const batchRows = 1000

/**
 * From a place that is known to be good up to a link that is there; where that comes to, or the first fault. `visit` sees each link that is
 * as it was written, and may find a fault of its own.
 */
export async function followLinks(
  db: Db,
  from: ChainPlace,
  upTo: number,
  visit: (link: number, hash: Buffer, eventId: number) => string | undefined = () => undefined,
): Promise<ChainPlace | { fault: string }> {
  const { chain } = from
  let { link, hash } = from
  while (link < upTo) {
    const rows = await readAuditLinks(db, chain, link, Math.min(batchRows, upTo - link))
    if (rows.length === 0) return { fault: `link ${link + 1} is missing` }
    for (const row of rows) {
      if (row.link !== link + 1) return { fault: `link ${link + 1} is missing` }
      if (row.content === null) return { fault: `link ${row.link}: event ${row.audit_event_id} is missing` }
      hash = nextHash(hash, row.content)
      if (!hash.equals(row.hash))
        return { fault: `link ${row.link}: event ${row.audit_event_id} is not as it was written` }
      link = row.link
      const fault = visit(link, hash, row.audit_event_id)
      if (fault !== undefined) return { fault }
    }
  }
  return { chain, link, hash }
}

/** Said of a chain all of whose links are good, and whose end is recorded to be another. */
export const wrongEnd = (link: number): string => `ends at link ${link}, but not in the hash it should end in`
