// The key map of a program and what each of its versions lacks of it, computed from the published versions and kept in memory.
// It must not know who asks. Everything here can be dropped at any time and is computed again on a miss.

import type { Db } from '../db/client.ts'
import { readPublishedVersions } from '../db/programs.ts'
import { buildKeyMap, type KeyMap } from '../domain/key-map.ts'
import { planFill, type VersionFill } from '../domain/version-fill.ts'

export interface ProgramKeyMap {
  keyMap: KeyMap
  /** The shape of each version ever published, by program version id. */
  shapes: ReadonlyMap<number, KeyMap>
  /** What the applications of each version lack of the key map, by program version id. */
  fills: ReadonlyMap<number, VersionFill>
}

/**
 * Key maps by program, each good for as many published versions as it was made from. Because versions are only ever added,
 * a count that is asked for decides whether what is kept is new enough: no notice that could get lost is needed for correctness.
 */
export class KeyMaps {
  readonly #kept = new Map<number, { publishedVersions: number; keyMap: Promise<ProgramKeyMap> }>()

  constructor(private readonly programsMax = 1000) {}

  /** The key map that covers at least `publishedVersions` versions of the program. */
  async load(db: Db, programId: number, publishedVersions: number): Promise<ProgramKeyMap> {
    const kept = this.#kept.get(programId)
    if (kept !== undefined && kept.publishedVersions >= publishedVersions) return kept.keyMap
    const keyMap = computeKeyMap(db, programId)
    this.#keep(programId, publishedVersions, keyMap)
    try {
      return await keyMap
    } catch (error) {
      if (this.#kept.get(programId)?.keyMap === keyMap) this.#kept.delete(programId)
      throw error
    }
  }

  #keep(programId: number, publishedVersions: number, keyMap: Promise<ProgramKeyMap>): void {
    this.#kept.delete(programId)
    this.#kept.set(programId, { publishedVersions, keyMap })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > this.programsMax && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** The key map from every version ever published (D21), read afresh. */
export async function computeKeyMap(db: Db, programId: number): Promise<ProgramKeyMap> {
  const versions = await readPublishedVersions(db, programId)
  const keyMap = buildKeyMap(versions)
  const shapes = new Map(versions.map(version => [version.program_version_id, buildKeyMap([version])]))
  const fills = new Map([...shapes].map(([id, shape]) => [id, planFill(keyMap, shape)]))
  return { keyMap, shapes, fills }
}
