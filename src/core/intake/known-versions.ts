// Cache of published program versions. The questions of a version never change, so a process reads and plans each version once.

import type { Db, Sql } from '../../db/client.ts'
import {
  findActiveVersionName,
  loadProgramVersion,
  type StoredProgramVersion,
  type VersionName,
} from '../../db/programs/programs.ts'
import { buildKeyMap, type KeyMap } from '../../domain/questions/key-map.ts'
import { notPublished } from './refusals.ts'

export interface KnownVersion {
  version: StoredProgramVersion
  /** Key map of this version only. */
  shape: KeyMap
}

/** Loading takes ten times as long as any other statement of a submission; some versions are a megabyte. */
export class KnownVersions {
  readonly #known = new Map<string, KnownVersion>()

  constructor(private readonly versionsMax = 200) {}

  /** Throws Problem `not_found` if the version does not exist. */
  async load(db: Db, { program_version_id, published_at }: VersionName): Promise<KnownVersion> {
    const name = `${program_version_id} ${published_at}`
    const known = this.#known.get(name) ?? (await readVersion(db, program_version_id))
    // Drops the least recently used version.
    this.#known.delete(name)
    this.#known.set(name, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.versionsMax && oldest !== undefined) this.#known.delete(oldest)
    return known
  }
}

async function readVersion(db: Db, programVersionId: number): Promise<KnownVersion> {
  const version = await loadProgramVersion(db, programVersionId)
  return { version, shape: buildKeyMap([version]) }
}

/** The ACTIVE version. Throws Problem `not_found` before the first publication. */
export async function knownActiveVersion(sql: Sql, programId: number): Promise<KnownVersion> {
  const name = await findActiveVersionName(sql, programId)
  if (name === undefined) throw notPublished()
  return knownVersions(sql).load(sql, name)
}

const ofDatabases = new WeakMap<Sql, KnownVersions>()

/** Cached versions of a database, kept as long as its connection pool. */
export function knownVersions(sql: Sql): KnownVersions {
  let known = ofDatabases.get(sql)
  if (known === undefined) {
    known = new KnownVersions()
    ofDatabases.set(sql, known)
  }
  return known
}
