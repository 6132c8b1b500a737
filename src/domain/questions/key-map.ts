// The key map: the tree of all questions a program has ever published, and the JSON of each unanswered question.
// A pure function of the published versions.

import { isList } from '../fields/question-type.ts'
import { type ExportedType, exportedType, exportedTypes, typeNamed, type VersionQuestion } from './question.ts'

/** One exported question. `children` are its repeated questions (ENUMERATOR only), `option_ids` all IDs that were ever selectable. */
export interface KeyNode {
  question_id: number
  question_key: string
  type: ExportedType
  option_ids: readonly string[]
  children: readonly KeyNode[]
  /** The origin's name for a type that this release does not know. Its answers are exported with their type only. */
  unknown_type?: string
  /** Later questions with the same key under the same parent, which only followed programs have (key rule `origin`). */
  also?: readonly { question_id: number; type: ExportedType }[]
}

/** The questions of one published version, STATIC ones included. */
export interface PublishedVersion {
  program_version_id: number
  questions: readonly VersionQuestion[]
}

/** The top level of the tree, in order of first publication. */
export type KeyMap = readonly KeyNode[]

interface GrowingNode extends KeyNode {
  option_ids: string[]
  children: GrowingNode[]
  also?: { question_id: number; type: ExportedType }[]
}

/**
 * The key map of a program: the union of its published versions, oldest first, at every depth (D20, D21). It only grows. For a single version, it is
 * that version's shape. Every repeated question's enumerator must be in the same version.
 */
export function buildKeyMap(versions: readonly PublishedVersion[]): KeyMap {
  const top: GrowingNode[] = []
  const nodes = new Map<number, GrowingNode>()
  const places = new Map<string, GrowingNode>()
  for (const version of versions) {
    for (const question of parentsFirst(version.questions)) {
      const type = exportedType(question.kind)
      if (type === undefined) continue
      let node = nodes.get(question.question_id)
      if (node === undefined) {
        node = {
          question_id: question.question_id,
          question_key: question.question_key,
          type,
          option_ids: [],
          children: [],
        }
        if (question.settings.origin_type !== undefined) node.unknown_type = question.settings.origin_type
        const parent = question.enumerator_id === null ? undefined : nodes.get(question.enumerator_id)
        if (parent === undefined && question.enumerator_id !== null) {
          throw new Error(
            `question ${question.question_id} is repeated under ${question.enumerator_id}, which version ${version.program_version_id} lacks`,
          )
        }
        const place = `${parent?.question_id} ${question.question_key}`
        const duplicate = places.get(place)
        if (duplicate === undefined) {
          places.set(place, node)
          ;(parent?.children ?? top).push(node)
        } else {
          duplicate.also = [...(duplicate.also ?? []), { question_id: question.question_id, type }]
          node = duplicate
        }
        nodes.set(question.question_id, node)
      }
      const known = new Set(node.option_ids)
      for (const { admin_id } of question.settings.options ?? [])
        if (!known.has(admin_id)) node.option_ids.push(admin_id)
    }
  }
  return top
}

/** Enumerators before the questions repeated under them, otherwise in the given order. */
function parentsFirst(questions: readonly VersionQuestion[]): VersionQuestion[] {
  const ordered: VersionQuestion[] = []
  const placed = new Set<number>()
  const byId = new Map(questions.map(q => [q.question_id, q]))
  const place = (question: VersionQuestion): void => {
    if (placed.has(question.question_id)) return
    placed.add(question.question_id)
    const parent = question.enumerator_id === null ? undefined : byId.get(question.enumerator_id)
    if (parent !== undefined) place(parent)
    ordered.push(question)
  }
  for (const question of questions) place(question)
  return ordered
}

/** By the contract, or by the origin's code, which has no `file_key`. */
export type ExportProfile = 'contract' | 'origin'

/** `"key":{…unanswered…}` for each node, joined by commas; empty without nodes. */
export function nullMembers(nodes: readonly KeyNode[], profile: ExportProfile = 'contract'): string {
  return nodes.map(node => `${JSON.stringify(node.question_key)}:${unansweredForm(node, profile)}`).join(',')
}

/** The fields of a question object besides its type; none for an unknown type. */
export function exportedFields({ type, unknown_type }: Pick<KeyNode, 'type' | 'unknown_type'>, profile: ExportProfile) {
  if (unknown_type !== undefined) return []
  const fields = Object.entries(typeNamed(type).fields)
  return profile === 'origin' ? fields.filter(([name]) => name !== 'file_key') : fields
}

/**
 * The question object of an unanswered question, possibly of an unknown type, as JSON text. Source: spec, "Unanswered questions carry `null` values
 * (or empty arrays where stated)".
 */
export function unansweredForm(
  node: Pick<KeyNode, 'type' | 'unknown_type'>,
  profile: ExportProfile = 'contract',
): string {
  const { type, unknown_type } = node
  if (unknown_type !== undefined) return `{"question_type":${JSON.stringify(unknown_type)}}`
  return nullForms[profile][type]!
}

const nullForms = { contract: formsOf('contract'), origin: formsOf('origin') }

function formsOf(profile: ExportProfile): Readonly<Record<string, string>> {
  return Object.fromEntries(exportedTypes.map(type => [type, unansweredText(type, profile)]))
}

function unansweredText(type: ExportedType, profile: ExportProfile): string {
  const fields = exportedFields({ type }, profile)
  return `{"question_type":"${type}",${fields.map(([name, field]) => `"${name}":${isList(field.form) ? '[]' : 'null'}`).join(',')}}`
}
