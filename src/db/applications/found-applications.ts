// Search results: applications whose applicant's own name contains the words come first.

import type { Sql } from '../client.ts'
import type { Position } from '../walks/walks.ts'
import {
  countListedApplications,
  type ListedApplication,
  type ListFilter,
  type ListPlace,
  type ListPosition,
  readListedApplications,
} from './application-lists.ts'
import { readInTurn } from './lists-in-turn.ts'

/** Whether a search can match applicants' own names and other texts. A search without letters is for a number. */
const mayFindNames = ({ words, wordsIn }: ListFilter): boolean => wordsIn === undefined && /\p{L}/u.test(words ?? '')

/**
 * At most `rowsMax` applications in the order of a search: first those whose applicant's own name contains the words, newest first, then the others.
 * These are two lists, each read from the index separately. No application moves between them, so pages neither repeat nor miss any.
 */
export async function readFoundApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  place: ListPlace,
  rowsMax: number,
): Promise<ListedApplication[]> {
  if (!mayFindNames(filter)) return readListedApplications(sql, programId, filter, place, rowsMax)
  const lists = (['own_name', 'elsewhere'] as const).map(wordsIn => ({
    filter: { ...filter, wordsIn },
    has: ({ is_own_name }: ListPosition) => is_own_name === (wordsIn === 'own_name'),
  }))
  return readInTurn(sql, programId, lists, place, rowsMax)
}

/** The position of an application in the order of a search. */
export async function findListPosition(
  sql: Sql,
  programId: number,
  { words, wordsIn }: ListFilter,
  { application_id: applicationId, submit_time, submit_seq }: Position & Pick<ListedApplication, 'application_id'>,
): Promise<ListPosition> {
  const own = { words, applicationId, wordsIn: 'own_name' } as const
  const place = { direction: 'older', beyond: undefined } as const
  const rows = mayFindNames({ words, wordsIn }) ? await readListedApplications(sql, programId, own, place, 1) : []
  return { submit_time, submit_seq, is_own_name: rows.length > 0 }
}

/**
 * Number of applications that a search finds, counted up to `most`. Matches of the applicant's own name are counted first: if there are enough, the
 * others aren't looked up.
 */
export async function countFoundApplications(
  sql: Sql,
  programId: number,
  filter: ListFilter,
  most: number,
): Promise<number> {
  if (mayFindNames(filter)) {
    const own = await countListedApplications(sql, programId, { ...filter, wordsIn: 'own_name' }, most)
    if (own === most) return most
  }
  return countListedApplications(sql, programId, filter, most)
}
