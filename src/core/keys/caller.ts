// An authenticated API key and what it may do. Clients cannot tell the reasons for a 401 apart.
// Nothing is looked up: the caller contains the programs it can access.

import { Problem } from '../../base/problem.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import type { HeaderError } from './credential.ts'

/** An authenticated API key, as of this request. */
export interface Caller {
  api_key_id: string
  name: string
  expires_at: Micros
  may_export: boolean
  may_submit: boolean
  may_annotate: boolean
  /** For a key that can submit: the front end whose applicants it can access (D26). */
  front_end: string | null
  /** Slug → ID of each program it can access. */
  programs: ReadonlyMap<string, number>
  /** The questions hidden from it, in any program. */
  hidden: HiddenQuestions
  /** The client's address, in canonical text. */
  address: string
}

/** Questions of the bank that are hidden from a key. */
export interface HiddenQuestions {
  /** Admin names, for the audit log. */
  names: readonly string[]
  ids: ReadonlySet<number>
}

export const nothingHidden: HiddenQuestions = { names: [], ids: new Set() }

/** Why a request was rejected with 401; only for the log (spec, "Errors": "The specific reason is in the server logs"). */
export type Reason =
  | HeaderError
  | 'unknown_key'
  | 'wrong_secret'
  /** A wrong secret of an origin's key: it is hashed with the origin's salt, which may be wrong or not set. */
  | 'wrong_secret_or_salt'
  | 'origin_salt_not_set'
  /** Its checksum shows that no key ever had this secret: it was truncated, mistyped or invented. */
  | 'garbled_secret'
  /** The secret before a rotation, after the time in which both were valid. */
  | 'rotated_secret'
  | 'retired'
  | 'expired'
  | 'disabled'
  | 'address_not_allowed'
  | 'unparseable_address'
  | 'plain_http'
  | 'may_not_export'
  | 'may_not_submit'
  | 'may_not_annotate'
  /** No grant for the program, whether or not it exists. */
  | 'no_grant'
  /** A text that is not a valid program name. */
  | 'no_such_program'

/** The service's only 401: body and header fields are the same for every reason (contract D4). */
export function unauthenticated(reason: Reason): Problem {
  return new Problem('unauthenticated', {
    detail:
      'The credentials are missing, invalid, or not valid for this request. An administrator can look up the reason by request_id.',
    internal: reason,
    challenge: 'api_key',
  })
}

/** The ID of a program whose applications the caller may export; otherwise throws the 401. `slug` may be any text. */
export function authorizeExport(caller: Caller, slug: string | null): number {
  if (!caller.may_export) throw unauthenticated('may_not_export')
  return grantedProgram(caller, slug)
}

/** The ID of a program whose statuses and notes the caller may set; otherwise throws the 401. `slug` may be any text. */
export function authorizeAnnotation(caller: Caller, slug: string | null): number {
  if (!caller.may_annotate) throw unauthenticated('may_not_annotate')
  return authorizeExport(caller, slug)
}

/** The front end that the caller submits for; otherwise throws the 401. */
export function authorizeIntake(caller: Pick<Caller, 'may_submit' | 'front_end'>): string {
  if (!caller.may_submit || caller.front_end === null) throw unauthenticated('may_not_submit')
  return caller.front_end
}

/** The ID of a program to which the caller may submit; otherwise throws the 401. `slug` may be any text. */
export function authorizeSubmit(caller: Caller, slug: string | null): { program_id: number; front_end: string } {
  const front_end = authorizeIntake(caller)
  return { program_id: grantedProgram(caller, slug), front_end }
}

/**
 * The ID of a program that the caller can access for any purpose; otherwise throws the 401. Only looked up in the caller's own programs, so that no
 * text from a client reaches a statement. The router passes null for invalid percent-encoding.
 */
export function grantedProgram(caller: Pick<Caller, 'programs'>, slug: string | null): number {
  const programId = slug === null ? undefined : caller.programs.get(slug)
  if (programId !== undefined) return programId
  throw unauthenticated(slug !== null && /^[a-z0-9-]{1,100}$/.test(slug) ? 'no_grant' : 'no_such_program')
}
