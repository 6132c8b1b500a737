// Requests the data derived from a version in the transaction that creates the version.
// It must not use the queue, whose store may be unreachable.

import type { Transaction } from '../../db/client.ts'
import { enqueue } from '../queue/enqueue.ts'

/** For versions just published: requests their key maps and docs. */
export async function announcePublication(tx: Transaction, programVersionIds: readonly number[]): Promise<void> {
  await enqueue(
    tx,
    programVersionIds.flatMap(program_version_id => [
      { name: 'refresh-key-map' as const, payload: { program_version_id } },
      { name: 'refresh-docs-example' as const, payload: { program_version_id } },
    ]),
  )
}

/** For a draft just saved: requests its docs. A draft is in no key map (D21). */
export async function announceDraft(tx: Transaction, programVersionId: number): Promise<void> {
  await enqueue(tx, [{ name: 'refresh-docs-example', payload: { program_version_id: programVersionId } }])
}
