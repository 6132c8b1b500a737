// Export requests as tests send them: parsed, and with tokens of a walk.

import { sealPageToken } from '../../src/core/export/requests/page-token.ts'
import { type ExportRequest, parseExportRequest } from '../../src/core/export/requests/request.ts'
import type { PageToken } from '../../src/core/export/requests/walk.ts'
import { noFilters } from '../../src/db/walks/walk-filters.ts'
import { prefersStrictHandling } from '../../src/web/http/headers/preference.ts'
import { parseQueryString } from '../../src/web/http/headers/sent-text.ts'
import { refusal } from './refusal.ts'

export const limits = { maxPageSize: 1000, timeZone: 'America/New_York' }
export const utc = (text: string): number => Date.parse(text) * 1000

export const tokens = { keys: [Buffer.alloc(32, 7)], now: 0, ttlMs: 1000, programId: 1 }

export const parse = (query: string, prefer: string | null = null, timeZone = limits.timeZone): ExportRequest =>
  parseExportRequest({ ...parseQueryString(query), strict: prefersStrictHandling(prefer) }, { timeZone }, tokens)

export const codes = (attempt: () => unknown): [string | undefined, string][] =>
  refusal(attempt).errors.map(({ parameter, code }) => [parameter, code])

export function token(changes: Partial<PageToken> = {}): PageToken {
  return {
    programId: 1,
    walkId: '00000000000000aa',
    horizon: 10,
    lastChange: { time: 1, application_id: 1 },
    questionsAsOf: 1,
    after: { submit_time: 1, submit_seq: 1 },
    filters: noFilters,
    pageSize: 1000,
    pageSizeMax: 1000,
    applications: 1000,
    issuedAt: 0,
    ...changes,
  }
}

export const sealed = (changes: Partial<PageToken> = {}): string =>
  sealPageToken({ ...token(), questionsAsOf: 1, ...changes }, tokens.keys)
