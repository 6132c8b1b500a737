// Signing in to the console, and the session that follows: a random token in a cookie, its hash in the database.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { inTransaction, type Sql } from '../../db/client.ts'
import { retireAdminTokensOf } from '../../db/people/admin-token-rows.ts'
import {
  deleteEndedSessions,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  updateSessionConfirmed,
  updateSessionSeen,
} from '../../db/people/console-sessions.ts'
import { findPasswordHash } from '../../db/people/person-rows.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { recordAction } from '../audit/record-action.ts'
import { unmaskedToken } from './masked-token.ts'
import type { PasswordClient } from './password-queue.ts'
import { changedConcurrently, isPassword } from './passwords.ts'
import { foldEmail } from './people.ts'
import { actorOf, type Person, personOf } from './roles.ts'
import { hashToken, mintToken } from './sign-in-tokens.ts'

/** Bounds of a session. */
interface SessionLimits {
  idleMs: number
  /** The same for intermediaries, who often share a computer. */
  applyIdleMs: number
  lifetimeMs: number
}

/** A person whose password was right, with the hash that it was checked against. */
export interface SignedIn {
  person_id: number
  email: string
  password_hash: string
}

/** A session as a request finds it. */
export interface Session {
  person: Person
  tokenHash: Buffer
  /** The token in every form of this session. */
  csrf: string
  confirmedAt: Micros
  byPassword: boolean
  hasSecondFactor: boolean
  /** As the person chose it. */
  timeZone: string | null
}

/** How long a person counts as having just shown who they are. */
const confirmedMicros = 10 * 60 * 1_000_000
/** How exactly the last request of a session is kept. */
const seenEveryMicros = 60 * 1_000_000

/** The token of a session's forms. Only the holder of the cookie can have it, and it reveals nothing of the cookie. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('form').digest('base64url')

/** Whether a form came from a page of this session; in constant time. */
export function isCsrf({ csrf }: Pick<Session, 'csrf'>, given: string | null): boolean {
  const expected = Buffer.from(csrf)
  const sent = Buffer.from(unmaskedToken(given ?? ''))
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

/**
 * The person whose email and password these are; undefined, after the same work, when they fit no person. Throws Problem
 * `unavailable` as `isPassword` does.
 */
export async function verifySignIn(
  sql: Sql,
  email: string,
  password: string,
  from: PasswordClient,
): Promise<SignedIn | undefined> {
  const found = await findPasswordHash(sql, foldEmail(email))
  const password_hash = found?.password_hash ?? undefined
  const good = await isPassword(password, password_hash, from)
  if (!good || found === undefined || password_hash === undefined) return undefined
  return { person_id: found.person_id, email: found.email, password_hash }
}

/**
 * Begins a session, ends the earlier one of this browser, and gives the token of its cookie. Audited. Throws Problem `unauthenticated`
 * when the person was disabled, or the password changed, since it was looked at.
 */
export async function beginSession(
  sql: Sql,
  who: {
    person_id: number
    email: string
    /** For a sign-in with a password. */
    password_hash?: string
    address: string | undefined
    /** The browser's User-Agent, at most 512 characters. */
    userAgent?: string | undefined
    how: 'password' | 'invitation' | 'oidc'
    /** When they last showed who they are; now unless given. */
    confirmedAt?: Micros
  },
  limits: Omit<SessionLimits, 'applyIdleMs'>,
  now: Micros,
  earlierToken: string | undefined,
): Promise<string> {
  const token = mintToken()
  await inTransaction(sql, async tx => {
    if (earlierToken !== undefined) await deleteSession(tx, hashToken(earlierToken))
    await deleteEndedSessions(tx, now, now - limits.idleMs * 1000)
    const session = {
      token_hash: hashToken(token),
      person_id: who.person_id,
      created_at: now,
      seen_at: now,
      confirmed_at: who.confirmedAt ?? now,
      expires_at: now + limits.lifetimeMs * 1000,
      by_password: who.how !== 'oidc',
      address: who.address ?? null,
      user_agent: who.userAgent ?? null,
    }
    if (!(await insertSession(tx, session, who.password_hash))) throw changedConcurrently()
    await recordAction(tx, { actor: actorOf(who), address: who.address }, 'signed_in', who.email, { how: who.how })
  })
  return token
}

/** The session of a cookie, or undefined when it has ended. Notes that it was used. */
export async function loadSession(
  sql: Sql,
  token: string,
  limits: SessionLimits,
  now: Micros,
): Promise<Session | undefined> {
  const tokenHash = hashToken(token)
  const row = await findSession(sql, tokenHash, now, now - limits.idleMs * 1000)
  if (row === undefined) return undefined
  const idleMs = row.role === 'INTERMEDIARY' ? Math.min(limits.applyIdleMs, limits.idleMs) : limits.idleMs
  const idleMicros = now - row.seen_at
  if (idleMicros >= idleMs * 1000) return undefined
  if (idleMicros >= Math.min(seenEveryMicros, idleMs * 250)) await updateSessionSeen(sql, tokenHash, now)
  return {
    person: personOf(row),
    tokenHash,
    csrf: csrfOf(token),
    confirmedAt: row.confirmed_at,
    byPassword: row.by_password,
    hasSecondFactor: row.has_second_factor,
    timeZone: row.time_zone,
  }
}

/** Whether this session must set up a second factor before anything else (contract D52). */
export const lacksSecondFactor = (
  rule: 'optional' | 'required',
  { byPassword, hasSecondFactor }: Pick<Session, 'byPassword' | 'hasSecondFactor'>,
): boolean => rule === 'required' && byPassword && !hasSecondFactor

/** Whether the person showed who they are, by password or at their provider, a short while ago. */
export const isConfirmed = (session: Session, now: Micros): boolean => now - session.confirmedAt < confirmedMicros

export async function confirmSession(sql: Sql, session: Session, now: Micros): Promise<void> {
  await updateSessionConfirmed(sql, session.tokenHash, now)
}

/** Ends this session, or with `everywhere` all sessions of its person, and with `tokens` every API token too. Audited. */
export async function endSession(
  sql: Sql,
  session: Session,
  address: string | undefined,
  { everywhere, tokens }: { everywhere: boolean; tokens: boolean },
): Promise<void> {
  const { person, tokenHash } = session
  const actor = actorOf(person)
  await inTransaction(sql, async tx => {
    if (everywhere) await deleteSessionsOf(tx, person.person_id)
    else await deleteSession(tx, tokenHash)
    if (tokens) await retireAdminTokensOf(tx, person.person_id, actor)
    const action = everywhere ? 'signed_out_everywhere' : 'signed_out'
    await recordAction(tx, { actor, address }, action, person.email, tokens ? { tokens: 'retired' } : {})
  })
}
