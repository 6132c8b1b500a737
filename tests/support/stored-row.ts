// A stored application as it lies among others in what PostgreSQL sent, for tests of what is made of it.

import type { StoredRow } from '../../src/core/export/framings/splice.ts'

/** Other bytes are on every side, including markers, so that code that reads beyond its row is noticed. */
export function storedRow(snapshot: string | Buffer, annotations: string | Buffer, isCurrent: boolean): StoredRow {
  const [before, between, after] = [Buffer.from('\x01\x02{'), Buffer.from('\0\0\x01\x02'), Buffer.from('\0\0\0\x01}')]
  const [fixed, changeable] = [Buffer.from(snapshot), Buffer.from(annotations)]
  const snapshotFrom = before.length
  const snapshotTo = snapshotFrom + fixed.length
  const annotationsFrom = snapshotTo + between.length
  return {
    bytes: Buffer.concat([before, fixed, between, changeable, after]),
    snapshotFrom,
    snapshotTo,
    annotationsFrom,
    annotationsTo: annotationsFrom + changeable.length,
    isCurrent,
  }
}
