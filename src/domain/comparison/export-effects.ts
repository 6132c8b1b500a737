// Describes the effects of a publication on clients that pull applications.

import { questionKey } from '../questions/question-key.ts'
import { textToRead, type VersionChange } from './version-diff.ts'

export interface ExportEffect {
  /** Code of the change. */
  code: VersionChange['code']
  /** Key of the question in exports, or `status`. */
  key: string
  detail: string
}

/** The effects of the changes on exports, each once; none if exports stay the same. */
export function exportEffects(changes: readonly VersionChange[]): ExportEffect[] {
  const effects = changes
    .filter(({ detail }) => !detail.startsWith(textToRead))
    .flatMap(({ code, subject, detail }) => {
      const key = code === 'statuses_changed' ? 'status' : questionKey(subject)
      return effectsOf(code, key, detail).map(effect => ({ code, key, detail: effect }))
    })
  return [...Map.groupBy(effects, ({ detail }) => detail).values()].map(([first]) => first!)
}

function effectsOf(code: VersionChange['code'], key: string, detail: string): string[] {
  switch (code) {
    case 'question_added':
      return [`${key} appears in every application; in earlier ones it is unanswered.`]
    case 'question_removed':
      return [`${key} remains in every application; in new ones it is unanswered.`]
    case 'option_added':
      return [`${key} can have a new option ID. ${detail}`]
    case 'option_returned':
      return [`${key} can again have an option ID that it had before. ${detail}`]
    case 'option_reused':
      return [`${key} can have an option ID that has another meaning in earlier applications. ${detail}`]
    case 'option_removed':
      return [`${key} keeps the option in applications that already have it. ${detail}`]
    case 'optional_changed':
    case 'condition_changed':
      return [`${key} can be unanswered in different cases than before.`]
    case 'statuses_changed':
      return ['status can have different values than before. Existing applications keep their status.']
    default:
      return []
  }
}
