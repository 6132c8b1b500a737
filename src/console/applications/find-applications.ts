// The applications an address names, if the person may see them: a program, one application, a page of a list, what an export has.

import {
  type ApplicationDetails,
  findApplicationDetails,
  readListedApplications,
  type StoredApplication,
} from '../../db/applications/application-lists.ts'
import type { Sql } from '../../db/client.ts'
import { findProgram, type Program } from '../../db/programs/programs.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { exportedObject } from '../../export/pages/exported-object.ts'
import type { Deps } from '../../http/server/deps.ts'
import { maySeeProgram, type Person } from '../../people/roles.ts'
import { Problem } from '../../problem.ts'
import { idOf } from '../requests/addressed.ts'
import type { ListPage, ListQuery } from './list-query.ts'

/** Applications on a page of a list. */
const pageRows = 50

/** One that the person may see: any other does not exist for them. */
export async function findSeenProgram(db: Sql, person: Person, slug: string): Promise<Program> {
  const found = isSlug(slug) ? await findProgram(db, slug) : undefined
  if (found !== undefined && maySeeProgram(person, found.program_id)) return found
  throw new Problem('not_found', { detail: 'There is no such program.' })
}

export async function loadDetails(db: Sql, programId: number, applicationId: string): Promise<ApplicationDetails> {
  const found = await findApplicationDetails(db, programId, idOf(applicationId) ?? 0)
  if (found === undefined) throw new Problem('not_found', { detail: 'There is no such application in this program.' })
  return found
}

/** A page, newest first, and whether there is more on either side of it. */
export async function readListPage(
  db: Sql,
  programId: number,
  { filter, place }: Pick<ListQuery, 'filter' | 'place'>,
): Promise<ListPage> {
  const rows = await readListedApplications(db, programId, filter, place, pageRows + 1)
  const more = rows.length > pageRows
  const applications = rows.slice(0, pageRows)
  if (place.direction === 'older') return { applications, older: more, newer: place.beyond !== undefined }
  // Where the newest is reached, the page is the first one, filled up.
  if (!more) return readListPage(db, programId, { filter, place: { direction: 'older', beyond: undefined } })
  return { applications: applications.reverse(), older: true, newer: true }
}

/** The bytes that an export would have for each, in order. */
export async function exportedObjects(
  { consoleDb, keyMaps }: Pick<Deps, 'consoleDb' | 'keyMaps'>,
  programId: number,
  stored: readonly StoredApplication[],
): Promise<Buffer[]> {
  const objects: Buffer[] = []
  for (const one of stored) {
    objects.push(exportedObject(one, await keyMaps.load(consoleDb, programId, one.questions_as_of)))
  }
  return objects
}
