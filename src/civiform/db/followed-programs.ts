// Stores the programs of a followed CiviForm. Every function expects the caller to hold the question bank's lock (db/programs/questions).

import { type Db, readValue, type Transaction } from '../../db/client.ts'
import type { VersionContent } from '../../db/programs/program-versions.ts'
import type { QuestionKind, QuestionSettings } from '../../domain/questions/question.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

export interface FollowedProgram {
  program_id: number
  slug: string
  origin_name: string
}

export async function readFollowedPrograms(db: Db): Promise<FollowedProgram[]> {
  return db<FollowedProgram[]>`
    select program_id, slug, origin_name
    from program
    where origin_name is not null
    order by program_id`
}

/** Creates a program that takes no submissions here; its counter is before all times until the first application is copied. */
export async function insertFollowedProgram(
  tx: Transaction,
  program: { slug: string; display_name: string; origin_name: string },
): Promise<number> {
  return readValue<number>(tx)`
    with made as (
      insert into program (slug, display_name, origin_name)
      values (${program.slug}, ${program.display_name}, ${program.origin_name})
      returning program_id
    )
    insert into submission_counter (program_id, last_submit_time, intake_paused_until)
    select program_id, '1899-12-31T23:59:59.999999Z', '2200-01-01T00:00:00Z' from made
    returning program_id`
}

export async function setFollowedProgram(
  tx: Transaction,
  program_id: number,
  display_name: string,
  statuses: readonly string[],
): Promise<void> {
  await tx`
    update program
    set display_name = ${display_name}, statuses = ${statuses as string[]}::text[]
    where program_id = ${program_id}
    and (display_name, statuses) is distinct from (${display_name}, ${statuses as string[]}::text[])`
}

export interface BankedQuestion {
  question_id: number
  admin_name: string
  kind: QuestionKind
  enumerator_id: number | null
  /** Every version, oldest first. */
  versions: { question_version_id: number; settings: QuestionSettings }[]
}

/** Every question. A following installation only has CiviForm's. */
export async function readBankedQuestions(tx: Transaction): Promise<BankedQuestion[]> {
  return tx<BankedQuestion[]>`
    select q.question_id, q.admin_name, q.kind, q.enumerator_id,
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'question_version_id', v.question_version_id, 'settings', v.settings) order by v.version_number), '[]')
        from question_version v
        where v.question_id = q.question_id
      ) as versions
    from question q
    order by q.question_id`
}

export async function insertFollowedQuestion(
  tx: Transaction,
  question: { admin_name: string; question_key: string; kind: QuestionKind; enumerator_id: number | null },
): Promise<number> {
  return readValue<number>(tx)`
    insert into question (admin_name, question_key, question_key_folded, kind, enumerator_id, key_rule)
    values (${question.admin_name}, ${question.question_key}, ${question.question_key}, ${question.kind},
      ${question.enumerator_id}, 'origin')
    returning question_id`
}

export interface FollowedVersion {
  program_version_id: number
  program_id: number
  state: 'DRAFT' | 'ACTIVE' | 'OBSOLETE'
  display_name: string
  screens: unknown
  /** In order. */
  question_version_ids: number[]
}

export async function readFollowedVersions(db: Db): Promise<FollowedVersion[]> {
  return db<FollowedVersion[]>`
    select v.program_version_id, v.program_id, v.state, v.display_name, v.screens,
      array(
        select q.question_version_id
        from program_version_question q
        where q.program_version_id = v.program_version_id
        order by q.position
      )::bigint[] as question_version_ids
    from program_version v
    join program p using (program_id)
    where p.origin_name is not null`.then(rows =>
    rows.map(row => ({ ...row, question_version_ids: row.question_version_ids.map(Number) })),
  )
}

/** Creates a version with its ID in CiviForm, as a draft. */
export async function insertFollowedVersion(
  tx: Transaction,
  program_version_id: number,
  program_id: number,
  content: VersionContent,
): Promise<void> {
  await tx`
    insert into program_version (program_version_id, program_id, state, screens, display_name, statuses, created_by)
    values (${program_version_id}, ${program_id}, 'DRAFT', ${JSON.stringify(content.screens)}::text::jsonb,
      ${content.display_name}, '{}', 'civiform')`
  await insertQuestionsOf(tx, program_version_id, content)
}

