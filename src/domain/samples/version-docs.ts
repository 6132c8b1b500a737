// The docs of one program version, assembled from the program's versions. Pure, so they can be stored or recomputed.

import { diffVersions, type VersionChange } from '../comparison/version-diff.ts'
import { askedById, conditionText } from '../definitions/condition-text.ts'
import { enumeratorDepthUsual } from '../definitions/program-definition.ts'
import type { DescribableVersion } from '../definitions/version-definition.ts'
import { moreMayBeAdded } from '../fields/field-schema.ts'
import { inLanguage, localizedSettings, translationOf } from '../languages/localized.ts'
import { answerFields, typeLabel } from '../questions/answer-schema.ts'
import { buildKeyMap, type ExportProfile, type KeyMap, type KeyNode } from '../questions/key-map.ts'
import type { QuestionOption, VersionQuestion } from '../questions/question.ts'
import { boundsText } from '../readable/question-bounds.ts'
import { type ExampleVersion, examplePage, type ShortExample, shortExample } from './docs-example.ts'
import { documentedPart, optionTextMax, questionTextMax, shortened } from './documented-part.ts'
import { historySince, type QuestionHistory, questionHistories } from './question-history.ts'

/** A version as the docs need it. */
export interface DocumentableVersion extends ExampleVersion, DescribableVersion {}

/** A version as its questions are described. */
type DescribedVersion = Pick<DocumentableVersion, 'program_version_id' | 'questions' | 'screens'>

/** The docs of one version, as plain JSON. The same while it is a draft and once it is published. */
export interface VersionDocs {
  program_version_id: number
  slug: string
  display_name: string
  statuses: readonly string[]
  /** A page of an export, as JSON text: what the exporter makes of sample answers. */
  example: string
  /** The beginning of it, for lists of programs. */
  short_example: ShortExample
  /** In order of first publication, repeated questions after their enumerator. */
  questions: readonly QuestionDocs[]
  /** How many versions were published before it. Its own number is the next, once it is published (D40). */
  versions_before: number
  /** The published version that `changes` compares with; null for a program's first. */
  changed_since: number | null
  changes: readonly VersionChange[]
  /** Number of the oldest version whose changes are in the histories of questions. */
  history_since: number
  /** The questions of this export, as far as docs show them; what schemas are made of. */
  key_map: KeyMap
  /** What docs of bounded size have no room for; zeros, but for programs of many thousand questions or options. */
  left_out: { questions: number; options: number; changes: number }
}

/** What docs are made with, besides the versions. */
export interface DocsMaking {
  /** Zone of the times in examples: the instance's. */
  timeZone: string
  /** Enumerators within enumerators that docs show; deeper ones are left out. */
  enumeratorDepthMax?: number
  /** How followed programs are exported; `contract` if left out. */
  exportProfile?: ExportProfile
}

/** Most changes that are listed one by one. */
const changesMax = 200

/** A question of the export. */
export interface QuestionDocs {
  question_key: string
  /** As exported; of a followed program, perhaps a type that this release does not know. */
  question_type: string
  /** The place of its question object in an application. */
  path: string
  /** How many enumerators it lies in. */
  depth: number
  admin_name: string
  /** As the program asks it now, or asked it last; a long one is cut. */
  text: string
  /** Whether this version asks it. */
  asked: boolean
  /** The name of the screen that asks it; null for one that no screen asks any more. */
  screen: string | null
  /** Whether an applicant may leave it unanswered. */
  optional: boolean
  /** The program asks it when all of these hold, in the words that applicants read; empty when it always is. A long one is cut. */
  asked_when: readonly string[]
  /** What its answers are held to, such as `at most 20 characters`; empty without bounds. */
  bounds: string
  /** The first version that asked it, by its number. */
  first_version: number
  /** The last version that asked it; null while it is asked. */
  last_version: number | null
  history: QuestionHistory
  fields: readonly FieldDocs[]
  /** Every option id ever selectable, in order of first publication; a long text is cut. */
  options: readonly OptionDocs[]
}

