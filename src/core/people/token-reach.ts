// Limits what an administrator's token can do through keys and people: a key or person that it creates, changes or gives a secret to may do
// no more than the token itself. A person who is signed in has no such limit, because they have just proved who they are.

import { Problem } from '../../base/problem.ts'
import { requireScope, type Scope, scopes } from './admin-tokens.ts'
import type { Role } from './roles.ts'

/** The scopes of a token; undefined for a session. */
type Token = { scopes: readonly string[] } | undefined

/** The scopes that a role's permissions correspond to. No token can act for an administrator. */
const scopesOf: Readonly<Record<Exclude<Role, 'ADMINISTRATOR'>, readonly Scope[]>> = {
  PROGRAM_ADMINISTRATOR: ['programs:read', 'applications:write', 'webhooks:read'],
  // They read and submit the applications of their organization's clients.
  INTERMEDIARY: ['intermediaries:write', 'applications:write'],
  AUDITOR: scopes.filter(scope => scope.endsWith(':read')),
}

/** Throws Problem `forbidden` if a person with this role may do more than the token. */
export function requireReachOfRole(token: Token, role: Role): void {
  if (token === undefined) return
  if (role === 'ADMINISTRATOR')
    throw new Problem('forbidden', {
      detail: 'A token can’t create or change administrators. Sign in to the console to do so.',
      internal: 'scope',
    })
  for (const scope of scopesOf[role]) requireScope(token.scopes, scope)
}

/** Throws Problem `forbidden` if a key with these permissions reads or changes applications that the token may not. */
export function requireReachOfKey(
  token: Token,
  key: { may_export: boolean; may_submit: boolean; may_annotate?: boolean },
): void {
  if (token === undefined) return
  if (key.may_export) requireScope(token.scopes, 'applications:read')
  if (key.may_submit || key.may_annotate) requireScope(token.scopes, 'applications:write')
}
