// Sorts a list of applications by the applicant's name. Names aren't indexed, so the whole list is read and sorted, if it is short enough.

import { readStoredNames, readVersionsOf, type StoredName } from '../../db/applications/applicant-names.ts'
import type { ListedApplication, ListFilter } from '../../db/applications/application-lists.ts'
import { readListedApplications } from '../../db/applications/application-lists.ts'
import { readFoundApplications } from '../../db/applications/found-applications.ts'
import type { Sql } from '../../db/client.ts'
import { loadProgramVersion } from '../../db/programs/programs.ts'
import type { Position } from '../../db/walks/walks.ts'
import { ownNameKeys } from '../../domain/readable/readable-application.ts'

/** A longer list isn't sorted by name. */
export const namedMax = 1000

/** The list on both sides of a position, in order. */
export interface ListByName {
  before: readonly ListedApplication[]
  after: readonly ListedApplication[]
}

/**
 * The list sorted by last name, then first and middle name. Equal names are sorted newest first, and applications without a name come last. Undefined
 * if the list has more than `namedMax` applications. The application at the position may have left the list; if it was erased, the list starts from
 * its beginning.
 */
export async function readListByName(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  beyond?: Position,
): Promise<ListByName | undefined> {
  const start = { direction: 'older', beyond: undefined } as const
  const listed = await readFoundApplications(sql, programId, filter, start, namedMax + 1)
  if (listed.length > namedMax) return undefined
  const isAtPlace = (application: Position): boolean =>
    application.submit_time === beyond?.submit_time && application.submit_seq === beyond.submit_seq
  const left = beyond === undefined || listed.some(isAtPlace) ? undefined : await findAt(sql, programId, beyond)
  const sorted = await byName(sql, programId, left === undefined ? listed : [...listed, left])
  const place = sorted.findIndex(isAtPlace)
  return { before: sorted.slice(0, Math.max(0, place)), after: sorted.slice(place + 1) }
}

async function findAt(sql: Sql, programId: number, place: Position): Promise<ListedApplication | undefined> {
  const next = { ...place, submit_seq: place.submit_seq + 1, is_own_name: false }
  const [found] = await readListedApplications(sql, programId, {}, { direction: 'older', beyond: next }, 1)
  return found?.submit_time === place.submit_time && found.submit_seq === place.submit_seq ? found : undefined
}

/** Compares names in any script, independently of the database's locale, capitals and accents. */
const { compare } = new Intl.Collator('en', { sensitivity: 'base' })

async function byName(
  sql: Sql,
  programId: number,
  applications: readonly ListedApplication[],
): Promise<ListedApplication[]> {
  const names = await readNames(
    sql,
    programId,
    applications.map(({ application_id }) => application_id),
  )
  return applications.toSorted((a, b) => {
    const [name, other] = [names.get(a.application_id), names.get(b.application_id)]
    if (name === undefined || other === undefined)
      return Number(name === undefined) - Number(other === undefined) || newestFirst(a, b)
    return name.map((part, i) => compare(part, other[i]!)).find(order => order !== 0) ?? newestFirst(a, b)
  })
}

const newestFirst = (a: Position, b: Position): number => b.submit_time - a.submit_time || b.submit_seq - a.submit_seq

/** Last, first and middle name by application: the answer to the first NAME question that was answered, as lists show it. */
async function readNames(sql: Sql, programId: number, ids: readonly number[]): Promise<Map<number, readonly string[]>> {
  const versionOf = await readVersionsOf(sql, programId, ids)
  const keys = new Map<number, readonly string[]>()
  for (const id of new Set(versionOf.map(({ program_version_id }) => program_version_id)))
    keys.set(id, ownNameKeys(await loadProgramVersion(sql, id)))
  const names = new Map<number, readonly string[]>()
  for (let nth = 0; ; nth++) {
    const nameQuestions = versionOf.flatMap(({ application_id, program_version_id }) => {
      const question_key = names.has(application_id) ? undefined : keys.get(program_version_id)?.[nth]
      return question_key === undefined ? [] : [{ application_id, question_key }]
    })
    if (nameQuestions.length === 0) return names
    for (const name of await readStoredNames(sql, programId, nameQuestions)) {
      const parts = partsOf(name)
      if (parts.some(part => part !== '')) names.set(name.application_id, parts)
    }
  }
}

const partsOf = ({ last_name, first_name, middle_name }: StoredName): string[] =>
  [last_name, first_name, middle_name].map(text => JSON.parse(`"${text}"`) as string)
