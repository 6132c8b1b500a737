// The disclosure report: which clients were sent an application, and when. Read from the audit entries of exports, which contain ranges of
// submissions per page instead of a row per application.

import {
  type ApplicationPlace,
  findApplicationPlaces,
  type PageWithApplication,
  readPagesWith,
} from '../../db/audit/disclosures.ts'
import type { Db } from '../../db/client.ts'
import type { SentQuestions } from './sent-questions.ts'

/** A page that contained the application, certainly or possibly. */
export interface Disclosure extends PageWithApplication {
  /** Why it is uncertain that the client received it; empty if it is certain. */
  doubts: string[]
  /** The questions that the page contained: `all`, `only name, member.job`, `all but ssn`. */
  questions: string
}

export interface Disclosures {
  place: Omit<ApplicationPlace, 'facts'>
  /** Newest first. */
  pages: Disclosure[]
  /** Event before which the report continues; undefined at its end. */
  nextBefore: number | undefined
}

/**
 * Disclosures of an application ID in one program, or in each program that has or had it: at most `rowsMax` pages each, before the event
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

/** A hidden question is hidden together with those repeated under it, even if `fields` chose it. */
function questionsOf({ detail }: PageWithApplication): string {
  const { fields, questions, hidden_questions: hidden } = detail as SentQuestions
  const all = questions === undefined ? 'all' : 'all in the newest version'
  if (fields === undefined) return hidden === undefined ? all : `${all} except ${hidden.join(', ')}`
  return `only ${fields.join(', ')}${hidden === undefined ? '' : `, without ${hidden.join(', ')}`}`
}

function doubtsOf(page: PageWithApplication): string[] {
  return [
    page.detail.outcome === 'complete' ? '' : 'the page was interrupted, so the client may not have received it',
    page.was_there ? '' : 'it was erased at about the same time',
    page.meets_filters === null ? 'the export had a filter, and the filtered values have since been erased' : '',
  ].filter(doubt => doubt !== '')
}
