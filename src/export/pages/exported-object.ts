// One application as an export gives it, byte for byte, for those who want just that one.

import type { VersionFill } from '../../domain/questions/version-fill.ts'
import { cutterOf } from '../framings/cut-text.ts'
import type { WalkQuestions } from '../framings/page-framing.ts'
import { splicedBytes, spliceRow } from '../framings/splice.ts'

interface StoredTexts {
  snapshot: string
  annotations: string
  is_current: boolean
  program_version_id: number
}

interface SeenQuestions extends WalkQuestions {
  fills: ReadonlyMap<number, VersionFill>
}

/** The object in an export's `payload`, by the very functions that make it there, with the questions that are seen. */
export function exportedObject(stored: StoredTexts, questions: SeenQuestions): Buffer {
  const { snapshot, annotations, is_current, program_version_id } = stored
  const fill = questions.fills.get(program_version_id)
  if (fill === undefined)
    throw new Error(`an application is of program version ${program_version_id}, which the key map does not cover`)
  const [fixed, changeable] = [Buffer.from(snapshot), Buffer.from(annotations)]
  const bytes = Buffer.concat([fixed, changeable])
  const whole = {
    bytes,
    snapshotFrom: 0,
    snapshotTo: fixed.length,
    annotationsFrom: fixed.length,
    annotationsTo: bytes.length,
    isCurrent: is_current,
    programVersionId: program_version_id,
  }
  const row = cutterOf(questions)?.cut(whole) ?? whole
  const object = Buffer.alloc(splicedBytes(row, fill))
  spliceRow(object, 0, row, fill)
  return object
}
