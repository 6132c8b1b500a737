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
  /** Slug → program id of every program it may reach. */
  programs: ReadonlyMap<string, number>
  /** The questions it never sees, in whatever program. */
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

/** Why a request was refused with 401; for the log alone (spec, "Errors": "The specific reason is in the server logs"). */
export type Reason =
  | HeaderError
  | 'unknown_key'
  | 'wrong_secret'
  /** The same of a key of the origin's: its secret is under the origin's salt, which may be the wrong one, or is not set. */
  | 'wrong_secret_or_salt'
  | 'origin_salt_not_set'
  /** Its checksum says that no key ever had this secret: it was cut off, mistyped or made up. */
  | 'garbled_secret'
  /** The secret before a rotation, after the time that both were good. */
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
  /** Not a name that any program could have. */
  | 'no_such_program'

/** The one 401 of the service: body and header fields are the same for every reason (contract D4). */
export function unauthenticated(reason: Reason): Problem {
  return new Problem('unauthenticated', {
    detail:
      'The credentials are missing, invalid, or not valid for this request. An administrator can look up the reason by request_id.',
    internal: reason,
    challenge: 'api_key',
  })
}

/** The id of a program whose applications the caller may export, or the 401. `slug` may be any text. */
export function authorizeExport(caller: Caller, slug: string | null): number {
  if (!caller.may_export) throw unauthenticated('may_not_export')
  return grantedProgram(caller, slug)
}

/** The id of a program of whose applications the caller may set status and note, or the 401. `slug` may be any text. */
export function authorizeAnnotation(caller: Caller, slug: string | null): number {
  if (!caller.may_annotate) throw unauthenticated('may_not_annotate')
  return authorizeExport(caller, slug)
}

/** The front end the caller submits for, or the 401. */
export function authorizeIntake(caller: Pick<Caller, 'may_submit' | 'front_end'>): string {
  if (!caller.may_submit || caller.front_end === null) throw unauthenticated('may_not_submit')
  return caller.front_end
}

/** The id of a program to which the caller may submit, or the 401. `slug` may be any text. */
export function authorizeSubmit(caller: Caller, slug: string | null): { program_id: number; front_end: string } {
  const front_end = authorizeIntake(caller)
  return { program_id: grantedProgram(caller, slug), front_end }
}

/**
 * The id of a program the caller was granted, whatever for, or the 401. Looked up in the caller's own programs alone, so that
 * nothing a client writes here reaches a statement. The router gives null for percent-encoding that cannot be decoded.
 */
export function grantedProgram(caller: Pick<Caller, 'programs'>, slug: string | null): number {
  const programId = slug === null ? undefined : caller.programs.get(slug)
  if (programId !== undefined) return programId
  throw unauthenticated(slug !== null && /^[a-z0-9-]{1,100}$/.test(slug) ? 'no_grant' : 'no_such_program')
}
