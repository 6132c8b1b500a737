// Reads programs and their versions; db/programs/program-versions writes them.

import { notFound } from '../../base/problem.ts'
import type { PublishedVersion } from '../../domain/questions/key-map.ts'
import type { ProgramDetails, ProgramVersion, ProgramVersionState } from '../../domain/questions/program-version.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow } from '../client.ts'
import { type AmongPrograms, isAmong } from './among-programs.ts'
import type { ProgramIntake } from './program-intake.ts'

/** `display_name` and `statuses` are those of the newest published version; before the first publication, of the draft. */
export interface Program {
  program_id: number
  slug: string
  display_name: string
  /** The statuses that administrators may give its applications, in order. */
  statuses: string[]
  created_at: Micros
  /** Its name in the followed origin; null for this installation's own programs. */
  origin_name: string | null
  intake_state: ProgramIntake['intake_state']
}

/** A program version with everything stored about it. Published versions never change, except from ACTIVE to OBSOLETE. */
export interface StoredProgramVersion extends ProgramVersion {
  /** Number of the version among the program's published ones: 1, 2, 3 (D40). Null for a draft. */
  version_number: number | null
  display_name: string
  statuses: string[]
  details: ProgramDetails
  /** The newest published version of the program when this one was created. */
  based_on: number | null
  created_at: Micros
  created_by: string
  published_at: Micros | null
  published_by: string | null
}

/** Identifies a published version, even in a database that was restored in between. */
export interface VersionName {
  program_version_id: number
  published_at: Micros
}

/** A program with the IDs of the versions that administrators work with. */
export interface ProgramListing extends Program {
  active_version_id: number | null
  active_version_number: number | null
  draft_version_id: number | null
}

/** Number of the program's versions published up to the version `v`; null for a draft, and if `v` is null. */
export const versionNumber = (db: Db, v: ReturnType<Db>) => db`(
  select nullif(count(*), 0)::integer
  from program_version until_then
  where until_then.program_id = ${v}.program_id
  and (until_then.published_at, until_then.program_version_id) <= (${v}.published_at, ${v}.program_version_id)
)`

export async function findProgram(db: Db, slug: string): Promise<Program | undefined> {
  return findRow<Program>(db)`
    select program_id, slug, display_name, statuses, created_at, origin_name, intake_state
    from program
    where slug = ${slug}`
}

const listing = (db: Db) => db`
  select p.program_id, p.slug, p.display_name, p.statuses, p.created_at, p.origin_name, p.intake_state,
    active.program_version_id as active_version_id,
    ${versionNumber(db, db`active`)} as active_version_number,
    draft.program_version_id as draft_version_id
  from program p
  left join program_version active on active.program_id = p.program_id and active.state = 'ACTIVE'
  left join program_version draft on draft.program_id = p.program_id and draft.state = 'DRAFT'`

/** Every program, by slug. */
export async function readPrograms(db: Db): Promise<ProgramListing[]> {
  return db<ProgramListing[]>`
    ${listing(db)}
    order by p.slug`
}

/** Programs that have an active version or a draft, after this slug; only these unless all are requested. `search` is in the slug or the name. */
export async function readDocumentedPrograms(
  db: Db,
  page: { among: AmongPrograms; search: string; after: string; rowsMax: number },
): Promise<ProgramListing[]> {
  const { among, search, after, rowsMax } = page
  const pattern = containing(search)
  return db<ProgramListing[]>`
    ${listing(db)}
    where p.slug > ${after}
    and (active.program_version_id is not null or draft.program_version_id is not null)
    and ${isAmong(db, 'p.program_id', among)}
    and (p.slug ilike ${pattern} or p.display_name ilike ${pattern})
    order by p.slug
    limit ${rowsMax}`
}

/** An ILIKE pattern that matches a text literally. PostgreSQL doesn't accept U+0000. */
export const containing = (search: string): string =>
  `%${search.replaceAll('\0', '').replace(/[\\%_]/g, String.raw`\$&`)}%`

/** The names of those of these programs that exist, by slug. */
export async function readProgramNames(db: Db, slugs: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<Pick<Program, 'slug' | 'display_name'>[]>`
    select slug, display_name
    from program
    where slug = any(${slugs}::text[])`
  return new Map(rows.map(({ slug, display_name }) => [slug, display_name]))
}

/** The names of the programs with these ids, by the id. */
export async function readProgramNamesById(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db<Pick<Program, 'program_id' | 'display_name'>[]>`
    select program_id, display_name
    from program
    where program_id = any(${ids as number[]}::bigint[])`
  return new Map(rows.map(({ program_id, display_name }) => [program_id, display_name]))
}

