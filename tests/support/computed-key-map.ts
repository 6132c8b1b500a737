// The key map of a program and what its versions lack of it, computed here and now: what is kept must be the same.

import type { Db } from '../../src/db/client.ts'
import { readPublishedVersions } from '../../src/db/programs/programs.ts'
import { buildKeyMap, type KeyMap } from '../../src/domain/questions/key-map.ts'
import { planFill, type VersionFill } from '../../src/domain/questions/version-fill.ts'

export async function computedKeyMap(
  db: Db,
  programId: number,
): Promise<{ keyMap: KeyMap; fills: Map<number, VersionFill> }> {
  const versions = await readPublishedVersions(db, programId)
  const keyMap = buildKeyMap(versions)
  const fills = new Map(
    versions.map(version => [version.program_version_id, planFill(keyMap, buildKeyMap([version]))] as const),
  )
  return { keyMap, fills }
}
