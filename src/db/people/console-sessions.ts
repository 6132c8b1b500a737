// Statements for console sessions.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Db, Transaction } from '../client.ts'
import { isEnabled, type SignedInRow } from './person-rows.ts'

interface SessionRow extends SignedInRow {
  seen_at: Micros
  confirmed_at: Micros
  by_password: boolean
  has_second_factor: boolean
  time_zone: string | null
}

interface NewSession {
  token_hash: Buffer
  person_id: number
  created_at: Micros
  seen_at: Micros
  confirmed_at: Micros
  expires_at: Micros
  by_password: boolean
  address: string | null
  /** At most 512 characters. */
  user_agent: string | null
}

/** False if the person has been disabled meanwhile, or the password is no longer `passwordHash`, if given. */
export async function insertSession(tx: Transaction, session: NewSession, passwordHash?: string): Promise<boolean> {
  // First, so that it waits for concurrent changes to the person.
  const { count } = await tx`
    update person p
    set last_signed_in_at = ${session.created_at}
    where person_id = ${session.person_id}
    and ${isEnabled(tx)}
    and ${passwordHash === undefined ? tx`true` : tx`password_hash = ${passwordHash}`}`
  if (count === 0) return false
  await tx`insert into console_session ${tx(session as unknown as Record<string, never>)}`
  return true
}

/** The session with this token, and its person; undefined if it has ended, was idle too long, or the person is disabled. */
export async function findSession(
  db: Db,
  tokenHash: Buffer,
  now: Micros,
  idleSince: Micros,
): Promise<SessionRow | undefined> {
  const [row] = await db<SessionRow[]>`
    select p.person_id, p.email, p.name, p.role, s.seen_at, s.confirmed_at, s.by_password, p.time_zone,
      exists (select from second_factor f where f.person_id = p.person_id) as has_second_factor,
      array(select program_id from person_program where person_id = p.person_id) as program_ids
    from console_session s
    join person p using (person_id)
    where s.token_hash = ${tokenHash}
    and s.expires_at > ${now}
    and s.seen_at > ${idleSince}
    and ${isEnabled(db)}`
  return row === undefined ? undefined : { ...row, program_ids: row.program_ids.map(Number) }
}

export async function updateSessionSeen(db: Db, tokenHash: Buffer, now: Micros): Promise<void> {
  await db`update console_session set seen_at = ${now} where token_hash = ${tokenHash}`
}

export async function updateSessionConfirmed(db: Db, tokenHash: Buffer, now: Micros): Promise<void> {
  await db`update console_session set confirmed_at = ${now} where token_hash = ${tokenHash}`
}

/** Ends one session; false if it did not exist. */
export async function deleteSession(db: Db, tokenHash: Buffer): Promise<boolean> {
  const { count } = await db`delete from console_session where token_hash = ${tokenHash}`
  return count === 1
}

/** Ends all sessions of a person, except one to keep, if given, and returns their number. */
export async function deleteSessionsOf(db: Db, personId: number, except?: Buffer): Promise<number> {
  const { count } = await db`
    delete from console_session
    where person_id = ${personId}
    and token_hash is distinct from ${except ?? null}`
  return count
}

/** Ends the sessions of an organization's people, or of one of them. */
export async function deleteSessionsWithin(
  db: Db,
  { organizationId, intermediaryId }: { organizationId: number; intermediaryId?: number },
): Promise<void> {
  await db`
    delete from console_session s
    using person p
    join intermediary m using (intermediary_id)
    where p.person_id = s.person_id
    and m.organization_id = ${organizationId}
    and m.intermediary_id = coalesce(${intermediaryId ?? null}, m.intermediary_id)`
}

/** Removes sessions that have ended. */
export async function deleteEndedSessions(db: Db, now: Micros, idleSince: Micros): Promise<void> {
  await db`delete from console_session where expires_at <= ${now} or seen_at <= ${idleSince}`
}

export interface SessionInList {
  created_at: Micros
  seen_at: Micros
  address: string | null
  /** The browser's User-Agent at sign-in. */
  user_agent: string | null
  /** Whether this is the current session. */
  is_current: boolean
}

/** A person's open sessions, newest first. */
export const readSessionsOf = (
  db: Db,
  personId: number,
  current: Buffer,
  { now, idleSince }: { now: Micros; idleSince: Micros },
): Promise<SessionInList[]> => db<SessionInList[]>`
  select created_at, seen_at, host(address) as address, user_agent, token_hash = ${current} as is_current
  from console_session
  where person_id = ${personId}
  and expires_at > ${now}
  and seen_at > ${idleSince}
  order by created_at desc`
