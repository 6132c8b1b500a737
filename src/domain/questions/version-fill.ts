// The fill of a program version: the unanswered forms that its stored texts lack compared with the program's key map.

import { type ExportProfile, type KeyMap, type KeyNode, nullMembers } from './key-map.ts'

/** The unanswered forms that all applications to one program version lack, ready to copy. */
export interface VersionFill {
  /** Follows the stored text: the missing members of the top level and the closing brace of `application`. */
  readonly end: Buffer
  /** For each enumerator of the version, by question ID: what each of its entities lacks, including empty buffers. */
  readonly entity: ReadonlyMap<number, Buffer>
}

/**
 * The fills for one version: what the program's key map has and the version's own shape lacks. An origin's code leaves entities as they were
 * submitted, without the questions of other versions.
 */
export function planFill(keyMap: KeyMap, shape: KeyMap, profile: ExportProfile = 'contract'): VersionFill {
  const missing = missingMembers(keyMap, shape, profile)
  const entity = new Map<number, Buffer>()
  const fill = (all: readonly KeyNode[], own: readonly KeyNode[]): void => {
    const ownByKey = new Map(own.map(node => [node.question_key, node]))
    for (const node of all) {
      const ownNode = ownByKey.get(node.question_key)
      if (ownNode === undefined || ownNode.type !== 'ENUMERATOR') continue
      const lacking = profile === 'contract' ? missingMembers(node.children, ownNode.children, profile) : ''
      entity.set(ownNode.question_id, Buffer.from(lacking === '' ? '' : `,${lacking}`))
      fill(node.children, ownNode.children)
    }
  }
  fill(keyMap, shape)
  return {
    end: Buffer.from(`${missing !== '' && shape.length > 0 ? ',' : ''}${missing}},`),
    entity,
  }
}

function missingMembers(all: readonly KeyNode[], own: readonly KeyNode[], profile: ExportProfile): string {
  const ownKeys = new Set(own.map(node => node.question_key))
  return nullMembers(
    all.filter(node => !ownKeys.has(node.question_key)),
    profile,
  )
}
