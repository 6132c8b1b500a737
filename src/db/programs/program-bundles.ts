// Reads and writes programs for transfer between databases, keeping all IDs and times.
// Writers must hold the question bank's lock (db/programs/questions).

import type {
  BundledQuestion,
  BundledQuestionVersion,
  BundledVersion,
  ProgramBundle,
} from '../../domain/definitions/program-bundle.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import type { Db, Transaction } from '../client.ts'

/** These questions, by ID. */
export async function readBundledQuestions(db: Db, ids: readonly number[]): Promise<BundledQuestion[]> {
  const rows = await db<(Omit<BundledQuestion, 'created_at'> & { created_at: Micros })[]>`
    select question_id, admin_name, question_key, kind, enumerator_id, created_at
    from question
    where question_id = any(${ids as number[]}::bigint[])
    order by question_id`
  return rows.map(row => ({ ...row, created_at: formatMicros(row.created_at) }))
}

/** These question versions and the versions they are based on, by ID. */
export async function readBundledQuestionVersions(db: Db, ids: readonly number[]): Promise<BundledQuestionVersion[]> {
  const rows = await db<(Omit<BundledQuestionVersion, 'created_at'> & { created_at: Micros })[]>`
    with recursive wanted as (
      select question_version_id, based_on
      from question_version
      where question_version_id = any(${ids as number[]}::bigint[])
      union
      select earlier.question_version_id, earlier.based_on
      from wanted
      join question_version earlier on earlier.question_version_id = wanted.based_on
    )
    select qv.question_version_id, qv.question_id, qv.version_number, qv.settings, qv.based_on, qv.created_at
    from wanted
    join question_version qv using (question_version_id)
    order by qv.question_version_id`
  return rows.map(row => ({ ...row, created_at: formatMicros(row.created_at) }))
}

/** What prevents the import of a bundle into this database, one row per reason. */
export interface BundleObstacle {
  kind: 'program' | 'program_version' | 'question' | 'question_version'
  /** The ID in the bundle that is not available. */
  id: number
  /** The admin name or slug of whatever already has the ID, name or place. */
  holder: string
}

/**
 * IDs, names and keys of a bundle that something else already has. A question or question version that already exists exactly as in the bundle is no
 * obstacle: programs share questions.
 */
export async function readBundleObstacles(db: Db, bundle: ProgramBundle, folded: string[]): Promise<BundleObstacle[]> {
  const { program, questions, question_versions, program_versions } = bundle
  return db<BundleObstacle[]>`
    select 'program' as kind, ${program.program_id}::bigint as id, slug as holder
    from program
    where program_id = ${program.program_id}
    or slug = ${program.slug}
    union all
    select 'program_version', v.program_version_id, p.slug
    from program_version v
    join program p using (program_id)
    where v.program_version_id = any(${program_versions.map(version => version.program_version_id)}::bigint[])
    union all
    select 'question', given.question_id, taken.admin_name
    from rows from (
      jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
        as (question_id bigint, admin_name text, question_key text, kind text, enumerator_id bigint, created_at timestamptz),
      unnest(${folded}::text[])
    ) as given (question_id, admin_name, question_key, kind, enumerator_id, created_at, question_key_folded)
    join question taken
      on taken.question_id = given.question_id
      or taken.admin_name = given.admin_name
      or (taken.question_key_folded = given.question_key_folded
        and taken.enumerator_id is not distinct from given.enumerator_id)
    where (taken.question_id, taken.admin_name, taken.question_key, taken.kind, taken.enumerator_id, taken.created_at)
      is distinct from
      (given.question_id, given.admin_name, given.question_key, given.kind, given.enumerator_id, given.created_at)
    union all
    select 'question_version', given.question_version_id, q.admin_name
    from jsonb_to_recordset(${JSON.stringify(question_versions)}::text::jsonb)
      as given (question_version_id bigint, question_id bigint, version_number integer, settings jsonb, based_on bigint,
        created_at timestamptz)
    join question_version taken
      on taken.question_version_id = given.question_version_id
      or (taken.question_id = given.question_id and taken.version_number = given.version_number)
    join question q on q.question_id = taken.question_id
    where (taken.question_version_id, taken.question_id, taken.version_number, taken.settings, taken.based_on,
        taken.created_at)
      is distinct from
      (given.question_version_id, given.question_id, given.version_number, given.settings, given.based_on,
        given.created_at)
    order by kind, id, holder`
}

