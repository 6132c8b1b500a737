// Reads, changes and removes copied applications as they change in CiviForm.

import { type Db, readValue, type Transaction } from '../../db/client.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { FollowedApplication } from './followed-applications.ts'
import type { SourceStage } from './source-applications.ts'

/** Applications that are obsolete in CiviForm, without a known time. */
export async function readWaiting(
  db: Db,
): Promise<{ program_id: number; application_id: number; applicant_id: number | null; origin_name: string }[]> {
  return db`
    select c.program_id, c.application_id, c.applicant_id, p.origin_name
    from civiform_application c
    join program p using (program_id)
    where c.stage = 'obsolete'
    and not c.superseded
    order by c.program_id, c.application_id`
}

/** A copied application, with its facts in CiviForm when it was last read. */
export interface KeptApplication extends Omit<FollowedApplication, 'submit_seq' | 'superseded_seq' | 'joined_version'> {
  joined_version: string | null
  superseded: boolean
}

/** Locked until the end of the transaction. */
export async function lockKept(tx: Transaction, ids: readonly number[]): Promise<KeptApplication[]> {
  return tx<KeptApplication[]>`
    select a.program_id, a.application_id, a.applicant_id, a.program_version_id, a.create_time, a.submit_time, a.status,
      a.status_last_modified_time, a.application_note, a.snapshot, a.annotations,
      c.row_version, c.joined_version, c.applicant_id as live_applicant_id, c.stage, c.superseded, c.submitted_at
    from civiform_application c
    join application a on a.program_id = c.program_id and a.application_id = c.application_id
    where c.application_id = any(${ids as number[]}::bigint[])
    order by c.application_id
    for no key update of a`
}

/** The marks of stored applications in a range of IDs: after the first, up to and including the second. */
export async function readKeptMarks(
  db: Db,
  afterId: number,
  toId: number,
): Promise<{ id: number; row_version: number; joined_version: string | null; submitted_at: Micros | null }[]> {
  return db`
    select application_id as id, row_version, joined_version, submitted_at
    from civiform_application
    where application_id > ${afterId}
    and application_id <= ${toId}
    order by application_id`
}

export async function readKeptMarksOf(db: Db, ids: readonly number[]): Promise<{ id: number; row_version: number }[]> {
  return db`
    select application_id as id, row_version
    from civiform_application
    where application_id = any(${ids as number[]}::bigint[])`
}

/** The copied applications of these applicants, as CiviForm last had them. */
export async function readKeptOfApplicants(db: Db, applicantIds: readonly number[]): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select application_id as id
    from civiform_application
    where applicant_id = any(${applicantIds as number[]}::bigint[])
    order by application_id`
  return rows.map(row => row.id)
}

/** The copied applications submitted at or after a time. */
export async function readKeptSince(db: Db, from: Micros): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select application_id as id
    from civiform_application
    where submitted_at >= ${from}
    order by application_id`
  return rows.map(row => row.id)
}

export async function countKept(db: Db): Promise<number> {
  return readValue<number>(db)`select count(*) as kept from civiform_application`
}

/** Records an application's current facts in CiviForm. */
export async function updateMark(
  tx: Transaction,
  mark: {
    application_id: number
    row_version: number
    joined_version: string
    applicant_id: number | null
    stage: SourceStage
    submitted_at: Micros | null
  },
): Promise<void> {
  await tx`
    update civiform_application
    set row_version = ${mark.row_version}, joined_version = ${mark.joined_version}, applicant_id = ${mark.applicant_id}, stage = ${mark.stage},
      submitted_at = ${mark.submitted_at}
    where application_id = ${mark.application_id}`
}

/** Replaces an application's content at the same position. */
export async function updateFollowed(
  tx: Transaction,
  place: { program_id: number; application_id: number },
  content: Pick<KeptApplication, 'applicant_id' | 'create_time' | 'snapshot'>,
): Promise<void> {
  await tx`
    update application
    set applicant_id = ${content.applicant_id}, create_time = ${content.create_time}, snapshot = ${content.snapshot}
    where program_id = ${place.program_id}
    and application_id = ${place.application_id}`
}

export type FollowedChangeKind =
  | 'status'
  | 'note'
  | 'answers'
  | 'applicant'
  | 'superseded'
  | 'deleted'
  | 'late'
  | 'returned'

export interface FoundChange {
  program_id: number
  application_id: number
  what: FollowedChangeKind
}

/** Records detected changes and their time. */
export async function noteChanges(tx: Transaction, changes: readonly FoundChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx`
    insert into civiform_change (program_id, application_id, what)
    select program_id, application_id, what
    from unnest(${changes.map(change => change.program_id)}::bigint[], ${changes.map(change => change.application_id)}::bigint[],
      ${changes.map(change => change.what)}::text[]) as seen (program_id, application_id, what)`
}

/** Removes applications that CiviForm no longer has. Each leaves a tombstone. */
export async function deleteFollowed(tx: Transaction, ids: readonly number[]): Promise<FoundChange[]> {
  const rows = await tx<{ program_id: number; application_id: number }[]>`
    delete from application a
    using civiform_application c
    where c.application_id = any(${ids as number[]}::bigint[])
    and a.program_id = c.program_id
    and a.application_id = c.application_id
    returning a.program_id, a.application_id`
  return rows.map(row => ({ ...row, what: 'deleted' as const }))
}
