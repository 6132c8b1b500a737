// Checks the audit trail all the time, a part at a time: from the beginning of each chain to its end, and then again. What scripts/audit
// verify does at once, but for the files and for what stands in no chain. A fault stays on record until an operator takes it back.

import { type ChainPlace, readChainAnchors, readChainEnds } from '../db/audit-chains.ts'
import { type AuditCheck, noteAuditCheck, readAuditChecks } from '../db/audit-checks.ts'
import { type Db, inSnapshot, type Sql } from '../db/client.ts'
import { followLinks, wrongEnd } from './follow-audit-links.ts'

/** Links of one chain that one call looks at. */
const linksMax = 5000

export interface AuditCheckFinding {
  chain: number
  fault: string
}

/** Goes on from where the last call ended, on whichever machine. Returns what it found to be wrong and had not found before. */
export async function checkAuditTrail(sql: Sql, options = { linksMax }): Promise<AuditCheckFinding[]> {
  // In one snapshot: events are added and pruned meanwhile.
  const steps = await inSnapshot(sql, async db => {
    const [anchors, ends] = [await readChainAnchors(db), await readChainEnds(db)]
    const made: Step[] = []
    for (const check of await readAuditChecks(db)) {
      const anchor = anchors.find(({ chain }) => chain === check.chain)
      const end = ends.find(({ chain }) => chain === check.chain)
      made.push(await checkChain(db, check, anchor, end, options.linksMax))
    }
    return made
  })
  const found: AuditCheckFinding[] = []
  for (const { before, after, round } of steps) {
    await noteAuditCheck(sql, after, round)
    if (after.fault !== null && after.fault !== before.fault) found.push({ chain: after.chain, fault: after.fault })
  }
  return found
}

interface Step {
  before: AuditCheck
  after: AuditCheck
  /** Whether it has come to the chain's end, or as far as the chain is good. */
  round: boolean
}

async function checkChain(
  db: Db,
  before: AuditCheck,
  anchor: ChainPlace | undefined,
  end: ChainPlace | undefined,
  linksMax: number,
): Promise<Step> {
  if (anchor === undefined || end === undefined)
    return {
      before,
      after: { ...before, fault: before.fault ?? 'the record of where it begins and ends is gone' },
      round: true,
    }
  const faulty = (fault: string): Step => ({
    before,
    after: { ...before, ...anchor, fault: before.fault ?? fault },
    round: true,
  })
  if (end.link < before.link)
    return faulty(`ends at link ${end.link}, and link ${before.link} was there before: its end was cut off`)
  // What was pruned meanwhile is in a file, and no longer checked here.
  const from = before.link < anchor.link ? anchor : before
  const reached = await followLinks(db, from, Math.min(end.link, from.link + linksMax))
  if ('fault' in reached) return faulty(reached.fault)
  if (reached.link < end.link) return { before, after: { ...before, ...reached }, round: false }
  if (!reached.hash.equals(end.hash)) return faulty(wrongEnd(reached.link))
  return { before, after: { ...before, ...anchor }, round: true }
}
