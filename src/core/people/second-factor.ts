// Two-factor authentication for people who sign in with a password: codes from an authenticator app (TOTP, RFC 6238), and recovery
// codes. A code can be used once, within its own 30 seconds or those before and after. A recovery code can be used once.

import { randomInt } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'
import { invalidRequest } from '../../base/problem.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import { deleteSessionsOf } from '../../db/people/console-sessions.ts'
import {
  deleteSecondFactor,
  findSecondFactor,
  takeRecoveryHash,
  takeStep,
  upsertSecondFactor,
} from '../../db/people/second-factor-rows.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { knownPerson, type PasswordClient } from './password-queue.ts'
import { hashPersonPassword, isPassword } from './passwords.ts'
import { requirePerson } from './people.ts'
import { actorOf } from './roles.ts'
import { openText, sealText } from './sealed-text.ts'

const stepSeconds = 30
const recoveryCodes = 10
/** Without letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'

export const newSecret = (): string => generateSecret()

/** The URI for an authenticator app: `otpauth://totp/…`. */
export const uriOf = (secret: string, email: string, installation: string): string =>
  generateURI({ issuer: ['Tributary', installation].filter(Boolean).join(' '), label: email, secret })

const bindingOf = (personId: number): Buffer => Buffer.from(`second factor of ${personId}`)

/** The time step in which this secret gives this code: the current one, the one before or the one after; undefined for any other text. */
function stepOf(secret: string, code: string, now: Micros): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const epoch = Math.floor(now / 1_000_000)
  const found = verifySync({ secret, token: code, epoch, epochTolerance: stepSeconds })
  return found.valid ? Math.floor(epoch / stepSeconds) + found.delta : undefined
}

/** As people write them: spaces and hyphens are ignored. */
const plain = (code: string): string => code.replace(/[\s-]/g, '').toLowerCase()

/**
 * Whether this code is a person's second factor, using it up; true for a person without one. Without a person, and for an invalid recovery code, it
 * does the same work. Throws Problem `unavailable` like `isPassword`.
 */
export async function showsSecondFactor(
  sql: Sql,
  pepper: string,
  person: { person_id: number; email: string } | undefined,
  code: string,
  by: { now: Micros; from: PasswordClient; address: string | undefined },
): Promise<boolean> {
  const factor = person && (await findSecondFactor(sql, person.person_id))
  const given = plain(code)
  // The first character is the number of the code.
  const isRecovery = /^[0-9][a-z0-9]{12}$/.test(given)
  const hash = isRecovery ? factor?.recovery_hashes[Number(given[0])] : undefined
  const isGood = isRecovery && (await isPassword(given, hash || undefined, by.from))
  if (person === undefined || factor === undefined) return person !== undefined
  if (isGood) {
    if (!(await takeRecoveryHash(sql, person.person_id, hash!))) return false
    await recordAction(sql, { actor: actorOf(person), address: by.address }, 'recovery_code_used', person.email)
    return true
  }
  const secret = openText(factor.sealed_secret, pepper, bindingOf(person.person_id))
  const step = secret === undefined ? undefined : stepOf(secret, given, by.now)
  return step !== undefined && takeStep(sql, person.person_id, step)
}

/**
 * Sets or replaces a person's second factor, once a code proves that their app has it, and ends all other sessions. Returns recovery codes, which are
 * not stored. Throws Problem `invalid_request` for a wrong code.
 */
export async function setSecondFactor(
  sql: Sql,
  pepper: string,
  person: { person_id: number; email: string },
  { secret, code }: { secret: string; code: string },
  by: AuditContext,
  session: Buffer,
): Promise<string[]> {
  const step = stepOf(secret, plain(code), by.now)
  if (step === undefined) {
    const detail =
      'This isn’t the current code. Enter the code your app shows now, and check that your phone’s clock is correct.'
    throw invalidRequest(detail, [{ parameter: 'code', code: 'wrong_code', detail }])
  }
  const codes = Array.from({ length: recoveryCodes }, (_, i) => mintRecoveryCode(i))
  const recovery_hashes: string[] = []
  for (const code of codes) recovery_hashes.push(await hashPersonPassword(plain(code), knownPerson(person)))
  const sealed_secret = sealText(secret, pepper, bindingOf(person.person_id))
  await inTransaction(sql, async tx => {
    await upsertSecondFactor(tx, { person_id: person.person_id, sealed_secret, used_step: step, recovery_hashes })
    await deleteSessionsOf(tx, person.person_id, session)
    await recordAction(tx, by, 'second_factor_set', person.email)
  })
  return codes
}

/** Removes the second factor of a person who has lost it: every session ends, and the password alone signs in. */
export async function resetSecondFactor(sql: Sql, personId: number, by: AuditContext): Promise<void> {
  await inTransaction(sql, async tx => {
    const person = await requirePerson(tx, personId)
    if (!(await deleteSecondFactor(tx, personId))) return
    await deleteSessionsOf(tx, personId)
    await recordAction(tx, by, 'second_factor_reset', person.email)
  })
}

/** `3abc-defg-hjkm-n`: the number of the code and twelve random characters, 59 bits. */
function mintRecoveryCode(number: number): string {
  const text = `${number}${Array.from({ length: 12 }, () => alphabet[randomInt(alphabet.length)]).join('')}`
  return text.replace(/(.{4})(?=.)/g, '$1-')
}