/** Adds the questions that don't exist yet. `folded` contains the folded key of each. */
export async function insertBundledQuestions(
  tx: Transaction,
  questions: readonly BundledQuestion[],
  folded: string[],
): Promise<void> {
  await tx`
    insert into question (question_id, admin_name, question_key, question_key_folded, kind, enumerator_id, created_at)
    select question_id, admin_name, question_key, question_key_folded, kind, enumerator_id, created_at
    from rows from (
      jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb)
        as (question_id bigint, admin_name text, question_key text, kind text, enumerator_id bigint, created_at timestamptz),
      unnest(${folded}::text[])
    ) as given (question_id, admin_name, question_key, kind, enumerator_id, created_at, question_key_folded)
    order by question_id
    on conflict (question_id) do nothing`
}

/** Adds the question versions that don't exist yet. */
export async function insertBundledQuestionVersions(
  tx: Transaction,
  versions: readonly BundledQuestionVersion[],
): Promise<void> {
  await tx`
    insert into question_version (question_version_id, question_id, version_number, settings, based_on, created_at)
    select question_version_id, question_id, version_number, settings, based_on, created_at
    from jsonb_to_recordset(${JSON.stringify(versions)}::text::jsonb)
      as given (question_version_id bigint, question_id bigint, version_number integer, settings jsonb, based_on bigint,
        created_at timestamptz)
    order by question_version_id
    on conflict (question_version_id) do nothing`
}

/** Creates the program, named as in its newest version, with a counter for which no submission of its time is too early. */
export async function insertBundledProgram(tx: Transaction, bundle: ProgramBundle): Promise<void> {
  const { program } = bundle
  const { display_name, statuses } = bundle.program_versions.at(-1)!
  await tx`
    with made as (
      insert into program (program_id, slug, display_name, statuses, created_at)
      values (${program.program_id}, ${program.slug}, ${display_name}, ${statuses}::text[], ${program.created_at})
      returning program_id, created_at
    )
    insert into submission_counter (program_id, last_submit_time)
    select program_id, created_at
    from made`
}

/** Creates one version with its questions as a draft; `publishBundledVersion` gives it its final state. */
export async function insertBundledVersion(
  tx: Transaction,
  program_id: number,
  version: BundledVersion,
): Promise<void> {
  await tx`
    insert into program_version (program_version_id, program_id, state, screens, display_name, statuses, details, based_on,
      created_at, created_by)
    values (${version.program_version_id}, ${program_id}, 'DRAFT', ${JSON.stringify(version.screens)}::text::jsonb,
      ${version.display_name}, ${version.statuses}::text[], ${JSON.stringify(version.details ?? {})}::text::jsonb, ${version.based_on}, ${version.created_at},
      ${version.created_by})`
  await tx`
    insert into program_version_question (program_version_id, question_id, question_version_id, position)
    select ${version.program_version_id}::bigint, qv.question_id, qv.question_version_id, given.position
    from unnest(${version.question_version_ids}::bigint[]) with ordinality as given (question_version_id, position)
    join question_version qv using (question_version_id)`
}

/** Backdates a draft, and its program, which must not be newer: for the demo, which starts with a past. */
export async function dateDraft(
  db: Db,
  program_version_id: number,
  { created_at, created_by }: Pick<BundledVersion, 'created_at' | 'created_by'>,
): Promise<void> {
  await db`
    with dated as (
      update program_version
      set created_at = ${created_at}, created_by = ${created_by}
      where program_version_id = ${program_version_id}
      and state = 'DRAFT'
      returning program_id, created_at
    )
    update program p
    set created_at = least(p.created_at, dated.created_at)
    from dated
    where p.program_id = dated.program_id`
}

export async function publishBundledVersion(
  tx: Transaction,
  version: Pick<BundledVersion, 'program_version_id' | 'state' | 'published_at' | 'published_by'>,
): Promise<void> {
  await tx`
    update program_version
    set state = ${version.state}, published_at = ${version.published_at}, published_by = ${version.published_by}
    where program_version_id = ${version.program_version_id}`
}

/** Advances the ID sequences past every ID in use, so that no sequence issues an ID twice. */
export async function advanceProgramSequences(tx: Transaction): Promise<void> {
  await tx`
    select
      setval('program_program_id_seq', greatest((select max(program_id) from program), nextval('program_program_id_seq'))),
      setval('question_question_id_seq',
        greatest((select max(question_id) from question), nextval('question_question_id_seq'))),
      setval('question_version_question_version_id_seq',
        greatest((select max(question_version_id) from question_version),
          nextval('question_version_question_version_id_seq'))),
      setval('program_version_program_version_id_seq',
        greatest((select max(program_version_id) from program_version),
          nextval('program_version_program_version_id_seq')))`
}
