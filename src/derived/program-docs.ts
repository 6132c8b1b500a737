// The generated docs of a program: kept ones where they are good, made on the spot where not.
// Everything kept can be dropped at any time and is made again from the versions.

import type { Db } from '../db/client.ts'
import { upsertDerived } from '../db/derived-content.ts'
import {
  type DocumentedVersionRow,
  type ListedVersionRow,
  readDocumentedVersions,
  readListedVersions,
} from '../db/docs-examples.ts'
import { findDraftVersion, loadProgramVersion, readPublishedVersions } from '../db/programs.ts'
import { enumeratorDepthUsual } from '../domain/definitions/program-definition.ts'
import { seenVersions } from '../domain/definitions/seen-version.ts'
import type { ShortExample } from '../domain/invented/docs-example.ts'
import {
  type DocsMaking,
  type DocumentableVersion,
  type VersionDocs,
  versionDocs,
} from '../domain/invented/version-docs.ts'
import type { Micros } from '../domain/values/offset-time.ts'

/**
 * Count it up when a release makes other docs of the same program: what is kept under another number is not shown, and under a lower one
 * is made again. A test holds the docs of one fixed program against it, and fails when they change and it does not.
 */
export const docsCodeVersion = 2

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

/** How docs are made for a reader. */
interface SeenDocs extends DocsMaking {
  /** Ids of questions that the reader may not know of. Docs without them are not kept, but made for each reading. */
  hidden: ReadonlySet<number>
}

interface DocsOptions extends SeenDocs {
  now: () => Micros
}

/** What is kept of one version, with the settings that it depends on. */
interface KeptDocs extends VersionDocs {
  time_zone: string
  enumerator_depth_max: number
}

/** The docs of a program's ACTIVE version, then of its DRAFT; empty for a program with neither. */
export async function loadProgramDocs(db: Db, programId: number, options: DocsOptions): Promise<GeneratedDocs[]> {
  const rows = await readDocumentedVersions(db, programId)
  const all: GeneratedDocs[] = []
  for (const { state, since, failed_at, ...row } of rows) {
    const kept = options.hidden.size > 0 ? undefined : keptDocs(row, options)
    const docs = kept?.docs ?? (await makeDocs(db, programId, row.program_version_id, options))
    // A draft may have been replaced since.
    if (docs === undefined) continue
    all.push({ docs, state, since, failed_at, generated_at: kept?.produced_at ?? options.now() })
  }
  return all
}

/** The short example of an ACTIVE or DRAFT version. */
export interface ListedVersion {
  program_version_id: number
  state: 'ACTIVE' | 'DRAFT'
  example: ShortExample
  freshness: DocsFreshness
}

/** Whether the docs of a version are up to date, for administrators. */
export interface DocsFreshness {
  /** When what is kept was made; null when nothing good is kept, so that docs are made whenever they are read. */
  made_at: Micros | null
  regeneration: ListedVersionRow['regeneration']
  last_error: string | null
}

/** Of each of these programs the ACTIVE version, then the DRAFT. What is kept of them is not read whole. */
export async function loadShortExamples(
  db: Db,
  programIds: readonly number[],
  making: SeenDocs,
): Promise<Map<number, ListedVersion[]>> {
  const members = ['short_example', 'time_zone', 'enumerator_depth_max', 'changed_since'] satisfies (keyof KeptDocs)[]
  const listed = new Map<number, ListedVersion[]>(programIds.map(id => [id, []]))
  for (const { program_id, program_version_id, state, ...row } of await readListedVersions(db, programIds, members)) {
    const kept = making.hidden.size > 0 ? undefined : keptDocs(row, making)
    const docs = kept?.docs ?? (await makeDocs(db, program_id, program_version_id, making))
    if (docs === undefined) continue
    const { regeneration, last_error } = row
    const freshness = { made_at: kept?.produced_at ?? null, regeneration, last_error }
    listed.get(program_id)!.push({ program_version_id, state, example: docs.short_example, freshness })
  }
  return listed
}

/**
 * Makes the docs of a program version, in any state, and keeps them in place of whatever was kept: the job
 * `refresh-docs-example`. Running twice is running once. Throws a `not_found` Problem when the version is gone.
 */
export async function refreshDocsExample(db: Db, programVersionId: number, making: DocsMaking): Promise<void> {
  const startedMs = performance.now()
  const { program_id } = await loadProgramVersion(db, programVersionId)
  const docs = await makeDocs(db, program_id, programVersionId, { ...making, hidden: new Set() })
  if (docs === undefined) return
  const { timeZone: time_zone, enumeratorDepthMax: enumerator_depth_max = enumeratorDepthUsual } = making
  const content: KeptDocs = { ...docs, time_zone, enumerator_depth_max }
  await upsertDerived(db, 'docs_example', {
    program_version_id: programVersionId,
    code_version: docsCodeVersion,
    content,
    duration_ms: performance.now() - startedMs,
  })
}

/** Undefined when the program has no such version, published or draft. */
async function makeDocs(
  db: Db,
  programId: number,
  programVersionId: number,
  making: SeenDocs,
): Promise<VersionDocs | undefined> {
  const docsOf = (version: DocumentableVersion, earlier: readonly DocumentableVersion[]): VersionDocs => {
    const seen = making.hidden.size === 0 ? [...earlier, version] : seenVersions([...earlier, version], making.hidden)
    return versionDocs(seen.at(-1)!, seen.slice(0, -1), making)
  }
  const published = await readPublishedVersions(db, programId)
  const at = published.findIndex(version => version.program_version_id === programVersionId)
  if (at !== -1) return docsOf(published[at]!, published.slice(0, at))
  const draft = await findDraftVersion(db, programId)
  return draft?.program_version_id === programVersionId ? docsOf(draft, published) : undefined
}

type KeptRow = Pick<DocumentedVersionRow, 'content' | 'code_version' | 'produced_at' | 'published_before'>

/** What is kept, if this release made it, with these settings, and nothing was published in between. */
function keptDocs(row: KeptRow, making: DocsMaking): { docs: VersionDocs; produced_at: Micros } | undefined {
  if (row.produced_at === null || row.code_version !== docsCodeVersion) return undefined
  const { time_zone, enumerator_depth_max, ...docs } = row.content as KeptDocs
  if (time_zone !== making.timeZone || enumerator_depth_max !== (making.enumeratorDepthMax ?? enumeratorDepthUsual))
    return undefined
  if (docs.changed_since !== row.published_before) return undefined
  return { docs, produced_at: row.produced_at }
}
