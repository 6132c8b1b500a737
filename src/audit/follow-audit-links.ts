// Goes along a chain of the audit log, and computes each hash again from what is there.

import { createHash } from 'node:crypto'
import type { AuditLink, ChainPlace } from '../db/audit/audit-chains.ts'

/** The audit log is not as it was written: where, and what. */
export class BrokenChain extends Error {}

/** The hash of the next link. */
export const nextHash = (hash: Buffer, content: string): Buffer =>
  createHash('sha256').update(hash).update(content).digest()

export type GoodLink = ChainPlace & { content: string; happened_at: number }

/** The links after a place, each once it is known to be as it was written. Throws BrokenChain at the first that is not. */
export async function* followLinks(
  { chain, link, hash }: ChainPlace,
  links: AsyncIterable<AuditLink>,
): AsyncGenerator<GoodLink> {
  const broken = (detail: string) => new BrokenChain(`chain ${chain}: ${detail}`)
  for await (const { audit_event_id, content, happened_at, ...next } of links) {
    if (next.link <= link) throw broken(`link ${next.link} was there before: it was slipped in`)
    if (next.link !== link + 1) throw broken(`link ${link + 1} is missing`)
    link = next.link
    if (content === null || happened_at === null) throw broken(`link ${link}: event ${audit_event_id} is missing`)
    hash = nextHash(hash, content)
    if (!hash.equals(next.hash)) throw broken(`link ${link}: event ${audit_event_id} is not as it was written`)
    yield { chain, link, hash, content, happened_at }
  }
}
