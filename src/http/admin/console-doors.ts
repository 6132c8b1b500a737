// The doors of the console. Each door is a line of data; how one is entered is in console-routes. And what the answers of doors have in
// common: where they lead on, who does something, what was wrong with a form.

import { actorOf, type Person, type Role } from '../../access/roles.ts'
import type { Session } from '../../access/sessions.ts'
import { addressText } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { Problem, type ProblemItem } from '../../problem.ts'
import type { Deps } from '../deps.ts'
import { type Place, placeOf } from '../place.ts'
import { recordOf } from '../request-record.ts'
import type { FormState } from '../shell/fields.tsx'
import type { PageContext } from '../shell/page-context.ts'
import { sessionCookie } from './session-cookie.ts'

/** A request at a door that is open to everybody. */
export interface OpenVisit {
  request: Request
  url: URL
  /** The parts of the path by name; never undefined for a name that the door's path has. */
  params: Readonly<Record<string, string>>
  /** The fields of a form that was sent; empty for GET. */
  form: URLSearchParams
  place: Place
  now: Micros
  /** Whether browsers reach the service by https, which decides how the cookie is set. */
  https: boolean
  address: string | undefined
  /** The session of the visitor, even where the door needs none. */
  session: Session | undefined
  /** What pages are made with. */
  context: PageContext
}

/** The same, with somebody signed in. */
export interface Visit extends OpenVisit {
  session: Session
  person: Person
}

interface DoorPlace {
  method: 'GET' | 'POST'
  /** `/admin/keys/:keyId`. */
  path: string
  /** Largest body of a form. 64 KB unless given. */
  bodyBytesMax?: number
}

interface OpenDoor extends DoorPlace {
  roles: 'anyone'
  answer: (visit: OpenVisit) => Response | Promise<Response>
}

export interface GuardedDoor extends DoorPlace {
  roles: readonly Role[]
  /**
   * Whether the person must have entered their password, or been confirmed by their provider, within the last ten minutes: wherever a
   * secret is handed out or a person may do more afterwards than before.
   */
  confirmed?: boolean
  /** Whether it edits programs. Where a CiviForm is followed such a door does not open: programs are edited there. */
  editsPrograms?: boolean
  answer: (visit: Visit) => Response | Promise<Response>
  /** Of a form in which something is typed: its page with these fields, where it was sent in a session that had ended. It changes nothing. */
  again?: (visit: Visit, form: FormState) => Response | Promise<Response>
}

export type ConsoleDoor = OpenDoor | GuardedDoor

/** What is known of a request before its session is looked up. `secure` tells whether it came by HTTPS, or is allowed to come without. */
export function openVisit(deps: Deps, request: Request): { visit: OpenVisit; secure: boolean } {
  const { config, now } = deps
  const record = recordOf(request)
  const { address, secure } = record.origin
  if (address !== undefined) record.fields.address = addressText(address)
  const place = placeOf(config, request)
  const visit: OpenVisit = {
    request,
    url: new URL(request.url),
    params: {},
    form: new URLSearchParams(),
    place,
    now: now(),
    https: place.baseUrl.startsWith('https:'),
    address: record.fields.address,
    session: undefined,
    context: { root: place.root, config, person: undefined, csrf: '' },
  }
  return { visit, secure }
}

/** These doors, marked as editing programs. */
export const editingDoors = (doors: readonly ConsoleDoor[]): ConsoleDoor[] =>
  doors.map(door => (door.roles === 'anyone' ? door : { ...door, editsPrograms: true }))

/** A form is only taken from a page of our own: browsers say where it was (RFC 6454; Fetch Metadata). */
export function requireOwnOrigin({ request, place }: OpenVisit): void {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  if (origin === new URL(place.baseUrl).origin && (site === null || site === 'same-origin')) return
  throw new Problem('forbidden', {
    detail: 'This form did not come from a page of this console, so nothing was changed.',
    internal: 'foreign_origin',
  })
}

export const sessionLimits = ({ config }: Pick<Deps, 'config'>) => ({
  idleMs: config.sessionIdleMs,
  lifetimeMs: config.sessionLifetimeMs,
})

/** Leads on to the page that shows what a deed did: with 303, so that loading the page again does not repeat the deed. */
export function redirect(
  { place }: Pick<OpenVisit, 'place'>,
  path: string,
  fields: Readonly<Record<string, string>> = {},
): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: place.root + path, 'Cache-Control': 'no-store', ...fields },
  })
}

/** The cookie of a session, or with undefined one that takes it away. */
export const cookieOf = (visit: Pick<OpenVisit, 'https'>, token: string | undefined): Record<string, string> => ({
  'Set-Cookie': sessionCookie(token, visit.https),
})

/** The path if it is one of the console, else the start. */
export function nextPath(text: string | null): string {
  return text !== null && /^\/admin(?:[/?][^\\\p{Cc}]*)?$/u.test(text) ? text : '/admin'
}

/** Who does something and from where, for the audit trail. */
export const deedOf = ({ person, address, now }: Visit) => ({ actor: actorOf(person), address, now })

/** The faults of a form that was refused; anything else that was thrown goes on as it is. */
export function faultsOf(error: unknown): readonly ProblemItem[] {
  if (error instanceof Problem && error.kind === 'invalid_request' && error.errors.length > 0) return error.errors
  throw error
}
