// Lists how each question changed across a program's versions, for its docs.

import { questionChanges, settingChanges, type VersionChange } from '../comparison/version-diff.ts'
import type { QuestionDefinition } from '../definitions/program-definition.ts'
import { type DescribableVersion, describeWhole } from '../definitions/version-definition.ts'
import { exportedType } from '../questions/question.ts'
import { questionTextMax, shortened } from './documented-part.ts'

/** The changes of a question after the version that first asked it, newest first. */
export interface QuestionHistory {
  changes: readonly QuestionChange[]
  /** Number of older changes left out. */
  earlier: number
}

export interface QuestionChange {
  /** Number of the version with the change; a draft has the next number (D40). */
  version: number
  program_version_id: number
  code: VersionChange['code']
  /** The change in words; a long one is cut. */
  detail: string
}

/** Number of most recent versions whose changes are listed. */
const versionsMax = 100
/** Maximum number of changes per question. */
const changesMax = 20
/** Maximum size of all questions' changes in the docs, in approximate characters. */
const charactersMax = 1_000_000

/** Number of the oldest of `count` versions whose changes are listed. */
export const historySince = (count: number): number => Math.max(1, count - versionsMax + 1)

/**
 * The histories of questions, which are given by admin name, in the same order. All names in one entry share a question key, which only happens in
 * followed programs. The size is bounded for any set of versions (D29).
 */
export function questionHistories(
  versions: readonly (DescribableVersion & { program_version_id: number })[],
  questions: readonly Iterable<string>[],
): QuestionHistory[] {
  const histories = new Map<string, { changes: QuestionChange[]; earlier: number }>()
  const all = questions.map(names => {
    const history = { changes: [], earlier: 0 }
    for (const name of names) histories.set(name, history)
    return history
  })
  const seen = new Map<string, QuestionDefinition>()
  const started = new Set<object>()
  let before: ReturnType<typeof describeWhole> | undefined
  for (const [at, version] of versions.entries()) {
    const after = describeWhole(version)
    const compared = before !== undefined && at + 1 >= historySince(versions.length)
    const defined = new Map(after.questions.map(question => [question.admin_name, question]))
    for (const change of compared ? questionChanges(before!, after) : []) {
      const history = histories.get(change.subject)
      if (history === undefined || !started.has(history)) continue
      for (const { code, detail } of withReturn(change, seen, defined)) {
        const { program_version_id } = version
        history.changes.push({ version: at + 1, program_version_id, code, detail: shortened(detail, questionTextMax) })
        if (history.changes.length <= changesMax) continue
        history.changes.shift()
        history.earlier++
      }
    }
    for (const [name, question] of defined) {
      seen.set(name, question)
      const history = histories.get(name)
      if (history !== undefined) started.add(history)
    }
    before = after
  }
  return withinBounds(all)
}

/** A question that is asked again is compared with the last version that asked it. A question that takes over a key may have another type. */
function withReturn(
  change: VersionChange,
  seen: ReadonlyMap<string, QuestionDefinition>,
  defined: ReadonlyMap<string, QuestionDefinition>,
): VersionChange[] {
  const { code, subject, detail } = change
  if (code !== 'question_added') return [change]
  const [earlier, later] = [seen.get(subject), defined.get(subject)!]
  return earlier === undefined
    ? [{ code, subject, detail: `${detail} Type: ${exportedType(later.kind) ?? later.kind}.` }]
    : [change, ...settingChanges(subject, earlier, later)]
}

/** Newest first. Each question gets a share of the characters. */
function withinBounds(histories: readonly QuestionHistory[]): QuestionHistory[] {
  let room = charactersMax
  return histories.map(({ changes, earlier }, i) => {
    // Changes of one version keep their order.
    const newest = changes.toSorted((a, b) => b.version - a.version)
    const share = room / (histories.length - i)
    let used = 0
    const shown = newest.filter(({ detail }) => {
      used += detail.length + 100
      return used <= share
    })
    room -= Math.min(used, share)
    return { changes: shown, earlier: earlier + newest.length - shown.length }
  })
}
