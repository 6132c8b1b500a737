// Describes the effects of a publication on clients that pull applications.

import { questionKey } from '../questions/question-key.ts'
import { textToRead, type VersionChange } from './version-diff.ts'

export interface ExportEffect {
  /** Of the change. */
  code: VersionChange['code']
  /** Key of the question in exports, or `status`. */
  key: string
  detail: string
}

/** What of the changes is seen in exports, each sentence once; none when all stays as it was there. */
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
      return [`${key} appears in every application, also in earlier ones: there it is unanswered.`]
    case 'question_removed':
      return [`${key} stays in every application. From now on it is unanswered in new ones.`]
    case 'option_added':
      return [`${key} can have an option id that was not there before. ${detail}`]
    case 'option_returned':
      return [`${key} can have an option id again that it had before. ${detail}`]
    case 'option_reused':
      return [`${key} can have an option id that means something else in earlier applications. ${detail}`]
    case 'option_removed':
      return [`${key} keeps the option in the applications that have it. ${detail}`]
    case 'optional_changed':
    case 'condition_changed':
      return [`${key} may be unanswered in other cases than before.`]
    case 'statuses_changed':
      return ['status can have other values than before. Applications keep the status they have.']
    default:
      return []
  }
}
