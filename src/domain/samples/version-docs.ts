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

/** What docs need of a version. */
export interface DocumentableVersion extends ExampleVersion, DescribableVersion {}

/** The docs of one version as plain JSON. They are the same for a draft as after its publication. */
export interface VersionDocs {
  program_version_id: number
  slug: string
  display_name: string
  statuses: readonly string[]
  /** An export page as JSON text: the exporter's output for sample answers. */
  example: string
  /** Its beginning, for lists of programs. */
  short_example: ShortExample
  /** In order of first publication, repeated questions after their enumerator. */
  questions: readonly QuestionDocs[]
  /** Number of versions published before it. Its own number, once published, is the next one (D40). */
  versions_before: number
  /** The published version that `changes` compares with; null for a program's first. */
  changed_since: number | null
  changes: readonly VersionChange[]
  /** Number of the oldest version whose changes are in the histories of questions. */
  history_since: number
  /** The documented questions of this export, from which schemas are generated. */
  key_map: KeyMap
  /** The numbers of items that did not fit into the docs; zero except in programs with many thousands of questions or options. */
  left_out: { questions: number; options: number; changes: number }
}

/** Everything docs are generated from besides the versions. */
export interface DocsMaking {
  /** Time zone of the examples: the instance's. */
  timeZone: string
  /** Maximum nesting of enumerators in docs; deeper ones are omitted. */
  enumeratorDepthMax?: number
  /** How followed programs are exported; `contract` if omitted. */
  exportProfile?: ExportProfile
}

/** Maximum number of changes listed individually. */
const changesMax = 200

/**
 * The docs of one of a program's versions. `earlier` are the versions published before it, oldest first: exports contain their questions, too (D20,
 * D21), and the version is compared with the last of them. The size is bounded for any set of versions (D29). Texts are in the first language of
 * `tags` that has them, otherwise in the default language (D54); changes are described in the language in which they were made.
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
