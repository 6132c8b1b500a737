// The generated docs of a program: kept ones where they are good, made on the spot where not.
// It must not know who reads them. Everything kept can be dropped at any time and is made again from the versions.

import type { Db } from '../db/client.ts'
import { type DocumentedVersionRow, readDocumentedVersions, upsertDocsExample } from '../db/docs-examples.ts'
import { findDraftVersion, loadProgramVersion, readPublishedVersions } from '../db/programs.ts'
import { type VersionDocs, versionDocs } from '../domain/invented/version-docs.ts'
import type { Micros } from '../domain/values/offset-time.ts'
import { docsCodeVersion } from './docs-code-version.ts'

/** The docs of a program's ACTIVE or DRAFT version. */
export interface GeneratedDocs {
  docs: VersionDocs
  state: 'ACTIVE' | 'DRAFT'
  /** When the version was published; for a draft, when it was saved. */
  since: Micros
  generated_at: Micros
  /** When the newest regeneration failed; null when none did since it last succeeded. What is shown is from before. */
  failed_at: Micros | null
}

export interface DocsOptions {
  /** Zone of the times in examples: the instance's. */
  timeZone: string
  now: () => Micros
}

/** What is kept of one version. The example's times depend on the zone, so it is part of what is kept. */
interface KeptDocs extends VersionDocs {
  time_zone: string
}

/** The docs of a program's ACTIVE version, then of its DRAFT; empty for a program with neither. */
export async function loadProgramDocs(db: Db, programId: number, options: DocsOptions): Promise<GeneratedDocs[]> {
  const rows = await readDocumentedVersions(db, programId)
  const all: GeneratedDocs[] = []
  for (const { state, since, failed_at, ...row } of rows) {
    const kept = keptDocs(row, options.timeZone)
    const docs = kept?.docs ?? (await makeDocs(db, programId, row.program_version_id, options.timeZone))
    // A draft may have been replaced since.
    if (docs === undefined) continue
    all.push({ docs, state, since, failed_at, generated_at: kept?.produced_at ?? options.now() })
  }
  return all
}

/**
 * Makes the docs of a program version, in any state, and keeps them in place of whatever was kept: the job
 * `refresh-docs-example`. Running twice is running once. Throws a `not_found` Problem when the version is gone.
 */
export async function refreshDocsExample(db: Db, programVersionId: number, timeZone: string): Promise<void> {
  const startedMs = performance.now()
  const { program_id } = await loadProgramVersion(db, programVersionId)
  const docs = await makeDocs(db, program_id, programVersionId, timeZone)
  if (docs === undefined) return
  const content: KeptDocs = { ...docs, time_zone: timeZone }
  await upsertDocsExample(db, {
    ...{ program_version_id: programVersionId, code_version: docsCodeVersion, content },
    duration_ms: performance.now() - startedMs,
  })
}

/** Undefined when the program has no such version, published or draft. */
async function makeDocs(
  db: Db,
  programId: number,
  programVersionId: number,
  timeZone: string,
): Promise<VersionDocs | undefined> {
  const published = await readPublishedVersions(db, programId)
  const at = published.findIndex(version => version.program_version_id === programVersionId)
  if (at !== -1) return versionDocs(published[at]!, published.slice(0, at), timeZone)
  const draft = await findDraftVersion(db, programId)
  return draft?.program_version_id === programVersionId ? versionDocs(draft, published, timeZone) : undefined
}

type KeptRow = Pick<DocumentedVersionRow, 'content' | 'code_version' | 'produced_at' | 'published_before'>

/** What is kept, if this release made it, for this zone, and nothing was published in between. */
function keptDocs(row: KeptRow, timeZone: string): { docs: VersionDocs; produced_at: Micros } | undefined {
  if (row.produced_at === null || row.code_version !== docsCodeVersion) return undefined
  const { time_zone, ...docs } = row.content as KeptDocs
  if (time_zone !== timeZone || docs.changed_since !== row.published_before) return undefined
  return { docs, produced_at: row.produced_at }
}
