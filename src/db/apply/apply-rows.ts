// Statements for applicants' return codes, sessions, and applications in all programs.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'

export interface ApplySessionRow {
  applicant_id: number
  /** The applicant's preferred language. */
  language: string
  sealed_code: Buffer
  code_shown: boolean
  seen_at: Micros
  intermediary_id: number | null
  /** For an intermediary: the client's name. */
  client: string | null
}

/** The session with this token; undefined if there is none or it was idle too long. */
export async function findApplySession(
  db: Db,
  tokenHash: Buffer,
  idleSince: Micros,
): Promise<ApplySessionRow | undefined> {
  return findRow<ApplySessionRow>(db)`
    select applicant_id, language, sealed_code, code_shown, s.seen_at, s.intermediary_id, c.name as client
    from apply_session s
    join applicant using (applicant_id)
    left join intermediary_client c using (applicant_id)
    where token_hash = ${tokenHash}
    and s.seen_at > ${idleSince}`
}

export async function insertApplySession(
  tx: Transaction,
  session: Omit<ApplySessionRow, 'language' | 'client'> & { token_hash: Buffer },
): Promise<void> {
  await tx`insert into apply_session ${tx(session as unknown as Record<string, never>)}`
}

export async function updateApplySessionSeen(db: Db, tokenHash: Buffer, now: Micros): Promise<void> {
  await db`update apply_session set seen_at = ${now} where token_hash = ${tokenHash}`
}

export async function updateCodeShown(db: Db, tokenHash: Buffer): Promise<void> {
  await db`update apply_session set code_shown = true where token_hash = ${tokenHash}`
}

export async function deleteApplySession(db: Db, tokenHash: Buffer): Promise<void> {
  await db`delete from apply_session where token_hash = ${tokenHash}`
}

/** Removes sessions that were idle too long, and expired codes. */
export async function deleteEndedApplying(tx: Transaction, now: Micros, idleSince: Micros): Promise<void> {
  await tx`delete from apply_session where seen_at <= ${idleSince}`
  await tx`delete from apply_code where expires_at <= ${now}`
}

export interface ApplyCodeRow {
  applicant_id: number
  code_hash: Buffer
  expires_at: Micros
  /** The intermediary in whose session the code was created; null for the applicant's own. */
  intermediary_id: number | null
}

/** Sets an applicant's code. An earlier one stops working. */
export async function saveApplyCode(
  tx: Transaction,
  { applicant_id, code_hash, expires_at, intermediary_id }: ApplyCodeRow,
): Promise<void> {
  // Without `excluded`, which would require the right to read the hashes.
  await tx`
    insert into apply_code (applicant_id, code_hash, expires_at, intermediary_id)
    values (${applicant_id}, ${code_hash}, ${expires_at}, ${intermediary_id})
    on conflict (applicant_id) do update
    set code_hash = ${code_hash}, expires_at = ${expires_at}, intermediary_id = ${intermediary_id}`
}

/** Revokes an applicant's code; false if there is none. */
export async function deleteApplyCode(tx: Transaction, applicantId: number): Promise<boolean> {
  const { count } = await tx`delete from apply_code where applicant_id = ${applicantId}`
  return count === 1
}

/** Revokes the codes created in the sessions of an organization's people, or of one of them. Returns the applicants who had them. */
export async function deleteCodesWithin(
  tx: Transaction,
  { organizationId, intermediaryId }: { organizationId: number; intermediaryId?: number },
): Promise<number[]> {
  const rows = await tx<{ applicant_id: number }[]>`
    delete from apply_code c
    using intermediary i
    where i.intermediary_id = c.intermediary_id
    and i.organization_id = ${organizationId}
    and i.intermediary_id = coalesce(${intermediaryId ?? null}, i.intermediary_id)
    returning c.applicant_id`
  return rows.map(({ applicant_id }) => applicant_id)
}

/** Ends all sessions about these applicants, except one to keep. */
export async function deleteApplySessionsOf(
  tx: Transaction,
  applicantIds: readonly number[],
  except?: Buffer,
): Promise<void> {
  await tx`
    delete from apply_session
    where applicant_id = any(${applicantIds as number[]}::bigint[])
    and token_hash is distinct from ${except ?? null}`
}

/** Puts a new code into a session, which shows it next. */
export async function updateSessionCode(tx: Transaction, tokenHash: Buffer, sealedCode: Buffer): Promise<void> {
  await tx`
    update apply_session
    set sealed_code = ${sealedCode}
    where token_hash = ${tokenHash}`
}

/** The applicant with this code, which then expires at `expiresAt`; undefined if nobody has it or it has expired. */
export async function useApplyCode(
  db: Db,
  codeHash: Buffer,
  now: Micros,
  expiresAt: Micros,
): Promise<number | undefined> {
  return findValue<number>(db)`
    update apply_code
    set expires_at = ${expiresAt}
    where code_hash = ${codeHash}
    and expires_at > ${now}
    returning applicant_id`
}

export interface TheirApplication {
  program_id: number
  application_id: number
  submit_time: Micros
  status: string | null
  is_current: boolean
}

/** An applicant's newest applications, newest first. */
export async function readTheirApplications(db: Db, applicantId: number, rowsMax: number): Promise<TheirApplication[]> {
  return db<TheirApplication[]>`
    select program_id, application_id, submit_time, status, superseded_seq is null as is_current
    from application
    where applicant_id = ${applicantId}
    order by submit_time desc, application_id desc
    limit ${rowsMax}`
}

/** The programs in which an applicant has saved answers that are not submitted yet. */
export async function readProgramsInProgress(db: Db, applicantId: number): Promise<number[]> {
  const rows = await db<{ program_id: number }[]>`
    select program_id
    from application_in_progress
    where applicant_id = ${applicantId}
    order by create_time desc`
  return rows.map(({ program_id }) => program_id)
}
