// Detects option IDs that a version adds and that had another meaning in an earlier version (contract D56).

import type { QuestionOption } from '../questions/question.ts'
import { optionAdded, type VersionChange } from './version-facts.ts'

/** The options that a published version offered. */
interface OfferingVersion {
  version_number: number | null
  published_at: number | null
  questions: readonly { admin_name: string; question_key: string; settings: { options?: readonly QuestionOption[] } }[]
}

/** An added option, and the last version that had its ID. */
export interface ReusedOption {
  admin_name: string
  question_key: string
  id: string
  text: string
  /** Its text in that version, and that version's number. */
  was: string
  until: number
  /** When the version after it was published. */
  to: number
}

/** The options that `changes` add and an earlier published version already had, in the order of the questions. */
export function reusedOptions(
  changes: readonly VersionChange[],
  questions: readonly { admin_name: string; options?: readonly QuestionOption[] }[],
  published: readonly OfferingVersion[],
): ReusedOption[] {
  const added = new Set(changes.filter(({ code }) => code === 'option_added').map(nameOf))
  return questions.flatMap(({ admin_name, options = [] }) =>
    options.flatMap(({ admin_id: id, text }) => {
      if (!added.has(nameOf({ subject: admin_name, detail: optionAdded(id, text) }))) return []
      const last = published.findLastIndex(version => textOf(version, admin_name, id) !== undefined)
      const [before, after] = [published[last], published[last + 1]]
      if (before === undefined || after === undefined) return []
      const { question_key } = before.questions.find(question => question.admin_name === admin_name)!
      const [was, until] = [textOf(before, admin_name, id)!, before.version_number!]
      return [{ admin_name, question_key, id, text, was, until, to: after.published_at! }]
    }),
  )
}

const nameOf = ({ subject, detail }: Omit<VersionChange, 'code'>): string => `${subject} ${detail}`

const textOf = ({ questions }: OfferingVersion, name: string, id: string): string | undefined =>
  questions.find(({ admin_name }) => admin_name === name)?.settings.options?.find(({ admin_id }) => admin_id === id)
    ?.text

/** The changes, each reused ID with its earlier meaning; `having` describes how many applications contain the option's ID. */
export function sayReuse(
  changes: readonly VersionChange[],
  reused: readonly ReusedOption[],
  having: (option: ReusedOption) => string,
): VersionChange[] {
  const byName = new Map(
    reused.map(option => [nameOf({ subject: option.admin_name, detail: optionAdded(option.id, option.text) }), option]),
  )
  return changes.map(change => {
    const item = byName.get(nameOf(change))
    if (item === undefined) return change
    const { admin_name: subject, id, text, was, until } = item
    return was === text
      ? {
          code: 'option_returned',
          subject,
          detail: `Option “${text}” (${id}) is back. It was last in version ${until}.`,
        }
      : {
          code: 'option_reused',
          subject,
          detail: `Option “${text}” (${id}) added. The ID meant “${was}” up to version ${until}; ${having(item)}.`,
        }
  })
}
