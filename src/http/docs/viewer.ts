// Who looks at the docs, and which programs they may see.
// It must not know what the docs say.

import { Elysia } from 'elysia'
import { grantedProgram } from '../../access/caller.ts'
import type { Db } from '../../db/client.ts'
import { findProgram, type Program } from '../../db/programs.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { Problem } from '../../problem.ts'
import { authenticateRequest } from '../authenticate.ts'
import type { Deps } from '../deps.ts'
import { recordOf } from '../request-record.ts'

/** Somebody who was let in: an API key now; whoever has a session of the console can be one just as well. */
export interface Viewer {
  /** The programs they may see: every one, or these, slug → program id. */
  programs: 'all' | ReadonlyMap<string, number>
  /** Fields to send with every answer: those of the limits they are under. */
  fields: Readonly<Record<string, string>>
}

/**
 * Adds `viewer` to the routes of the instance that uses it, or answers 401 before anything else is looked at (contract D7).
 * An API key sees the programs it is granted, whether it may export or submit.
 */
export const viewDocs = (deps: Deps) =>
  new Elysia({ name: 'view-docs' }).derive({ as: 'scoped' }, async ({ request }) => ({
    viewer: await authenticateViewer(deps, request),
  }))

async function authenticateViewer(deps: Deps, request: Request): Promise<Viewer> {
  const { api_key_id, programs } = await authenticateRequest(deps, request)
  return { programs, fields: deps.limits.takeRequest(api_key_id) }
}

/**
 * The program of this slug, if it is among the viewer's. To a key, one that is not and one that does not exist are the same 401.
 * Notes it for the log.
 */
export async function loadVisibleProgram(
  db: Db,
  viewer: Viewer,
  request: Request,
  slug: string | null,
): Promise<Program> {
  if (viewer.programs !== 'all') grantedProgram({ programs: viewer.programs }, slug)
  const program = slug === null || !isSlug(slug) ? undefined : await findProgram(db, slug)
  if (program === undefined) throw new Problem('not_found', { detail: 'There is no program of this name.' })
  recordOf(request).fields.program = program.slug
  return program
}