/** A question without its history. */
type DescribedQuestion = Omit<QuestionDocs, 'history'>

/** An answer field. */
export interface FieldDocs {
  path: string
  /** Such as `string or null`. */
  type: string
  /** Its format and meaning. */
  about: string
}

export interface OptionDocs {
  id: string
  text: string
  retired: boolean
  /** The numbers of the first version that had it, and the last: the version itself, unless it is retired. */
  versions: readonly [first: number, last: number]
  /**
   * What its id meant in turn, where that changed or the option was away for a time (D56): for each run of versions with one text, their
   * numbers and the `program_version_id` of the first. Ids rise with the numbers, so an application's own finds its text. Empty where `text` is
   * all that it ever was; of many, the newest.
   */
  earlier: readonly OptionRun[]
}

export interface OptionRun {
  text: string
  versions: readonly [first: number, last: number]
  first_version_id: number
}

/** Most runs of one option. */
const runsMax = 20

/** A run while it is made, with `text` in the default language: translations differ without a change of meaning. */
interface TranslatedRun extends OptionRun {
  translation: string | undefined
}

/**
 * The docs of one of a program's versions. `earlier` are the versions published before it, oldest first: what they asked is in
 * its export too (D20, D21), and it is compared with the last of them. Their size is bounded, whatever the versions ask for (D29).
 * Texts are under the first of `tags` that has them, and else in the default language (D54); changes are described as they were made.
 */
export function versionDocs(
  version: DocumentableVersion,
  earlier: readonly DocumentableVersion[],
  making: DocsMaking,
  tags: readonly string[] = [],
): VersionDocs {
  const { program_version_id, slug, statuses, details = {} } = version
  const display_name = translationOf(details, 'display_name', tags) ?? version.display_name
  const asked = new Set(version.questions.map(question => question.question_id))
  const { keyMap, left_out } = documentedPart(
    buildKeyMap([...earlier, version]),
    asked,
    making.enumeratorDepthMax ?? enumeratorDepthUsual,
  )
  const shown = documentedIds(keyMap)
  const questions = version.questions.filter(question => shown.has(question.question_id))
  const before = earlier.at(-1)
  const histories = historiesOf(keyMap, [...earlier, version])
  const changes = before === undefined ? [] : diffVersions(before, version)
  const example = examplePage({ ...version, questions }, keyMap, making.timeZone)
  return {
    program_version_id,
    slug,
    display_name,
    statuses,
    example,
    short_example: shortExample(example),
    questions: questionDocs(keyMap, version, earlier, tags).map((question, i) => ({
      ...question,
      history: histories[i]!,
    })),
    history_since: historySince(earlier.length + 1),
    versions_before: earlier.length,
    changed_since: before?.program_version_id ?? null,
    changes: changes
      .slice(0, changesMax)
      .map(change => ({ ...change, detail: shortened(change.detail, questionTextMax) })),
    key_map: keyMap,
    left_out: { ...left_out, changes: Math.max(0, changes.length - changesMax) },
  }
}

const documentedIds = (keyMap: KeyMap): Set<number> => new Set(allNodes(keyMap).map(node => node.question_id))

const allNodes = (keyMap: KeyMap): KeyNode[] => keyMap.flatMap(node => [node, ...allNodes(node.children)])

