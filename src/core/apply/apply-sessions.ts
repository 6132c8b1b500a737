// Sessions on the applicants' pages: a random token in a cookie, its hash in the database. There are no accounts: applicants get a code
// when they start, and whoever enters the code is that applicant (D53).

import { createHmac } from 'node:crypto'
import { Problem } from '../../base/problem.ts'
import {
  deleteApplyCode,
  deleteApplySession,
  deleteApplySessionsOf,
  deleteEndedApplying,
  findApplySession,
  insertApplySession,
  saveApplyCode,
  updateApplySessionSeen,
  updateSessionCode,
  useApplyCode,
} from '../../db/apply/apply-rows.ts'
import { inTransaction, type Sql, type Transaction } from '../../db/client.ts'
import { isActing } from '../../db/people/intermediary-rows.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { openText, sealText } from '../people/sealed-text.ts'
import { hashToken, mintToken } from '../people/sign-in-tokens.ts'
import { hashCode, mintCode, readCode } from './return-codes.ts'

/** Settings of the installation, named as in the configuration. */
export interface ApplyRules {
  apiKeyPepper: string
  applyIdleMs: number
  applyCodeDays: number
}

export interface ApplySession {
  applicant_id: number
  /** The language of the applicant's next application. */
  language: string
  tokenHash: Buffer
  /** The key that opens the stored code; it is not in any database. */
  binding: Buffer
  /** The token in every form of this session. */
  csrf: string
  /** Empty if an intermediary has opened a client. */
  code: string
  codeShown: boolean
  /** The intermediary who applies for the applicant; null for the applicant. */
  intermediary_id: number | null
  /** For an intermediary: the client's name. */
  client: string | null
}

/** The precision with which a session's last request is stored. */
const seenEveryMicros = 30 * 1_000_000

const dayMicros = 86_400_000_000

/** Only the holder of the cookie's token can read the code: neither the database nor the pepper is enough. */
const bindingOf = (token: string): Buffer => createHmac('sha256', token).update('code').digest()

/** Gives a newly registered applicant a code, and starts a session. Returns the cookie's token. */
export async function beginApplying(
  tx: Transaction,
  rules: ApplyRules,
  applicantId: number,
  now: Micros,
  intermediary_id: number | null = null,
): Promise<string> {
  const code = await giveCode(tx, rules, { applicant_id: applicantId, intermediary_id }, now)
  return beginSession(tx, rules, { applicant_id: applicantId, code, codeShown: false, intermediary_id }, now)
}

/** Creates an applicant's code. Throws Problem `forbidden` if the intermediary who would see it was disabled concurrently. */
async function giveCode(
  tx: Transaction,
  { apiKeyPepper, applyCodeDays }: ApplyRules,
  whose: Pick<ApplySession, 'applicant_id' | 'intermediary_id'>,
  now: Micros,
): Promise<string> {
  const code = mintCode()
  await saveApplyCode(tx, {
    ...whose,
    code_hash: hashCode(code, apiKeyPepper),
    expires_at: now + applyCodeDays * dayMicros,
  })
  // Done last: saving waits for concurrent changes to the intermediary.
  if (whose.intermediary_id !== null && !(await isActing(tx, whose.intermediary_id)))
    throw new Problem('forbidden', { detail: 'You can no longer apply for others.', internal: 'intermediary_disabled' })
  return code
}

/** Gives an applicant a new code and returns it. The old one stops working, and all sessions end except the current one, if any. Audited. */
export async function replaceCode(
  sql: Sql,
  rules: ApplyRules,
  { session, ...whose }: Pick<ApplySession, 'applicant_id' | 'intermediary_id'> & { session?: ApplySession },
  by: Pick<AuditContext, 'actor' | 'address'>,
  now: Micros,
): Promise<string> {
  return inTransaction(sql, async tx => {
    const code = await giveCode(tx, rules, whose, now)
    if (session !== undefined)
      await updateSessionCode(tx, session.tokenHash, sealText(code, rules.apiKeyPepper, session.binding))
    await deleteApplySessionsOf(tx, [whose.applicant_id], session?.tokenHash)
    await recordAction(tx, by, 'applicant_code_replaced', String(whose.applicant_id))
    return code
  })
}

/** Revokes an applicant's code and ends their sessions. Saved answers and applications are kept. Audited. */
export async function revokeCode(
  sql: Sql,
  applicantId: number,
  by: Pick<AuditContext, 'actor' | 'address'>,
): Promise<void> {
  await inTransaction(sql, async tx => {
    if (!(await deleteApplyCode(tx, applicantId))) return
    await deleteApplySessionsOf(tx, [applicantId])
    await recordAction(tx, by, 'applicant_code_revoked', String(applicantId))
  })
}

/** Starts a session with a code, which is then valid for as long as a new one. Undefined if nobody has the code, or it has expired. */
export async function returnWithCode(
  sql: Sql,
  rules: ApplyRules,
  typed: string,
  now: Micros,
): Promise<string | undefined> {
  const code = readCode(typed)
  if (code === undefined) return undefined
  return inTransaction(sql, async tx => {
    const hash = hashCode(code, rules.apiKeyPepper)
    const applicant_id = await useApplyCode(tx, hash, now, now + rules.applyCodeDays * dayMicros)
    return applicant_id === undefined
      ? undefined
      : beginSession(tx, rules, { applicant_id, code, codeShown: true, intermediary_id: null }, now)
  })
}

/** Starts a session and returns the cookie's token. */
export async function beginSession(
  tx: Transaction,
  { apiKeyPepper, applyIdleMs }: ApplyRules,
  { code, codeShown, ...whose }: Pick<ApplySession, 'applicant_id' | 'code' | 'codeShown' | 'intermediary_id'>,
  now: Micros,
): Promise<string> {
  const token = mintToken()
  await deleteEndedApplying(tx, now, now - applyIdleMs * 1000)
  await insertApplySession(tx, {
    token_hash: hashToken(token),
    ...whose,
    sealed_code: sealText(code, apiKeyPepper, bindingOf(token)),
    code_shown: codeShown,
    seen_at: now,
  })
  return token
}

/** The session of a cookie; undefined if it has ended. Records its use. */
export async function loadApplySession(
  sql: Sql,
  { apiKeyPepper, applyIdleMs }: ApplyRules,
  token: string,
  now: Micros,
): Promise<ApplySession | undefined> {
  const tokenHash = hashToken(token)
  const row = await findApplySession(sql, tokenHash, now - applyIdleMs * 1000)
  const binding = bindingOf(token)
  const code = row && openText(row.sealed_code, apiKeyPepper, binding)
  if (row === undefined || code === undefined) return undefined
  if (now - row.seen_at >= seenEveryMicros) await updateApplySessionSeen(sql, tokenHash, now)
  const { applicant_id, language, code_shown, intermediary_id, client } = row
  const csrf = createHmac('sha256', token).update('form').digest('base64url')
  return { applicant_id, language, tokenHash, binding, csrf, code, codeShown: code_shown, intermediary_id, client }
}

export const endApplySession = (sql: Sql, { tokenHash }: ApplySession): Promise<void> =>
  deleteApplySession(sql, tokenHash)
