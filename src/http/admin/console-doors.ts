// The doors of the console. Each door is a line of data. What all of them need is done here: finding the session or sending the visitor to
// sign in, checking the role, the origin and the token of a form, and answering with a page that says what went wrong.

import { Elysia } from 'elysia'
import { actorOf, type Person, type Role, requireRole } from '../../access/roles.ts'
import { isConfirmed, isCsrf, loadSession, type Session } from '../../access/sessions.ts'
import { isFollowing } from '../../db/civiform/follow-state.ts'
import { addressText } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { Problem, type ProblemItem } from '../../problem.ts'
import type { Deps } from '../deps.ts'
import { methodNotAllowed, problemResponse } from '../errors.ts'
import { preferredType } from '../media-type.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'
import { type Place, placeOf } from '../place.ts'
import { recordOf } from '../request-record.ts'
import { readAddress } from '../sent-text.ts'
import { htmlResponse } from '../shell/html-response.ts'
import type { PageContext } from '../shell/page-context.ts'
import { ProblemPage } from './problem-page.tsx'
import { readForm } from './read-form.ts'
import { sessionCookie, sessionToken } from './session-cookie.ts'

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
  /** Where the form is that is sent here, when it is not at this path: one step above it. */
  sentFromAbove?: boolean
  /** Whether it edits programs. Where a CiviForm is followed such a door does not open: programs are edited there. */
  editsPrograms?: boolean
  answer: (visit: Visit) => Response | Promise<Response>
}

export type ConsoleDoor = OpenDoor | GuardedDoor

const formBytesMax = 64 * 1024

/** The routes of these doors, with HEAD beside GET and a refusal of every other method. */
export function consoleRoutes(deps: Deps, doors: readonly ConsoleDoor[]) {
  const routes = new Elysia({ name: 'console' })
  const methods = new Map<string, string[]>()
  for (const door of doors) {
    const answer = (context: { request: Request; params?: Readonly<Record<string, string | null>> }) =>
      enter(deps, door, context.request, context.params)
    const offered = methods.get(door.path) ?? []
    methods.set(door.path, offered)
    if (door.method === 'GET') {
      routes.get(door.path, answer, hiddenRoute).head(door.path, answer, hiddenRoute)
      offered.push('GET', 'HEAD')
    } else {
      routes.post(door.path, answer, hiddenRoute)
      offered.push('POST')
    }
  }
  for (const [path, offered] of methods) routes.all(path, methodNotAllowed(offered), hiddenRoute)
  return routes
}

/** Thrown to send a visitor elsewhere first. */
class Elsewhere extends Error {
  constructor(readonly path: string) {
    super('the visitor is sent elsewhere')
  }
}

async function enter(
  deps: Deps,
  door: ConsoleDoor,
  request: Request,
  params: Readonly<Record<string, string | null>> | undefined,
): Promise<Response> {
  const { visit, secure } = openVisit(deps, request)
  try {
    visit.params = readAddress(visit.url, params)
    if (!secure)
      throw new Problem('forbidden', { detail: 'The console is reached over HTTPS alone.', internal: 'plain_http' })
    const token = sessionToken(request, visit.https)
    if (token !== undefined) {
      visit.session = await loadSession(deps.consoleDb, token, sessionLimits(deps), visit.now)
      if (visit.session !== undefined)
        visit.context = {
          ...visit.context,
          person: visit.session.person,
          csrf: visit.session.csrf,
          following: await isFollowing(deps.consoleDb),
        }
    }
    if (door.method === 'POST') requireOwnOrigin(visit)
    // Before the form is read, so that strangers cannot have the service hold large ones.
    const admitted = door.roles === 'anyone' ? undefined : admit(door, visit)
    if (door.method === 'POST') visit.form = await readForm(request, door.bodyBytesMax ?? formBytesMax)
    if (door.roles === 'anyone') return await door.answer(visit)
    return await door.answer(guarded(door, { ...visit, ...admitted! }))
  } catch (error) {
    if (error instanceof Elsewhere) return redirect(visit, error.path)
    return refusal(error, visit)
  }
}

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

const pathHere = (door: GuardedDoor, { url }: OpenVisit): string | undefined =>
  door.method === 'GET' ? url.pathname + url.search : undefined

/** The person and the session, if the role opens this door; strangers are sent to sign in. */
function admit(door: GuardedDoor, visit: OpenVisit): Pick<Visit, 'session' | 'person'> {
  const { session } = visit
  const here = pathHere(door, visit)
  if (session === undefined) {
    if (here !== undefined) throw new Elsewhere(`/admin/sign-in?next=${encodeURIComponent(here)}`)
    throw new Problem('unauthenticated', {
      detail:
        'You are signed out, so nothing was changed. Sign in again; the browser’s back button brings back what you typed.',
      internal: 'no_session',
    })
  }
  requireRole(session.person, door.roles)
  if (door.editsPrograms && visit.context.following) throw decidedElsewhere()
  return { session, person: session.person }
}

const decidedElsewhere = (): Problem =>
  new Problem('conflict', {
    detail:
      'Programs are made, edited and published in the CiviForm that this installation follows, and are here within seconds.',
  })

/** These doors, marked as editing programs. */
export const editingDoors = (doors: readonly ConsoleDoor[]): ConsoleDoor[] =>
  doors.map(door => (door.roles === 'anyone' ? door : { ...door, editsPrograms: true }))

function guarded(door: GuardedDoor, visit: Visit): Visit {
  const { session } = visit
  if (door.method === 'POST' && !isCsrf(session, visit.form.get('csrf')))
    throw new Problem('forbidden', {
      detail: 'This form is from another sign-in, so nothing was changed. Load the page again and send it once more.',
      internal: 'csrf',
    })
  if (door.confirmed && !isConfirmed(session, visit.now))
    throw new Elsewhere(`/admin/confirm?next=${encodeURIComponent(pathHere(door, visit) ?? formPath(door, visit))}`)
  return visit
}

const formPath = ({ sentFromAbove }: GuardedDoor, { url: { pathname } }: OpenVisit): string =>
  sentFromAbove ? pathname.slice(0, pathname.lastIndexOf('/')) : pathname

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

/** What went wrong, as a page for people and as a problem document for programs. */
async function refusal(error: unknown, visit: OpenVisit): Promise<Response> {
  const response = problemResponse(error, recordOf(visit.request))
  const wanted = preferredType(visit.request.headers.get('accept'), ['text/html', 'application/json'])
  if (wanted === 'application/json') return response
  const problem = (await response.json()) as { title: string; detail: string; request_id: string }
  const fields = Object.fromEntries(
    [...response.headers].filter(([name]) => !/^content-|^cache-control$|^www-authenticate$/i.test(name)),
  )
  return htmlResponse(
    ProblemPage({ context: visit.context, status: response.status, ...problem }),
    response.status,
    fields,
  )
}
