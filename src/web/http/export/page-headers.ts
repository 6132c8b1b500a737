// Response headers of an export page, built while the first rows are loading, and responses without a body.
// The next page's token is among them only if the page has no place for it; otherwise it is known only after the last row.

import { invalidRequest, type KeyQuota, Problem } from '../../../base/problem.ts'
import type { AnnouncedPage } from '../../../core/export/pages/serve-page.ts'
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

  /**
   * Sets the headers of a page that has no place for a token. Throws Problem `invalid_request` if pages follow and the request doesn't show
   * that its sender knows about pages: nothing in such a page tells that it is not the whole export.
   */
  readonly announce = ({ applications, nextPageToken }: AnnouncedPage): void => {
    if (nextPageToken !== null && !this.opened.knowsPages) throw morePages()
    this.headers.set('Application-Count', String(applications))
    this.headers.set('Next-Page-Token', nextPageToken ?? 'none')
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

const morePages = (): Problem =>
  invalidRequest('The applications do not fit on one page.', [
    {
      parameter: 'pageSize',
      code: 'more_than_one_page',
      detail:
        'is required if there is more than one page, because nothing in this format shows that a page follows. Send it, and ' +
        'request each next page with the token in the Next-Page-Token header until the header is none.',
    },
  ])

/** 304 with the page's headers, except those about its body and the new walk. */
function nothingNew(headers: Headers): Response {
  for (const name of ['Content-Type', 'Content-Encoding', 'Walk-Token']) headers.delete(name)
  return new Response(null, { status: 304, headers })
}
