// Finds out whether the audit trail is as it was written: every event in its chain, every hash over what is there.
// The database computes the hashes when events are added; here they are computed again, by other code.

import { createHash } from 'node:crypto'
import { type AuditChainRow, findUnlinkedEvent, readAuditChains, readAuditLinks } from '../db/audit.ts'
import type { Sql } from '../db/client.ts'
import { invalidRequest } from '../problem.ts'

const batchRows = 1000
/** Of a hash, as noted: as many bytes as nobody can find another trail for. */
const notedBytes = 16

export interface AuditVerdict {
  /** Events that were read and are in their places. */
  events: number
  /** What is wrong, the first fault of each chain; none when the trail is whole. */
  faults: string[]
  /** Where every chain ends now, in one word: to be kept elsewhere and given as `noted` next time. */
  note: string
}

/** Reads the whole trail in order. `noted` is the word of an earlier call: it tells whether what was there then still is. */
export async function verifyAuditTrail(sql: Sql, noted?: string): Promise<AuditVerdict> {
  // Events that are added meanwhile lie beyond these ends.
  const chains = await readAuditChains(sql)
  const marks = noted === undefined ? new Map<number, Mark>() : parseNote(noted)
  const faults: string[] = []
  let events = 0
  for (const chain of chains) {
    const mark = marks.get(chain.chain)
    marks.delete(chain.chain)
    const fault = await verifyChain(sql, chain, mark, () => events++)
    if (fault !== undefined) faults.push(`chain ${chain.chain}: ${fault}`)
  }
  for (const chain of marks.keys()) faults.push(`chain ${chain}: was noted, and is gone`)
  const unlinked = await findUnlinkedEvent(sql)
  if (unlinked !== undefined) faults.push(`event ${unlinked} stands in no chain: it was slipped in`)
  return { events, faults, note: chains.map(noteOf).join('.') }
}

/** The first fault of a chain, or undefined. */
async function verifyChain(
  sql: Sql,
  chain: AuditChainRow,
  mark: Mark | undefined,
  count: () => void,
): Promise<string | undefined> {
  if (mark !== undefined && chain.links < mark.links)
    return `ends at link ${chain.links}, and had ${mark.links} when it was noted: its end was cut off`
  let hash: Buffer = Buffer.alloc(32)
  let link = 0
  while (link < chain.links) {
    const rows = await readAuditLinks(sql, chain.chain, link, Math.min(batchRows, chain.links - link))
    if (rows.length === 0) return `link ${link + 1} is missing`
    for (const row of rows) {
      if (row.link !== link + 1) return `link ${link + 1} is missing`
      if (row.content === null) return `link ${row.link}: event ${row.audit_event_id} is missing`
      hash = createHash('sha256').update(hash).update(row.content).digest()
      if (!hash.equals(row.hash)) return `link ${row.link}: event ${row.audit_event_id} is not as it was written`
      link = row.link
      if (mark?.links === link && mark.hash !== shortHash(hash))
        return `up to link ${link}, event ${row.audit_event_id}, it is not what it was when it was noted`
      count()
    }
  }
  return hash.equals(chain.hash) ? undefined : `ends at link ${link}, but not in the hash it should end in`
}

interface Mark {
  links: number
  hash: string
}

const shortHash = (hash: Buffer): string => hash.subarray(0, notedBytes).toString('base64url')
const noteOf = ({ chain, links, hash }: AuditChainRow): string => `${chain}:${links}:${shortHash(hash)}`

function parseNote(note: string): Map<number, Mark> {
  return new Map(
    note.split('.').map(part => {
      const match = /^(\d{1,5}):(\d{1,15}):([\w-]{22})$/.exec(part)
      if (match === null)
        throw invalidRequest('What was noted cannot be read.', [
          { parameter: '--noted', code: 'malformed', detail: 'must be what scripts/audit verify printed, whole' },
        ])
      return [Number(match[1]), { links: Number(match[2]), hash: match[3]! }]
    }),
  )
}