async function insertQuestionsOf(tx: Transaction, program_version_id: number, content: VersionContent): Promise<void> {
  await tx`
    insert into program_version_question (program_version_id, question_id, question_version_id, position)
    select ${program_version_id}::bigint, question_id, question_version_id, position
    from unnest(${content.questions.map(q => q.question_id)}::bigint[],
      ${content.questions.map(q => q.question_version_id)}::bigint[])
      with ordinality as given (question_id, question_version_id, position)`
}

/**
 * Replaces the content of a version that CiviForm edited after applications were submitted to it. It now counts as just published, and so do the
 * versions after it, in order: a walk over it no longer finds its publication. Data derived from the program's versions is removed, and its
 * applications are rendered again at their next comparison.
 */
export async function replaceFollowedVersion(
  tx: Transaction,
  program_version_id: number,
  program_id: number,
  content: VersionContent,
): Promise<void> {
  await tx`delete from program_version_question where program_version_id = ${program_version_id}`
  await insertQuestionsOf(tx, program_version_id, content)
  await tx`
    update program_version
    set screens = ${JSON.stringify(content.screens)}::text::jsonb, display_name = ${content.display_name}
    where program_version_id = ${program_version_id}`
  await tx`
    with newest as materialized (
      select greatest(clock_timestamp(), max(published_at)) as published_at
      from program_version
      where program_id = ${program_id}
    ), moved as materialized (
      select program_version_id, row_number() over (order by published_at) * interval '1 microsecond' as place
      from program_version
      where program_id = ${program_id}
      and published_at >= (select published_at from program_version where program_version_id = ${program_version_id})
    )
    update program_version v
    set published_at = newest.published_at + moved.place
    from newest, moved
    where v.program_version_id = moved.program_version_id`
  await tx`
    delete from program_key_map
    where program_version_id in (select v.program_version_id from program_version v where v.program_id = ${program_id})`
  await tx`
    delete from docs_example
    where program_version_id in (select v.program_version_id from program_version v where v.program_id = ${program_id})`
  await tx`
    update civiform_application c
    set row_version = -1
    from application a
    where a.program_id = ${program_id}
    and a.program_version_id = ${program_version_id}
    and c.application_id = a.application_id`
}

/** Publishes a draft, at the given time but after all others of the program. */
export async function publishFollowedVersion(
  tx: Transaction,
  program_version_id: number,
  publishedAt: Micros | null,
): Promise<void> {
  await tx`
    update program_version v
    set state = 'OBSOLETE', published_by = 'civiform', published_at = greatest(
      coalesce(${publishedAt}::timestamptz, '2000-01-01T00:00:00Z'),
      (
        select max(earlier.published_at) + interval '1 microsecond'
        from program_version earlier
        where earlier.program_id = v.program_id
      )
    )
    where v.program_version_id = ${program_version_id}`
}

/** Makes this version of the program the active one, or none. */
export async function activateFollowedVersion(
  tx: Transaction,
  program_id: number,
  program_version_id: number | null,
): Promise<void> {
  await tx`
    update program_version
    set state = 'OBSOLETE'
    where program_id = ${program_id}
    and state = 'ACTIVE'
    and program_version_id is distinct from ${program_version_id}`
  if (program_version_id === null) return
  await tx`
    update program_version
    set state = 'ACTIVE'
    where program_version_id = ${program_version_id}
    and state = 'OBSOLETE'`
}

/** The name of each version's program in CiviForm. */
export async function readVersionNames(db: Db): Promise<{ program_version_id: number; origin_name: string }[]> {
  return db`
    select v.program_version_id, p.origin_name
    from program_version v
    join program p using (program_id)
    where p.origin_name is not null`
}

export async function readApplicationsOf(db: Db, versionIds: readonly number[]): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select a.application_id as id
    from program_version v
    join application a on a.program_id = v.program_id and a.program_version_id = v.program_version_id
    where v.program_version_id = any(${versionIds as number[]}::bigint[])
    order by a.application_id`
  return rows.map(row => row.id)
}

/** Deletes versions that have no applications. */
export async function deleteLostVersions(tx: Transaction, versionIds: readonly number[]): Promise<void> {
  await tx`delete from program_version where program_version_id = any(${versionIds as number[]}::bigint[])`
}
