// What the docs say about one version of a program, put together from the program's versions. Pure, so it can be kept or made again.
// It must not know where versions come from, how docs are shown, or the address of the service.

import type { DescribableVersion } from '../definitions/version-definition.ts'
import { diffVersions, type VersionChange } from '../definitions/version-diff.ts'
import { answerFields, typeWords } from '../questions/answer-schema.ts'
import { buildKeyMap, type KeyMap, type KeyNode } from '../questions/key-map.ts'
import type { ExportedType, VersionQuestion } from '../questions/question.ts'
import { type ExampleVersion, examplePage } from './docs-example.ts'

/** A version as the docs need it. */
export interface DocumentableVersion extends ExampleVersion, DescribableVersion {}

/** The docs of one version, as plain JSON. The same while it is a draft and once it is published. */
export interface VersionDocs {
  program_version_id: number
  slug: string
  display_name: string
  statuses: readonly string[]
  /** A page of an export, as JSON text: what the exporter makes of invented answers. */
  example: string
  /** In order of first publication, repeated questions behind their enumerator. */
  questions: readonly QuestionDocs[]
  /** The published version that `changes` compares with; null for a program's first. */
  changed_since: number | null
  changes: readonly VersionChange[]
  /** Every question the export of this version has; what schemas are made of. */
  key_map: KeyMap
}

/** A question of the export. */
export interface QuestionDocs {
  question_key: string
  question_type: ExportedType
  /** Where its question object stands in an application. */
  path: string
  /** How many enumerators it lies in. */
  depth: number
  admin_name: string
  /** As asked now; as it was asked last, where it is not asked any more. */
  text: string
  /** Whether this version asks it. */
  asked: boolean
  fields: readonly { path: string; type: string }[]
  /** Every option id ever selectable, in order of first publication. */
  options: readonly { id: string; text: string; retired: boolean }[]
}

/**
 * The docs of one of a program's versions. `earlier` are the versions published before it, oldest first: what they asked is in
 * its export too (D20, D21), and it is compared with the last of them.
 */
export function versionDocs(
  version: DocumentableVersion,
  earlier: readonly DocumentableVersion[],
  timeZone: string,
): VersionDocs {
  const { program_version_id, slug, display_name, statuses } = version
  const keyMap = buildKeyMap([...earlier, version])
  const before = earlier.at(-1)
  return {
    ...{ program_version_id, slug, display_name, statuses },
    example: examplePage(version, keyMap, timeZone),
    questions: questionDocs(keyMap, version, earlier),
    changed_since: before?.program_version_id ?? null,
    changes: before === undefined ? [] : diffVersions(before, version),
    key_map: keyMap,
  }
}

function questionDocs(
  keyMap: KeyMap,
  version: DocumentableVersion,
  earlier: readonly DocumentableVersion[],
): QuestionDocs[] {
  const askedNow = new Map(version.questions.map(question => [question.question_id, question]))
  const askedLast = new Map<number, VersionQuestion>()
  const optionTexts = new Map<string, string>()
  for (const question of [...earlier, version].flatMap(one => one.questions)) {
    askedLast.set(question.question_id, question)
    for (const option of question.settings.options ?? [])
      optionTexts.set(`${question.question_id} ${option.admin_id}`, option.text)
  }
  const describe = (node: KeyNode, prefix: string, depth: number): QuestionDocs[] => {
    const { question_id, question_key, type } = node
    const path = `${prefix}.${question_key}`
    const { admin_name, settings } = askedLast.get(question_id)!
    const selectable = new Set(askedNow.get(question_id)?.settings.options?.map(option => option.admin_id))
    return [
      {
        ...{ question_key, question_type: type, path, depth, admin_name, text: settings.text },
        asked: askedNow.has(question_id),
        fields: fieldPaths(node, path),
        options: node.option_ids.map(id => ({
          id,
          text: optionTexts.get(`${question_id} ${id}`) ?? '',
          retired: !selectable.has(id),
        })),
      },
      ...node.children.flatMap(child => describe(child, `${path}.entities[<index>]`, depth + 1)),
    ]
  }
  return keyMap.flatMap(node => describe(node, 'application', 0))
}

/** Source: spec, "The application object" 5. */
function fieldPaths(node: KeyNode, path: string): { path: string; type: string }[] {
  const fields = Object.entries(answerFields(node, { definitionsAt: '#/$defs/' })).map(([name, schema]) => ({
    path: `${path}.${name}`,
    type: typeWords(schema),
  }))
  return node.type === 'ENUMERATOR'
    ? [...fields, { path: `${path}.entities[<index>].entity_name`, type: 'string' }]
    : fields
}
