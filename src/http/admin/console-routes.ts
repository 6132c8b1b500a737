// How a door of the console is entered: the session is found or the visitor sent to sign in, role, origin and the token of a form are
// checked, and what goes wrong is answered with a page that says so. No form is lost on the way: one that was sent in a session that has
// ended comes back to be sent again, and one for which a password is asked is sent on.

import { Elysia } from 'elysia'
import { requireRole } from '../../access/roles.ts'
import { isConfirmed, isCsrf, loadSession } from '../../access/sessions.ts'
import { isFollowing } from '../../db/civiform/follow-state.ts'
import { Problem } from '../../problem.ts'
import type { Deps } from '../deps.ts'
import { methodNotAllowed, problemResponse } from '../errors.ts'
import { preferredType } from '../media-type.ts'
import { hiddenRoute } from '../openapi/route-detail.ts'
import { recordOf } from '../request-record.ts'
import { readAddress } from '../sent-text.ts'
import { htmlResponse } from '../shell/html-response.ts'
import {
  type ConsoleDoor,
  type GuardedDoor,
  type OpenVisit,
  openVisit,
  redirect,
  requireOwnOrigin,
  sessionLimits,
  type Visit,
} from './console-doors.ts'
import { ProblemPage } from './problem-page.tsx'
import { readForm } from './read-form.ts'
import { sessionToken } from './session-cookie.ts'
import { confirmFirst, signInFirst, takeOwnFields } from './signing-in/kept-forms.ts'

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
    if (door.roles !== 'anyone') return await enterGuarded(deps, door, visit)
    if (door.method === 'POST') visit.form = await readForm(request, door.bodyBytesMax ?? formBytesMax)
    return await door.answer(visit)
  } catch (error) {
    return refusal(error, visit)
  }
}

async function enterGuarded(deps: Deps, door: GuardedDoor, stranger: OpenVisit): Promise<Response> {
  const { session, url, request, context } = stranger
  const bytesMax = door.bodyBytesMax ?? formBytesMax
  const here = encodeURIComponent(url.pathname + url.search)
  if (session === undefined) {
    if (door.method === 'GET') return redirect(stranger, `/admin/sign-in?next=${here}`)
    if (!wantsPage(stranger)) throw new Problem('unauthenticated', { detail: signedOut, internal: 'no_session' })
    return signInFirst(deps, stranger, { bytesMax, keeps: door.again !== undefined })
  }
  const { person } = session
  requireRole(person, door.roles)
  if (door.editsPrograms && context.following) throw decidedElsewhere()
  const visit: Visit = { ...stranger, session, person }
  const confirms = door.confirmed === true && !isConfirmed(session, visit.now)
  if (door.method === 'GET') return confirms ? redirect(visit, `/admin/confirm?next=${here}`) : door.answer(visit)
  visit.form = await readForm(request, bytesMax)
  const own = takeOwnFields(visit.form)
  if (!isCsrf(session, visit.form.get('csrf'))) return showAgain(door, visit)
  const asked = confirms ? await confirmFirst(deps, visit, own) : undefined
  return asked ?? door.answer(visit)
}

const signedOut = 'You are signed out, so nothing was changed.'

/** A form of a session that has ended, with what was typed in it, to be sent in this one. Only to the person who typed it. */
function showAgain({ again }: GuardedDoor, visit: Visit): Response | Promise<Response> {
  const typedBy = visit.form.get('typed_by')
  if (again !== undefined && typedBy === String(visit.person.person_id)) {
    visit.context = { ...visit.context, shownAgain: true }
    return again(visit, { values: visit.form, faults: [] })
  }
  const others = typedBy !== null && typedBy !== String(visit.person.person_id)
  throw new Problem('forbidden', {
    detail: others
      ? 'Somebody else filled in this form, so nothing was changed and what they typed is not shown. You are signed in.'
      : 'This form is from another sign-in, so nothing was changed. Load the page again and send it once more.',
    internal: 'csrf',
  })
}

const decidedElsewhere = (): Problem =>
  new Problem('conflict', {
    detail:
      'Programs are made, edited and published in the CiviForm that this installation follows, and are here within seconds.',
  })

/** Whether whoever asks reads pages, and not problem documents. */
const wantsPage = ({ request }: OpenVisit): boolean =>
  preferredType(request.headers.get('accept'), ['text/html', 'application/json']) !== 'application/json'

/** What went wrong, as a page for people and as a problem document for programs. */
async function refusal(error: unknown, visit: OpenVisit): Promise<Response> {
  const response = problemResponse(error, recordOf(visit.request))
  if (!wantsPage(visit)) return response
  const problem = (await response.json()) as { title: string; detail: string; request_id: string }
  const fields = Object.fromEntries(
    [...response.headers].filter(([name]) => !/^content-|^cache-control$|^www-authenticate$/i.test(name)),
  )
  const next = visit.request.method === 'GET' ? visit.url.pathname + visit.url.search : undefined
  return htmlResponse(
    ProblemPage({ context: visit.context, status: response.status, ...problem, next }),
    response.status,
    fields,
  )
}