/** The questions of a key map in its order, as the last version that asked each has them; `earlier` oldest first; `tags` as of `versionDocs`. */
export function questionDocs(
  keyMap: KeyMap,
  version: DescribedVersion,
  earlier: readonly Pick<DescribedVersion, 'questions' | 'program_version_id'>[],
  tags: readonly string[] = [],
): DescribedQuestion[] {
  const idOf = sharedIds(keyMap)
  const askedNow = new Map(version.questions.map(question => [idOf(question), question]))
  const askedLast = new Map<number, VersionQuestion>()
  const askedIn = new Map<number, number>()
  const firstVersions = new Map<number, number>()
  const options = new Map<string, TranslatedRun[]>()
  for (const [at, { questions, program_version_id }] of [...earlier, version].entries()) {
    const number = at + 1
    for (const question of questions) {
      const question_id = idOf(question)
      const before = askedIn.get(question_id)
      askedIn.set(question_id, number)
      askedLast.set(question_id, question)
      if (!firstVersions.has(question_id)) firstVersions.set(question_id, number)
      for (const option of question.settings.options ?? []) {
        const name = `${question_id} ${option.admin_id}`
        options.set(name, withRun(options.get(name) ?? [], option, { number, program_version_id, before, tags }))
      }
    }
  }
  const asking = askedById(
    version.questions.map(question => ({ ...question, settings: localizedSettings(question.settings, tags) })),
  )
  const placements = new Map(
    version.screens.flatMap(screen =>
      screen.questions.map(placement => [idOf(placement), { screen, placement }] as const),
    ),
  )
  const describe = (node: KeyNode, prefix: string, depth: number): DescribedQuestion[] => {
    const { question_id, question_key, type, unknown_type = type } = node
    const path = `${prefix}.${question_key}`
    const { admin_name, settings } = askedLast.get(question_id)!
    const placed = placements.get(question_id)
    const conditions = [placed?.screen.visible_when, placed?.placement.visible_when].filter(item => item != null)
    const selectable = new Set(askedNow.get(question_id)?.settings.options?.map(option => option.admin_id))
    return [
      {
        question_key,
        question_type: unknown_type,
        path,
        depth,
        admin_name,
        text: shortened(inLanguage(settings, tags).text, questionTextMax),
        asked: askedNow.has(question_id),
        screen: placed === undefined ? null : inLanguage(placed.screen, tags).name,
        optional: placed?.placement.optional ?? false,
        asked_when: conditions.map(condition => shortened(conditionText(condition, asking), questionTextMax)),
        bounds: boundsText(settings),
        first_version: firstVersions.get(question_id)!,
        last_version: askedNow.has(question_id) ? null : askedIn.get(question_id)!,
        fields: fieldPaths(node, path),
        options: node.option_ids.map(id => optionDocs(id, options.get(`${question_id} ${id}`)!, selectable)),
      },
      ...node.children.flatMap(child => describe(child, `${path}.entities[<index>]`, depth + 1)),
    ]
  }
  return keyMap.flatMap(node => describe(node, 'application', 0))
}

/** The ID under which the docs have a question: that of the first with its key, where questions of a followed program share one. */
function sharedIds(keyMap: KeyMap): (question: { question_id: number }) => number {
  const ids = new Map(
    allNodes(keyMap).flatMap(node =>
      (node.also ?? []).map(({ question_id }) => [question_id, node.question_id] as const),
    ),
  )
  return ({ question_id }) => ids.get(question_id) ?? question_id
}

/** Of each question of a key map, in its order. */
function historiesOf(keyMap: KeyMap, versions: readonly DocumentableVersion[]): QuestionHistory[] {
  const idOf = sharedIds(keyMap)
  const names = new Map(allNodes(keyMap).map(node => [node.question_id, new Set<string>()]))
  for (const { questions } of versions)
    for (const question of questions) names.get(idOf(question))?.add(question.admin_name)
  return questionHistories(versions, [...names.values()])
}

/** The runs of an option with that of one more version, `before` which the question was last asked. */
function withRun(
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

function optionDocs(id: string, runs: readonly TranslatedRun[], selectable: ReadonlySet<string>): OptionDocs {
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

/** Source: spec, "The application object" 5. */
function fieldPaths(node: KeyNode, path: string): FieldDocs[] {
  const fields = Object.entries(answerFields(node, { definitionsAt: '#/$defs/' })).map(([name, schema]) => ({
    path: `${path}.${name}`,
    type: typeLabel(schema),
    // The values are listed with the question.
    about: String(schema.description ?? '')
      .replace(moreMayBeAdded, '')
      .trim(),
  }))
  if (node.type !== 'ENUMERATOR') return fields
  const about = 'The name the applicant gave the entity; not necessarily unique.'
  return [...fields, { path: `${path}.entities[<index>].entity_name`, type: 'string', about }]
}
