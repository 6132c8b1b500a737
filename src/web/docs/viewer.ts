// Identifies the reader of the docs and the programs that they can see.

import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import { grantedProgram, nothingHidden } from '../../core/keys/caller.ts'
import { programsAmong, requireRole } from '../../core/people/roles.ts'
import type { Db } from '../../db/client.ts'
import { findProgram, type Program, type ProgramListing, readDocumentedPrograms } from '../../db/programs/programs.ts'
import { addressText } from '../../domain/values/ip-address.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { signedInContext } from '../console/signed-in-context.ts'
import { mustSetUp, setUpFirst } from '../console/signing-in/second-factor-routes.tsx'
import { everyRole } from '../html/navigation.ts'
import { type PageContext, pageContext } from '../html/page-context.ts'
import { quotaHeaders } from '../http/headers/quota-headers.ts'
import { loadSignedIn } from '../http/headers/session-cookie.ts'
import { authenticateRequest } from '../http/server/authenticate.ts'
import type { Deps } from '../http/server/deps.ts'
import { placeOf } from '../http/server/place.ts'
import { recordOf } from '../http/server/request-record.ts'

/** An authenticated reader: an API key, or a person signed in to the console. */
export interface Viewer {
  /** IDs of the programs that the reader can see. */
  programIds: 'all' | ReadonlySet<number>
  /** The grants of an API key, slug → program id; undefined for a person. */
  granted: ReadonlyMap<string, number> | undefined
  /** IDs of questions hidden from the reader; none for a person. */
  hidden: ReadonlySet<number>
  /** Username of the reader's API key; undefined for a person. */
  username: string | undefined
  /** The permissions of the reader's key; none for a person. */
  mayExport: boolean
  maySubmit: boolean
  /** Headers of every response: the limits of the key. */
  fields: Readonly<Record<string, string>>
  /** Context for rendering pages. */
  context: PageContext
}

/**
 * Adds `viewer` to the routes of the instance that uses it, or responds with 401 before anything else is read (contract D7).
 * An API key sees the programs it is granted, whether it can export or submit; a person sees those the console shows them.
 */
export const viewDocs = (deps: Deps) =>
  new Elysia({ name: 'view-docs' }).derive({ as: 'scoped' }, async ({ request }) => ({
    viewer: (await signedInViewer(deps, request)) ?? (await keyViewer(deps, request)),
  }))

/** A session takes precedence, because browsers keep sending a key that was once entered. */
async function signedInViewer(deps: Deps, request: Request): Promise<Viewer | undefined> {
  const { config, now } = deps
  const { fields, origin } = recordOf(request)
  const place = placeOf(config, request)
  // An export-only process has no console to sign in to.
  if (!origin.secure || config.exportOnly) return undefined
  const session = await loadSignedIn(deps, request, place.baseUrl.startsWith('https:'))
  if (session === undefined) return undefined
  if (mustSetUp(deps, session)) throw setUpFirst()
  requireRole(session.person, everyRole)
  if (origin.address !== undefined) fields.address = addressText(origin.address)
  return {
    programIds: session.person.programIds,
    granted: undefined,
    hidden: nothingHidden.ids,
    username: undefined,
    mayExport: false,
    maySubmit: false,
    fields: {},
    context: signedInContext(deps, pageContext(place, config, request, now()), session),
  }
}

async function keyViewer(deps: Deps, request: Request): Promise<Viewer> {
  const { api_key_id, programs, hidden, may_export, may_submit } = await authenticateRequest(deps, request)
  return {
    programIds: new Set(programs.values()),
    granted: programs,
    hidden: hidden.ids,
    username: api_key_id,
    mayExport: may_export,
    maySubmit: may_submit,
    fields: quotaHeaders(await deps.limits.takeRequest(api_key_id)),
    context: pageContext(placeOf(deps.config, request), deps.config, request, deps.now()),
  }
}

/** The first program, by slug, that the viewer can see: the one in samples. */
export async function findFirstProgram(db: Db, viewer: Viewer): Promise<ProgramListing | undefined> {
  const [first] = await readDocumentedPrograms(db, { among: programsAmong(viewer), search: '', after: '', rowsMax: 1 })
  return first
}

/**
 * The program with this slug, if the viewer can see it, recorded for the log. A program that the viewer cannot see looks like one that does
 * not exist: 401 for a key, 404 for a person.
 */
export async function loadVisibleProgram(
  db: Db,
  viewer: Viewer,
  request: Request,
  slug: string | null,
): Promise<Program> {
  if (viewer.granted !== undefined) grantedProgram({ programs: viewer.granted }, slug)
  const program = slug === null || !isSlug(slug) ? undefined : await findProgram(db, slug)
  if (program === undefined || (viewer.programIds !== 'all' && !viewer.programIds.has(program.program_id)))
    throw new Problem('not_found', { detail: 'You don’t have access to a program with this name.' })
  recordOf(request).fields.program = program.slug
  return program
}
