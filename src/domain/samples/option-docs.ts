// The options of a question in the docs: what the ID of each means, and what it meant in earlier versions.

import { translationOf } from '../languages/localized.ts'
import type { QuestionOption } from '../questions/question.ts'
import { optionTextMax, shortened } from './documented-part.ts'

export interface OptionDocs {
  id: string
  text: string
  retired: boolean
  /** The numbers of the first and last version that had it. The last is the version itself unless the option was retired. */
  versions: readonly [first: number, last: number]
  /**
   * The meanings of its ID over time, if they changed or the option was removed for a while (D56): for each run of versions with one text, their
   * numbers and the `program_version_id` of the first. IDs rise with the numbers, so an application's own ID finds its text. Empty if `text` was its
   * only meaning; if there are many, the newest.
   */
  earlier: readonly OptionRun[]
}

export interface OptionRun {
  text: string
  versions: readonly [first: number, last: number]
  first_version_id: number
}

/** Maximum number of runs per option. */
const runsMax = 20

/** A run under construction, with `text` in the default language: translations can differ without a change of meaning. */
export interface TranslatedRun extends OptionRun {
  translation: string | undefined
}

/** The runs of an option after one more version. `before` is the last version that asked the question. */
export function withRun(
  runs: readonly TranslatedRun[],
  option: QuestionOption,
  now: { number: number; program_version_id: number; before: number | undefined; tags: readonly string[] },
): TranslatedRun[] {
  const { number, program_version_id, before, tags } = now
  const { text } = option
  const last = runs.at(-1)
  const translation = translationOf(option, 'text', tags)
  return last?.text === text && last.versions[1] === before
    ? [
        ...runs.slice(0, -1),
        { ...last, translation: translation ?? last.translation, versions: [last.versions[0], number] },
      ]
    : [...runs, { text, translation, versions: [number, number], first_version_id: program_version_id }]
}

export function optionDocs(id: string, runs: readonly TranslatedRun[], selectable: ReadonlySet<string>): OptionDocs {
  const textOf = ({ text, translation = text }: TranslatedRun): string => shortened(translation, optionTextMax)
  const [first, last] = [runs[0]!, runs.at(-1)!]
  return {
    id,
    text: textOf(last),
    retired: !selectable.has(id),
    versions: [first.versions[0], last.versions[1]],
    earlier:
      runs.length === 1
        ? []
        : runs.slice(-runsMax).map(run => {
            const { versions, first_version_id } = run
            return { text: textOf(run), versions, first_version_id }
          }),
  }
}
