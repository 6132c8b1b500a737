// Records an action in the audit log with its actor, address and time.

import { type AuditEvent, appendAuditEvent } from '../../db/audit/audit.ts'
import type { Db } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

export interface AuditContext {
  /** `admin:<email>`, `admin-token:<token id>:<email>`, `intermediary:<email>` or `operator:<system user>`. */
  actor: string
  address?: string | undefined
  now: Micros
}

export const recordAction = (
  tx: Db,
  { actor, address }: Pick<AuditContext, 'actor' | 'address'>,
  action: string,
  subject: string,
  detail?: AuditEvent['detail'],
): Promise<void> => appendAuditEvent(tx, { actor, action, subject, address, detail })
