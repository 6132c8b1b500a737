// Statements for applicants' return codes, sessions, and applications in all programs.

import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'

export interface ApplySessionRow {
  applicant_id: number
  /** The applicant's preferred one. */
  language: string
  sealed_code: Buffer
  code_shown: boolean
  seen_at: Micros
  intermediary_id: number | null
  /** Of an intermediary: the client's name. */
  client: string | null
}

/** The session of a token; undefined when there is none, or it was idle too long. */
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

/** Removes sessions that were idle too long, and codes that have expired. */
export async function deleteEndedApplying(tx: Transaction, now: Micros, idleSince: Micros): Promise<void> {
  await tx`delete from apply_session where seen_at <= ${idleSince}`
  await tx`delete from apply_code where expires_at <= ${now}`
}

export async function insertApplyCode(
  tx: Transaction,
  code: { applicant_id: number; code_hash: Buffer; expires_at: Micros },
): Promise<void> {
  await tx`insert into apply_code ${tx(code as unknown as Record<string, never>)}`
}

/** Whose code this is, which then expires at `expiresAt`; undefined when it is nobody's, or has expired. */
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
