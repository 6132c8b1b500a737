// Reads a question's options in every format CiviForm has used. Their order is the order of an export.

import type { SourceQuestion } from '../db/source-catalogue.ts'
import { readTranslation } from './translations.ts'

export interface FollowedOption {
  /** The ID stored in answers. */
  id: string
  /** The exported name. Older ones are free text. */
  adminName: string
  text: string
}

/** In most releases, CiviForm stores no options for YES_NO questions. */
const yesNo: readonly FollowedOption[] = [
  { id: '1', adminName: 'yes', text: 'Yes' },
  { id: '0', adminName: 'no', text: 'No' },
  { id: '2', adminName: 'not-sure', text: 'Not sure' },
  { id: '3', adminName: 'maybe', text: 'Maybe' },
]

/** By ID, in the order of the list; anything that isn't an option is omitted. */
export function readOptions({ question_type, question_options }: SourceQuestion): readonly FollowedOption[] {
  if (question_type === 'YES_NO') return yesNo
  if (!Array.isArray(question_options)) return []
  return question_options.flatMap((stored: Record<string, unknown> | null) => {
    const id = Number(stored?.id)
    if (!Number.isInteger(id)) return []
    const text = readTranslation(stored!.localizedOptionText) ?? oldText(stored!.optionText)
    const adminName =
      typeof stored!.adminName === 'string' && stored!.adminName !== '' ? stored!.adminName : (text ?? String(id))
    return [{ id: String(id), adminName, text: text ?? adminName }]
  })
}

/** Before 2021, the texts were in a separate map by language. */
function oldText(stored: unknown): string | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined
  return readTranslation({ translations: stored })
}
