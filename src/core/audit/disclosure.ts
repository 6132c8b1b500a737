// The disclosure report: clients that were sent an application, and when. Read from audit entries of exports, for console and
// API. The audit log keeps ranges of submissions per page, not a row per application.

import {
  type ApplicationPlace,
  findApplicationPlaces,
  type PageWithApplication,
  readPagesWith,
} from '../../db/audit/disclosures.ts'
import type { Db } from '../../db/client.ts'

/** A page that had the application, or may have had it. */
export interface Disclosure extends PageWithApplication {
  /** Why it is not certain that the client has it; none when it is. */
  doubts: string[]
  /** Which questions of it the page had, in words: `all`, `only name, member.job`, `all but ssn`. */
  questions: string
}

export interface Disclosures {
  place: Omit<ApplicationPlace, 'facts'>
  /** Newest first. */
  pages: Disclosure[]
  /** The event before which more follow; undefined when none do. */
  nextBefore: number | undefined
}

/**
 * Of an application id in each program that has or had one, or in one program, with at most `rowsMax` pages each, of those before the event
 * `beforeId`.
 */
export async function findDisclosures(
  db: Db,
  applicationId: number,
  { slug, beforeId, rowsMax }: { slug?: string | undefined; beforeId?: number | undefined; rowsMax: number },
): Promise<Disclosures[]> {
  const places = await findApplicationPlaces(db, applicationId)
  const wanted = places.filter(place => slug === undefined || place.slug === slug)
  return Promise.all(
    wanted.map(async place => {
      const rows = await readPagesWith(db, place, { beforeId, rowsMax: rowsMax + 1 })
      const pages = rows
        .slice(0, rowsMax)
        .map(page => ({ ...page, doubts: doubtsOf(page), questions: questionsOf(page) }))
      const { facts, ...shown } = place
      return { place: shown, pages, nextBefore: rows.length > rowsMax ? pages.at(-1)?.audit_event_id : undefined }
    }),
  )
}

/** A question is hidden with all that is repeated under it, and also where it was chosen. */
function questionsOf({ detail }: PageWithApplication): string {
  const { fields, hidden_questions: hidden } = detail as { fields?: string[]; hidden_questions?: string[] }
  if (fields === undefined) return hidden === undefined ? 'all' : `all but ${hidden.join(', ')}`
  return `only ${fields.join(', ')}${hidden === undefined ? '' : `, without ${hidden.join(', ')}`}`
}

function doubtsOf(page: PageWithApplication): string[] {
  return [
    page.detail.outcome === 'complete' ? '' : 'the page was cut short, so it may not have arrived',
    page.was_there ? '' : 'it was erased about then',
    page.meets_filters === null ? 'the walk had a filter, and what it filtered by has been erased' : '',
  ].filter(doubt => doubt !== '')
}
