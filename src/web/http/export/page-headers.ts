// Response headers of an export page, built lazily while the first rows are on their way, and responses without a body.
// They cannot contain the page token: whether a page follows is known only after the last row.

import { type KeyQuota, Problem } from '../../../base/problem.ts'
import { formatChangeCursor } from '../../../core/export/requests/change-cursor.ts'
import { pageVersion } from '../../../core/export/requests/page-version.ts'
import { questionsAsOf, snapshotTime } from '../../../core/export/requests/walk.ts'
import { walkToken } from '../../../core/export/requests/walk-receipt.ts'
import { namesTag, strongTags, weakTag } from '../headers/entity-tag.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import type { OpenedExport } from './opened-export.ts'

/** For a promise that the request awaits later. If it fails first, nothing awaits the promise any more. */
export const ignored = (): void => {}

/** Whether the answer may turn out to have no body. */
const mayBeEmpty = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || headers.has('if-none-match') || headers.has('if-match')

export class PageHeaders {
  /** When it is counted what is left to the key, which the head says. */
  readonly quotaSet: Promise<void>
  #headers: Headers | undefined

  constructor(
    private readonly opened: OpenedExport,
    private readonly config: { timeZone: string; versionKey: Buffer; tokenKeys: readonly Buffer[] },
    counted: Promise<KeyQuota>,
  ) {
    this.quotaSet = counted.then(quota => setQuotaHeaders(this.headers, quota))
    this.quotaSet.catch(ignored)
  }

  get headers(): Headers {
    this.#headers ??= this.#made()
    return this.#headers
  }

  /**
   * The answer to HEAD, or the 304 to a client that has this page already; undefined when the page is to be sent. Throws Problem
   * `precondition_failed`.
   */
  async withoutBody(): Promise<Response | undefined> {
    const { record, request } = this.opened
    if (!mayBeEmpty(request)) return undefined
    const { headers } = this
    requireAnyTag(request.headers.get('if-match'))
    const tag = headers.get('ETag')
    const noneNew = tag !== null && namesTag(request.headers.get('if-none-match'), tag)
    if (!noneNew && request.method !== 'HEAD') return undefined
    await this.quotaSet
    if (noneNew) return nothingNew(headers)
    // No page is read for it, so how long one would be is not known.
    record.lengthUnknown = true
    return new Response(null, { headers })
  }

  #made(): Headers {
    const { beganAt, caller, coding, offered, start, strict, walk } = this.opened
    const { timeZone, tokenKeys, versionKey } = this.config
    const headers = new Headers({ 'Cache-Control': 'no-store' })
    headers.set('Content-Type', offered.contentType)
    headers.set('Vary', 'Accept, Accept-Encoding')
    if (coding !== undefined) headers.set('Content-Encoding', coding)
    if (start !== undefined) {
      const changeCursor = formatChangeCursor(start.last_change)
      headers.set('Snapshot-Time', snapshotTime(start))
      headers.set('Change-Cursor', changeCursor)
      const asOf = questionsAsOf(start)
      if (asOf !== null) headers.set('Questions-As-Of', asOf)
      headers.set('Walk-Token', walkToken(walk, { keys: tokenKeys, now: beganAt }))
      const sentAs = { format: offered.format, timeZone, hidden: caller.hidden.ids }
      headers.set('ETag', weakTag(pageVersion(versionKey, walk, changeCursor, sentAs)))
    }
    if (strict) headers.set('Preference-Applied', 'handling=strict')
    return headers
  }
}

function setQuotaHeaders(headers: Headers, quota: KeyQuota): void {
  for (const [name, value] of Object.entries(quotaHeaders(quota))) headers.set(name, value)
}

/** The tag of a page is a weak one, and If-Match compares strongly: no tag that it names can be that of the page (RFC 9110, section 13.1.1). */
function requireAnyTag(ifMatch: string | null): void {
  if (ifMatch === null || strongTags(ifMatch) === '*') return
  throw new Problem('precondition_failed', {
    detail:
      'If-Match names no tag that a page can have: those of pages are weak. Send If-None-Match to learn whether there is anything new.',
  })
}

/** The page’s head without the fields about its body and about a walk that begins. */
function nothingNew(headers: Headers): Response {
  for (const name of ['Content-Type', 'Content-Encoding', 'Walk-Token']) headers.delete(name)
  return new Response(null, { status: 304, headers })
}
