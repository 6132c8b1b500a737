// One application as an export gives it, byte for byte, for those who want just that one.

import type { VersionFill } from '../domain/questions/version-fill.ts'
import { splicedBytes, spliceRow } from './splice.ts'

interface StoredTexts {
  snapshot: string
  annotations: string
  is_current: boolean
}

/** The object in an export's `payload`, by the very function that makes it there. `fill` is its version's. */
export function exportedObject({ snapshot, annotations, is_current }: StoredTexts, fill: VersionFill): Buffer {
  const [fixed, changeable] = [Buffer.from(snapshot), Buffer.from(annotations)]
  const bytes = Buffer.concat([fixed, changeable])
  const row = {
    bytes,
    snapshotFrom: 0,
    snapshotTo: fixed.length,
    annotationsFrom: fixed.length,
    annotationsTo: bytes.length,
    isCurrent: is_current,
  }
  const object = Buffer.alloc(splicedBytes(row, fill))
  spliceRow(object, 0, row, fill)
  return object
}
