// The docs of one program version, assembled from the program's versions. Pure, so they can be stored or recomputed.

import { diffVersions, type VersionChange } from '../comparison/version-diff.ts'
import { enumeratorDepthUsual } from '../definitions/program-definition.ts'
import type { DescribableVersion } from '../definitions/version-definition.ts'
import { translationOf } from '../languages/localized.ts'
import { buildKeyMap, type ExportProfile, type KeyMap } from '../questions/key-map.ts'
import { type ExampleVersion, examplePage, type ShortExample, shortExample } from './docs-example.ts'
import { documentedPart, questionTextMax, shortened } from './documented-part.ts'
import { allNodes, type QuestionDocs, questionDocs, sharedIds } from './question-docs.ts'
import { historySince, type QuestionHistory, questionHistories } from './question-history.ts'

/** A version as the docs need it. */
export interface DocumentableVersion extends ExampleVersion, DescribableVersion {}

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
  /** The numbers of items for which docs of limited size have no room; zero except in programs with many thousand questions or options. */
  left_out: { questions: number; options: number; changes: number }
}

/** Everything docs are generated from besides the versions. */
export interface DocsMaking {
  /** Zone of the times in examples: the instance's. */
  timeZone: string
  /** Enumerators within enumerators that docs show; deeper ones are left out. */
  enumeratorDepthMax?: number
  /** How followed programs are exported; `contract` if left out. */
  exportProfile?: ExportProfile
}

/** Maximum number of changes listed individually. */
const changesMax = 200

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

/** The history of each question in a key map, in its order. */
function historiesOf(keyMap: KeyMap, versions: readonly DocumentableVersion[]): QuestionHistory[] {
  const idOf = sharedIds(keyMap)
  const names = new Map(allNodes(keyMap).map(node => [node.question_id, new Set<string>()]))
  for (const { questions } of versions)
    for (const question of questions) names.get(idOf(question))?.add(question.admin_name)
  return questionHistories(versions, [...names.values()])
}
