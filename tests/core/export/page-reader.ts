// A page as it is written, to a client that keeps what it is given.

import { jsonPage } from '../../../src/core/export/framings/all-framings.ts'
import type { PagePlan } from '../../../src/core/export/pages/pack-page.ts'
import { type PageLimits, pageLimits } from '../../../src/core/export/pages/page-limits.ts'
import type { Sink } from '../../../src/core/export/pages/page-outlet.ts'
import { type PageToWrite, writePage } from '../../../src/core/export/pages/write-page.ts'
import { PageBuffers } from '../../../src/core/export/servers/exports.ts'
import { noFilters } from '../../../src/db/walks/walk-filters.ts'
import type { Position } from '../../../src/db/walks/walks.ts'
import type { RawProgram } from '../../support/raw-applications.ts'

export const limits: PageLimits = { ...pageLimits, releaseAfterMs: 60_000, stallTimeoutMs: 60_000 }
export const batch = 10
export const small: PageLimits = {
  ...limits,
  firstBatchRows: 4,
  batchRows: batch,
  aheadBytes: 0,
}

/** A page of all applications of a program that has as many as `horizon`. */
export const planOf = (of: RawProgram, horizon: number, pageSize: number, after?: Position): PagePlan => ({
  walk: {
    programId: of.program_id,
    horizon,
    lastChange: undefined,
    filters: noFilters,
  },
  after,
  pageSize,
})

/** A client that keeps what it is given, and may do something before each write is taken. */
export class Reader implements Sink {
  text = ''
  writes = 0
  constructor(private readonly beforeTaking: (write: number) => boolean | Promise<boolean> = () => true) {}
  write(bytes: Uint8Array): boolean | Promise<boolean> {
    // The socket takes none of them, as of a client that has gone.
    if (bytes.length === 0) throw new Error('nothing was written')
    // A TextDecoder would leave out a byte order mark.
    this.text += Buffer.from(bytes).toString()
    return this.beforeTaking(++this.writes)
  }
  page(): { payload: { application_id: number }[]; nextPageToken: string | null } {
    return JSON.parse(this.text)
  }
}

/** With small buffers, in small batches. */
export const write = (page: Pick<PageToWrite, 'plan' | 'fills' | 'exports' | 'sink'> & Partial<PageToWrite>) =>
  writePage({
    framing: jsonPage,
    limits: small,
    buffers: new PageBuffers(2048, 4),
    sealNext: position => JSON.stringify(position),
    ...page,
  })

export const idsOf = (reader: Reader): number[] => reader.page().payload.map(a => a.application_id)
