// Finds derived data that is missing, or was computed by an earlier release.

import { type Static, Type } from 'typebox'
import type { Db } from '../client.ts'
import { versionNumber } from '../programs/programs.ts'
import { flag, integer, integerOrNull, orNull, row, text, textOrNull, timeOrNull } from '../row-schemas.ts'
import type { DerivedThing } from './derived-status.ts'

/**
 * The code versions of this release: data stored under lower versions is stale. Data stored under higher versions is left alone; otherwise, workers
 * of two releases would regenerate each other's data at every sweep, for as long as both run.
 */
interface CodeVersions {
  keyMap: number
  docsExample: number
}

/**
 * Key maps of active versions, and docs of active and draft ones, that are missing or stale and that no worker is already generating. Those that have
 * failed permanently under this code are excluded: an operator decides whether to retry them.
 */
export async function readMissingDerived(db: Db, code: CodeVersions): Promise<DerivedThing[]> {
  return db<DerivedThing[]>`
    select wanted.program_version_id, wanted.job_name
    from (
      select v.program_version_id, 'refresh-key-map' as job_name, ${code.keyMap}::integer as code_version
      from program_version v
      left join program_key_map k on k.program_version_id = v.program_version_id
      where v.state = 'ACTIVE'
      and coalesce(k.code_version, 0) < ${code.keyMap}
      union all
      select v.program_version_id, 'refresh-docs-example', ${code.docsExample}::integer
      from program_version v
      left join docs_example e on e.program_version_id = v.program_version_id
      where v.state in ('ACTIVE', 'DRAFT')
      and coalesce(e.code_version, 0) < ${code.docsExample}
    ) wanted
    left join derived_status s on s.program_version_id = wanted.program_version_id and s.job_name = wanted.job_name
    where s.state is null or s.state in ('missing', 'done')
    or (s.state = 'failed' and coalesce(s.code_version, 0) < wanted.code_version)
    order by wanted.program_version_id, wanted.job_name`
}

/** The versions of one program, or of all, that have docs: active and draft ones. */
export async function readDocumentedVersionIds(db: Db, programId: number | undefined): Promise<number[]> {
  const rows = await db<{ program_version_id: number }[]>`
    select program_version_id
    from program_version
    where state in ('ACTIVE', 'DRAFT')
    and ${programId === undefined ? db`true` : db`program_id = ${programId}`}
    order by program_version_id`
  return rows.map(row => row.program_version_id)
}

/** A kind of data derived for a version, and its state. */
export const derivedListing = row({
  program_version_id: integer,
  job_name: text,
  slug: text,
  display_name: text,
  version_state: Type.Enum(['ACTIVE', 'DRAFT']),
  version_number: integerOrNull,
  /** When the stored data was generated; null if there is none. */
  produced_at: timeOrNull,
  /** Whether an earlier release generated it. */
  stale: flag,
  /** Null if it was never requested. */
  state: orNull(Type.Enum(['missing', 'queued', 'running', 'done', 'failed'])),
  attempts: integerOrNull,
  last_error: textOrNull,
  updated_at: timeOrNull,
})
export type DerivedListing = Static<typeof derivedListing>

/** The data to derive for the programs after this slug: key map and docs of the active version, docs of the draft. */
export async function readDerivedListings(
  db: Db,
  code: CodeVersions,
  { after, programsMax }: { after: string; programsMax: number },
): Promise<DerivedListing[]> {
  return db<DerivedListing[]>`
    select
      p.slug, p.display_name, v.program_version_id, v.state as version_state, ${versionNumber(db, db`v`)} as version_number,
      wanted.job_name,
      coalesce(k.produced_at, e.produced_at) as produced_at,
      coalesce(k.code_version, e.code_version) < wanted.code_version is true as stale,
      s.state, s.attempts, s.last_error, s.updated_at
    from (
      select program_id, slug, display_name
      from program
      where slug > ${after}
      and exists (select from program_version v where v.program_id = program.program_id and v.state in ('ACTIVE', 'DRAFT'))
      order by slug
      limit ${programsMax}
    ) p
    join program_version v on v.program_id = p.program_id and v.state in ('ACTIVE', 'DRAFT')
    cross join (
      values ('refresh-key-map', ${code.keyMap}::integer), ('refresh-docs-example', ${code.docsExample}::integer)
    ) wanted (job_name, code_version)
    left join program_key_map k
      on wanted.job_name = 'refresh-key-map' and k.program_version_id = v.program_version_id
    left join docs_example e
      on wanted.job_name = 'refresh-docs-example' and e.program_version_id = v.program_version_id
    left join derived_status s on s.program_version_id = v.program_version_id and s.job_name = wanted.job_name
    where v.state = 'ACTIVE' or wanted.job_name = 'refresh-docs-example'
    order by p.slug, v.state, wanted.job_name`
}
