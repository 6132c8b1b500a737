// API tokens for the console's API. People create them for themselves. A token has at most its owner's current permissions, and stops
// working when it expires, is retired, or its owner is disabled. Only its hash is stored; `createAdminToken` returns the token once.

import { invalidRequest, Problem, type ProblemItem } from '../../base/problem.ts'
import { inTransaction, type Sql } from '../../db/client.ts'
import {
  type AdminTokenRow,
  countGoodTokens,
  findAdminToken,
  insertAdminToken,
  readAdminTokens,
  retireAdminTokenRow,
  updateAdminTokenUsed,
} from '../../db/people/admin-token-rows.ts'
import { isBlank, isName } from '../../domain/values/folded-text.ts'
import { formatMicros, type Micros } from '../../domain/values/offset-time.ts'
import { type AuditContext, recordAction } from '../audit/record-action.ts'
import { expiryErrors } from '../keys/api-key-draft.ts'
import { isAdminToken, mintAdminToken } from '../keys/credential.ts'
import { type Person, personOf } from './roles.ts'
import { hashToken } from './sign-in-tokens.ts'

/** The areas that a token can give access to, in words. */
const areas = {
  keys: 'API keys',
  programs: 'programs, drafts and the question bank',
  applications: 'applications, their status and note',
  jobs: 'jobs and generated docs',
  audit: 'the audit log',
  intermediaries: 'intermediaries',
  people: 'people and their tokens',
  settings: 'settings and retention',
  webhooks: 'webhooks, without their secrets',
}
export type Area = keyof typeof areas

/** The scope of a token. `write` includes `read`, but not `erase`, which cannot be undone. */
export type Scope = `${Area}:${'read' | 'write'}` | 'applications:erase'

/** In display order. Nothing in the audit log can be changed. */
export const scopes: readonly Scope[] = (Object.keys(areas) as Area[]).flatMap((area): Scope[] =>
  area === 'audit'
    ? ['audit:read']
    : [`${area}:read`, `${area}:write`, ...(area === 'applications' ? ['applications:erase' as const] : [])],
)

/** `audit:read` → `Read the audit log`. */
export function scopeLabel(scope: Scope): string {
  if (scope === 'applications:erase') return 'Erase applications and applicants'
  const [area, verb] = scope.split(':') as [Area, 'read' | 'write']
  return `${verb === 'read' ? 'Read' : 'Read and change'} ${areas[area]}`
}

const tokensMax = 50
const nameLengthMax = 100

interface AdminTokenDraft {
  name: string
  scopes: readonly string[]
  /** Undefined without one. */
  expires_at: Micros | undefined
}

/** Creates a token for the person who requests it. Only this response contains it. Throws `invalid_request` naming every error. */
export async function createAdminToken(
  sql: Sql,
  person: Pick<Person, 'person_id'>,
  draft: AdminTokenDraft,
  by: AuditContext,
): Promise<{ tokenId: string; token: string }> {
  const name = draft.name.trim()
  const wanted = scopes.filter(scope => draft.scopes.includes(scope))
  const errors: ProblemItem[] = []
  const error = (path: string, code: string, detail: string): number => errors.push({ path, code, detail })
  if (isBlank(name)) error('/name', 'required', 'must not be empty')
  else if (!isName(name, nameLengthMax))
    error('/name', 'bad_name', `must be one line of at most ${nameLengthMax} characters, without tabs`)
  if (wanted.length === 0) error('/scopes', 'required', 'must include at least one scope')
  for (const [i, scope] of draft.scopes.entries())
    if (!wanted.some(known => known === scope))
      error(`/scopes/${i}`, 'unknown_scope', `must be one of ${scopes.join(', ')}`)
  errors.push(...expiryErrors(draft.expires_at, by.now))
  if (errors.length > 0) throw invalidRequest('The token was not created.', errors)
  const expires_at = draft.expires_at!
  const { tokenId, token } = mintAdminToken()
  await inTransaction(sql, async tx => {
    const { person_id } = person
    const good = await countGoodTokens(tx, person_id, by.now)
    if (good === undefined)
      throw new Problem('forbidden', { detail: 'Your account is disabled.', internal: 'disabled' })
    if (good >= tokensMax)
      throw new Problem('conflict', {
        detail: `You already have ${tokensMax} active tokens. Retire one you no longer use.`,
      })
    await insertAdminToken(tx, {
      admin_token_id: tokenId,
      person_id,
      name,
      token_hash: hashToken(token),
      scopes: wanted,
      created_at: by.now,
      expires_at,
    })
    const detail = { name, scopes: wanted, expires_at: formatMicros(expires_at) }
    await recordAction(tx, by, 'admin_token_created', tokenId, detail)
  })
  return { tokenId, token }
}

/** Ends a person's token, effective with its next request. Throws `not_found`. */
export async function retireAdminToken(
  sql: Sql,
  place: { tokenId: string; personId: number },
  by: AuditContext,
): Promise<void> {
  await inTransaction(sql, async tx => {
    if (!(await retireAdminTokenRow(tx, place, by.now, by.actor)))
      throw new Problem('not_found', { detail: 'There is no active token with this ID.' })
    await recordAction(tx, by, 'admin_token_retired', place.tokenId)
  })
}

export type AdminTokenState = 'good' | 'expired' | 'retired'
export interface ListedAdminToken extends AdminTokenRow {
  state: AdminTokenState
}

const listedMax = 200

/** A person's tokens, valid ones first. */
export async function listAdminTokens(sql: Sql, personId: number, now: Micros): Promise<ListedAdminToken[]> {
  const rows = await readAdminTokens(sql, personId, now, listedMax)
  return rows.map(row => ({
    ...row,
    state: row.retired_at !== null ? 'retired' : row.expires_at <= now ? 'expired' : 'good',
  }))
}

/** A person authenticated by a token. */
export interface TokenHolder {
  person: Person
  tokenId: string
  scopes: readonly string[]
  expiresAt: Micros
  /** Whether they can sign in with a password, if passwords are on. */
  hasPassword: boolean
  hasSecondFactor: boolean
}

/** The precision with which a token's last use is stored. */
const usedEveryMicros = 60 * 1_000_000

/** The person with this token; undefined if it doesn't exist or has ended, or the person is disabled. Records its use. */
export async function loadTokenHolder(
  sql: Sql,
  token: string,
  { now, address }: { now: Micros; address: string | undefined },
): Promise<TokenHolder | undefined> {
  const row = isAdminToken(token) ? await findAdminToken(sql, hashToken(token), now) : undefined
  if (row === undefined) return undefined
  if (row.last_used_at === null || now - row.last_used_at >= usedEveryMicros)
    await updateAdminTokenUsed(sql, row.admin_token_id, now, address)
  return {
    person: personOf(row),
    tokenId: row.admin_token_id,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    hasPassword: row.has_password,
    hasSecondFactor: row.has_second_factor,
  }
}

/** The name in the audit log of a person who acts through a token. */
export const tokenActor = ({ tokenId, person }: Pick<TokenHolder, 'tokenId' | 'person'>): string =>
  `admin-token:${tokenId}:${person.email}`

/** Throws Problem `forbidden` if the token lacks the scope. */
export function requireScope(held: readonly string[], scope: Scope): void {
  if (held.includes(scope) || held.includes(scope.replace(':read', ':write'))) return
  throw new Problem('forbidden', {
    detail: `The token needs the scope ${scope}. It has ${held.join(', ')}.`,
    internal: 'scope',
  })
}
