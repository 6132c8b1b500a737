// Renders a single application byte for byte as in an export.

import type { VersionFill } from '../../../domain/questions/version-fill.ts'
import { cutterOf } from '../framings/cut-text.ts'
import type { RowWriter, VersionedRow, WalkQuestions } from '../framings/page-framing.ts'
import { splicedBytes, spliceRow } from '../framings/splice.ts'

interface StoredTexts {
  snapshot: string
  annotations: string
  is_current: boolean
  program_version_id: number
}

interface VisibleQuestions extends WalkQuestions {
  fills: ReadonlyMap<number, VersionFill>
}

/** The object in an export's `payload`, rendered by the same functions, with the visible questions. */
export function exportedObject(stored: StoredTexts, questions: VisibleQuestions): Buffer {
  const fill = fillOf(stored, questions)
  const whole = storedRow(stored)
  const row = cutterOf(questions)?.cut(whole) ?? whole
  const object = Buffer.alloc(splicedBytes(row, fill))
  spliceRow(object, 0, row, fill)
  return object
}

/** The text that a framing's rows write for it. */
export function framedRow(stored: StoredTexts, questions: VisibleQuestions, rows: RowWriter): Buffer {
  const fill = fillOf(stored, questions)
  const row = storedRow(stored)
  const target = Buffer.alloc(rows.bytes(row, fill))
  return target.subarray(0, rows.write(target, 0, row, fill))
}

function fillOf({ program_version_id }: StoredTexts, { fills }: VisibleQuestions): VersionFill {
  const fill = fills.get(program_version_id)
  if (fill !== undefined) return fill
  throw new Error(`an application belongs to program version ${program_version_id}, which the key map does not cover`)
}

function storedRow({ snapshot, annotations, is_current, program_version_id }: StoredTexts): VersionedRow {
  const [fixed, changeable] = [Buffer.from(snapshot), Buffer.from(annotations)]
  const bytes = Buffer.concat([fixed, changeable])
  return {
    bytes,
    snapshotFrom: 0,
    snapshotTo: fixed.length,
    annotationsFrom: fixed.length,
    annotationsTo: bytes.length,
    isCurrent: is_current,
    programVersionId: program_version_id,
  }
}