/** The names and texts of active versions for people. */
export async function readActiveDetails(
  db: Db,
): Promise<Pick<StoredProgramVersion, 'program_id' | 'display_name' | 'details'>[]> {
  return db<Pick<StoredProgramVersion, 'program_id' | 'display_name' | 'details'>[]>`
    select program_id, display_name, details
    from program_version
    where state = 'ACTIVE'`
}

/** Like `findProgram`. Throws a `not_found` Problem. */
export async function loadProgram(db: Db, slug: string): Promise<Program> {
  return (await findProgram(db, slug)) ?? notFound(`There is no program "${slug}".`)
}

/** The version that applicants answer now; undefined before the first publication. */
export async function findActiveVersion(db: Db, program_id: number): Promise<StoredProgramVersion | undefined> {
  const [row] = await readVersions(db, db`v.program_id = ${program_id} and v.state = 'ACTIVE'`)
  return row
}

/** The active versions and drafts of programs, by program; some may have neither. */
export async function readWorkingVersions(
  db: Db,
  program_ids: readonly number[],
): Promise<Map<number, { active?: StoredProgramVersion; draft?: StoredProgramVersion }>> {
  const rows = await readVersions(
    db,
    db`
    v.program_id = any(${program_ids as number[]}::bigint[]) and v.state in ('ACTIVE', 'DRAFT')`,
  )
  const versions = new Map<number, { active?: StoredProgramVersion; draft?: StoredProgramVersion }>()
  for (const row of rows)
    versions.set(row.program_id, {
      ...versions.get(row.program_id),
      [row.published_at === null ? 'draft' : 'active']: row,
    })
  return versions
}

/** Which version applicants answer now, and since when: enough to validate what is cached about a program. */
export async function findActiveVersionName(db: Db, program_id: number): Promise<VersionName | undefined> {
  return findRow<VersionName>(db)`
    select program_version_id, published_at
    from program_version
    where program_id = ${program_id}
    and state = 'ACTIVE'`
}

export async function findDraftVersion(db: Db, program_id: number): Promise<StoredProgramVersion | undefined> {
  const [row] = await readVersions(db, db`v.program_id = ${program_id} and v.state = 'DRAFT'`)
  return row
}

/** The version with this id, in any state. */
export async function findProgramVersion(
  db: Db,
  program_version_id: number,
): Promise<StoredProgramVersion | undefined> {
  const [row] = await readVersions(db, db`v.program_version_id = ${program_version_id}`)
  return row
}

/** Like `findProgramVersion`. Throws a `not_found` Problem. */
export async function loadProgramVersion(db: Db, program_version_id: number): Promise<StoredProgramVersion> {
  const row = await findProgramVersion(db, program_version_id)
  return row ?? notFound(`There is no program version ${program_version_id}.`)
}

/**
 * Every version of the program that was ever published, with its content, oldest publication first: the input of its key map (D21). Within a program,
 * IDs rise in the same order.
 */
export async function readPublishedVersions(
  db: Db,
  program_id: number,
): Promise<(StoredProgramVersion & PublishedVersion)[]> {
  return readVersions(db, db`v.program_id = ${program_id} and v.published_at is not null`)
}

/** Versions of any programs with their questions in order, oldest publication first and drafts last. */
function readVersions(
  db: Db,
  condition: ReturnType<Db>,
): PromiseLike<(StoredProgramVersion & { questions: ProgramVersion['questions'] })[]> {
  return db<(StoredProgramVersion & { state: ProgramVersionState })[]>`
    select v.program_version_id, ${versionNumber(db, db`v`)} as version_number, v.program_id, p.slug, v.state, v.screens, v.display_name, v.statuses, v.details,
      v.based_on,
      v.created_at, v.created_by, v.published_at, v.published_by,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'question_id', q.question_id,
          'admin_name', q.admin_name,
          'question_key', q.question_key,
          'kind', q.kind,
          'enumerator_id', q.enumerator_id,
          'question_version_id', qv.question_version_id,
          'settings', qv.settings
        ) order by pvq.position), '[]')
        from program_version_question pvq
        join question q using (question_id)
        join question_version qv using (question_version_id)
        where pvq.program_version_id = v.program_version_id
      ) as questions
    from program_version v
    join program p using (program_id)
    where ${condition}
    order by v.published_at nulls last, v.program_version_id`
}
