// Stored docs of program versions, in JSON, and the versions that should have them.

import type { ProgramDetails } from '../../domain/questions/program-version.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db } from '../client.ts'
import type { DerivedState } from './derived-status.ts'

/** Everything that the docs of a program's ACTIVE or DRAFT version depend on: while none of it changes, the docs are the same. */
export interface DocumentedState {
  program_version_id: number
  /** When it was published; for a draft, when it was saved. */
  since: Micros
  /** When the program was last published; null before its first publication. */
  newest_publication: Micros | null
}

/** A program's ACTIVE or DRAFT version with its stored docs. */
export interface DocumentedVersionRow extends DocumentedState {
  state: 'ACTIVE' | 'DRAFT'
  details: ProgramDetails
  /** The version published last before it; for a draft, the newest one. */
  published_before: number | null
  /** Null if nothing is stored, like the next two. */
  code_version: number | null
  content: unknown
  produced_at: Micros | null
  /** When the newest regeneration failed; null if none has failed since the last success. */
  failed_at: Micros | null
}

/**
 * Versions `v` with the previously published version (`earlier`), the program's newest publication, its docs (`e`) and the state of their job (`s`).
 */
const versionsWithDocs = (db: Db) => db`
  from program_version v
  left join lateral (
    select p.program_version_id
    from program_version p
    where p.program_id = v.program_id
    and p.published_at is not null
    and (v.published_at is null or p.published_at < v.published_at)
    order by p.published_at desc
    limit 1
  ) earlier on true
  left join lateral (
    select max(p.published_at) as newest_publication
    from program_version p
    where p.program_id = v.program_id
  ) publications on true
  left join docs_example e on e.program_version_id = v.program_version_id
  left join derived_status s on s.program_version_id = v.program_version_id and s.job_name = 'refresh-docs-example'`

/** A program's ACTIVE version, then its DRAFT; either may be missing. */
export async function readDocumentedVersions(db: Db, programId: number): Promise<DocumentedVersionRow[]> {
  return db<DocumentedVersionRow[]>`
    select v.program_version_id, v.state, v.details, coalesce(v.published_at, v.created_at) as since, newest_publication,
      earlier.program_version_id as published_before, e.code_version, e.content, e.produced_at,
      case when s.last_error is not null then s.updated_at end as failed_at
    ${versionsWithDocs(db)}
    where v.program_id = ${programId}
    and v.state in ('ACTIVE', 'DRAFT')
    order by v.state`
}

/** A version in lists of programs: its stored docs without their bulk. */
export interface ListedVersionRow extends Omit<DocumentedVersionRow, 'content' | 'details' | 'failed_at'> {
  program_id: number
  /** Members of the content, null if nothing is stored. */
  content: Record<string, unknown> | null
  /** State of its newest regeneration; null if none was ever requested. */
  regeneration: DerivedState | null
  /** The error of the newest regeneration; null if none has failed since the last success. */
  last_error: string | null
}

/** The ACTIVE version and the DRAFT of each of these programs, with these members of the stored docs; by program and state. */
export async function readListedVersions(
  db: Db,
  programIds: readonly number[],
  members: readonly string[],
): Promise<ListedVersionRow[]> {
  return db<ListedVersionRow[]>`
    select v.program_id, v.program_version_id, v.state, coalesce(v.published_at, v.created_at) as since, newest_publication,
      earlier.program_version_id as published_before, e.code_version, e.produced_at, s.state as regeneration, s.last_error,
      case when e.program_version_id is not null then (
        select jsonb_object_agg(member, e.content -> member)
        from unnest(${members as string[]}::text[]) as member
      ) end as content
    ${versionsWithDocs(db)}
    where v.program_id = any(${programIds as number[]}::bigint[])
    and v.state in ('ACTIVE', 'DRAFT')
    order by v.program_id, v.state`
}
