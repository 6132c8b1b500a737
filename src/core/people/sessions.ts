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

/** Time limits of a session. */
interface SessionLimits {
  idleMs: number
  /** Shorter limits for intermediaries, who often share a computer. */
  applyIdleMs: number
  lifetimeMs: number
}

/** A person whose password was correct, with the hash that it was checked against. */
export interface SignedIn {
  person_id: number
  email: string
  password_hash: string
}

/** A session as loaded for a request. */
export interface Session {
  person: Person
  tokenHash: Buffer
  /** The token in every form of this session. */
  csrf: string
  confirmedAt: Micros
  byPassword: boolean
  hasSecondFactor: boolean
  /** As chosen by the person. */
  timeZone: string | null
}

/** How long a person counts as recently authenticated. */
const confirmedMicros = 10 * 60 * 1_000_000
/** The precision with which a session's last request is stored. */
const seenEveryMicros = 60 * 1_000_000

/** The token of a session's forms. Only the holder of the cookie can know it, and it reveals nothing about the cookie. */
const csrfOf = (token: string): string => createHmac('sha256', token).update('form').digest('base64url')

/** Whether a form came from a page of this session, compared in constant time. */
export function isCsrf({ csrf }: Pick<Session, 'csrf'>, given: string | null): boolean {
  const expected = Buffer.from(csrf)
  const sent = Buffer.from(unmaskedToken(given ?? ''))
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}

/**
 * The person with this email address and password; undefined, after the same work, if no person has them. Throws Problem `unavailable` like
 * `isPassword`.
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
 * Starts a session, ends this browser's earlier one, and returns the token for its cookie. Audited. Throws Problem `unauthenticated` if the person
 * was disabled, or the password changed, since it was checked.
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
    /** When they last authenticated; now by default. */
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

/** The session of a cookie, or undefined if it has ended. Records its use. */
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

/** Whether the person authenticated recently, by password or at their provider. */
export const isConfirmed = (session: Session, now: Micros): boolean => now - session.confirmedAt < confirmedMicros

export async function confirmSession(sql: Sql, session: Session, now: Micros): Promise<void> {
  await updateSessionConfirmed(sql, session.tokenHash, now)
}

/** Ends this session, or with `everywhere` all sessions of its person, and with `tokens` every API token, too. Audited. */
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
