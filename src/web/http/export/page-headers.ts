// Response headers of an export page, built while the first rows are loading, and responses without a body.
// The page token is not among them: whether another page follows is known only after the last row.

import { type KeyQuota, Problem } from '../../../base/problem.ts'
import { formatChangeCursor } from '../../../core/export/requests/change-cursor.ts'
import { pageVersion } from '../../../core/export/requests/page-version.ts'
import { questionsAsOf, snapshotTime } from '../../../core/export/requests/walk.ts'
import { walkToken } from '../../../core/export/requests/walk-receipt.ts'
import { namesTag, strongTags, weakTag } from '../headers/entity-tag.ts'
import { varyOf } from '../headers/export-formats.ts'
import { quotaHeaders } from '../headers/quota-headers.ts'
import type { OpenedExport } from './opened-export.ts'

/** Catch handler for a promise that the request awaits later, or never if the request fails first. */
export const ignored = (): void => {}

/** Whether the response may have no body. */
const mayBeEmpty = ({ method, headers }: Request): boolean =>
  method === 'HEAD' || headers.has('if-none-match') || headers.has('if-match')

export class PageHeaders {
  /** Resolves when the request is counted and the quota headers are set. */
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
    this.#headers ??= this.#build()
    return this.#headers
  }

  /**
   * Response to HEAD, or the 304 for a client that already has this page; undefined if the page must be sent. Throws Problem
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
    // The page is not read, so its length is unknown.
    record.lengthUnknown = true
    return new Response(null, { headers })
  }

  #build(): Headers {
    const { beganAt, caller, coding, offered, start, strict, walk } = this.opened
    const { timeZone, tokenKeys, versionKey } = this.config
    const headers = new Headers({ 'Cache-Control': 'no-store' })
    headers.set('Content-Type', offered.contentType)
    headers.set('Vary', varyOf(walk.format))
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

/** If-Match compares strongly, so a page's weak tag never matches (RFC 9110, section 13.1.1). */
function requireAnyTag(ifMatch: string | null): void {
  if (ifMatch === null || strongTags(ifMatch) === '*') return
  throw new Problem('precondition_failed', {
    detail:
      'Export pages have weak ETags, which If-Match never matches. Send If-None-Match to check whether anything has changed.',
  })
}

/** 304 with the page's headers, except those about its body and the new walk. */
function nothingNew(headers: Headers): Response {
  for (const name of ['Content-Type', 'Content-Encoding', 'Walk-Token']) headers.delete(name)
  return new Response(null, { status: 304, headers })
}
