// Published program versions that this process has read. What a version asks never changes, so the process reads and plans it once.

import type { Db, Sql } from '../../db/client.ts'
import { findActiveVersionName, loadProgramVersion, type VersionName } from '../../db/programs/programs.ts'
import { buildKeyMap, type KeyMap } from '../../domain/questions/key-map.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import { notPublished } from './refusals.ts'

export interface KnownVersion {
  version: ProgramVersion
  /** The key map of this version alone. */
  shape: KeyMap
}

/** Read in one statement that takes ten times as long as any other of a submission; some are a megabyte. */
export class KnownVersions {
  readonly #known = new Map<string, KnownVersion>()

  constructor(private readonly versionsMax = 200) {}

  /** Throws Problem `not_found` when no such version exists. */
  async load(db: Db, { program_version_id, published_at }: VersionName): Promise<KnownVersion> {
    const name = `${program_version_id} ${published_at}`
    const known = this.#known.get(name) ?? (await readVersion(db, program_version_id))
    // Drops the version that requests used least recently.
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

/** The version that applicants answer now. Throws Problem `not_found` before the first publication. */
export async function knownActiveVersion(sql: Sql, programId: number): Promise<KnownVersion> {
  const name = await findActiveVersionName(sql, programId)
  if (name === undefined) throw notPublished()
  return knownVersions(sql).load(sql, name)
}

const ofDatabases = new WeakMap<Sql, KnownVersions>()

/** What this process knows of one database, as long as its pool of connections is there. */
export function knownVersions(sql: Sql): KnownVersions {
  let known = ofDatabases.get(sql)
  if (known === undefined) {
    known = new KnownVersions()
    ofDatabases.set(sql, known)
  }
  return known
}
