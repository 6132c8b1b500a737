// The facts of a program that are needed to read and render its applications.

import type { PublishedVersion } from '../../domain/questions/key-map.ts'
import { buildKeyMap, type KeyMap } from '../../domain/questions/key-map.ts'
import { type KnownMembers, knownMembers } from './question-objects.ts'

interface LoadVersion {
  shape: KeyMap
  members: KnownMembers
}

export interface LoadDefinition {
  program_id: number
  slug: string
  /** Every published version, by program version id. */
  versions: ReadonlyMap<number, LoadVersion>
}

export function loadDefinition(
  program_id: number,
  slug: string,
  published: readonly PublishedVersion[],
): LoadDefinition {
  const keyMap = buildKeyMap(published)
  const versions = published.map(version => {
    const shape = buildKeyMap([version])
    return [version.program_version_id, { shape, members: knownMembers(keyMap, shape) }] as const
  })
  return { program_id, slug, versions: new Map(versions) }
}
