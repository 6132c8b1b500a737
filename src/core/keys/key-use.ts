// Records when a key was last used and whether it was exposed, without delaying or failing the request.

import type { Log } from '../../base/log.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import type { Sql } from '../../db/client.ts'
import { markApiKeyExposed, noteApiKeyUse } from '../../db/keys/api-key-rows.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

/** Interval in which a key's use is written at most once, over all instances. */
const writeEveryMicros = 60_000_000

export class KeyUses {
  /** When this process last wrote, by key ID; one entry per key in use. */
  readonly #writtenAt = new Map<string, Micros>()

  constructor(
    /** Undefined if the database is read-only: then nothing is recorded. */
    private readonly sql: Sql | undefined,
    private readonly log: Log,
  ) {}

  /** Records that a key authenticated a request. Returns immediately. */
  noteUse(apiKeyId: string, address: string, now: Micros): void {
    if (this.sql === undefined) return
    const writtenAt = this.#writtenAt.get(apiKeyId)
    if (writtenAt !== undefined && now < writtenAt + writeEveryMicros) return
    this.#writtenAt.set(apiKeyId, now)
    noteApiKeyUse(this.sql, apiKeyId, now, address, writeEveryMicros).catch(error =>
      this.log.warn({ api_key_id: apiKeyId, err: error }, 'the last use of an API key could not be recorded'),
    )
  }

  /** A valid credential came unencrypted, so it may be compromised. Marked and audited once. Returns immediately. */
  noteExposure(apiKeyId: string, address: string | undefined, now: Micros, alreadyMarked: boolean): void {
    this.log.warn({ api_key_id: apiKeyId, address }, 'an API key was sent over plain HTTP and is exposed; replace it')
    if (alreadyMarked || this.sql === undefined) return
    this.sql
      .begin(async tx => {
        if (!(await markApiKeyExposed(tx, apiKeyId, now))) return
        await appendAuditEvent(tx, {
          actor: `key:${apiKeyId}`,
          action: 'api_key_exposed',
          subject: apiKeyId,
          address,
          detail: { cause: 'plain_http' },
        })
      })
      .catch(error => this.log.error({ api_key_id: apiKeyId, err: error }, 'an API key could not be marked as exposed'))
  }
}
