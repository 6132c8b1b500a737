// The address of a list of applications: filters and place, read from it and written into it.

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { mayReadAnswers } from '../../../core/people/roles.ts'
import type {
  ListedApplication,
  ListFilter,
  ListPlace,
  ListPosition,
} from '../../../db/applications/application-lists.ts'
import { isCalendarDate } from '../../../domain/question-types/date.ts'
import type { ApplicantInList } from '../../../domain/readable/readable-application.ts'
import { parseInstantParameter } from '../../../domain/values/instant-parameter.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'

export const applicationsPath = (slug: string): string => `/admin/programs/${slug}/applications`

/** How far the applications that a filter finds are counted. */
export const countedMax = 10_000
/** Applications whose status is set together. */
export const changedMax = 500

/** A page of a list and whether more follows on either side of it. */
export interface ListPage {
  applications: readonly ListedApplication[]
  older: boolean
  newer: boolean
}

/** Whose an application is, and what in it a search by words found, unless it is the applicant's own name. */
export type FoundApplicant = ApplicantInList & { match?: string | undefined }

/** The names of the filters, which are those of the fields of the form. */
export const filterNames = ['q', 'status', 'from', 'to', 'revision', 'applicant', 'application'] as const

export interface ListQuery {
  /** What was sent, filters alone, those left empty not among them. */
  values: URLSearchParams
  filter: ListFilter
  place: ListPlace
  errors: readonly ProblemItem[]
}

/** A status as an address has it. No status is `none`, so that a status may be called anything. */
export const statusValue = (status: string | null): string => (status === null ? 'none' : `is:${status}`)

/** Throws `forbidden` where it searches by name for a person who may not read answers. */
export function readListQuery({ url, person }: Pick<ConsoleRequest, 'url' | 'person'>, timeZone: string): ListQuery {
  const sent = url.searchParams
  const values = new URLSearchParams()
  for (const name of filterNames) {
    const value = sent.get(name)?.trim()
    if (value) values.set(name, value)
  }
  if (values.has('q') && !mayReadAnswers(person))
    throw new Problem('forbidden', {
      detail: 'A search by name reads answers, which auditors do not see. Find by number.',
    })
  const errors: ProblemItem[] = []
  const error = (parameter: string, detail: string): undefined => {
    errors.push({ parameter, code: 'malformed', detail })
  }
  const day = (name: string, label: string) => {
    const text = values.get(name)
    if (text === null) return undefined
    const instant = isCalendarDate(text) ? parseInstantParameter(text, timeZone) : undefined
    return typeof instant === 'number' ? instant : error(name, `“${label}” must be a day, such as 2026-01-31.`)
  }
  const id = (name: string, label: string): number | undefined => {
    const text = values.get(name)
    if (text === null) return undefined
    // As it is shown: 281,774.
    return idOf(text.replaceAll(',', '')) ?? error(name, `“${label}” must be a number, such as 281774.`)
  }
  const status = (): string | null | undefined => {
    const text = values.get('status')
    if (text === null) return undefined
    if (text === 'none') return null
    return text.startsWith('is:') ? text.slice(3) : error('status', 'Must be one of the statuses offered.')
  }
  const revisionState = () => {
    const text = values.get('revision')
    if (text === null || text === 'CURRENT' || text === 'OBSOLETE') return text ?? undefined
    return error('revision', 'Must be CURRENT or OBSOLETE.')
  }
  const words = (): string | undefined => {
    const text = values.get('q')
    if (text === null || /[\p{L}\p{N}]/u.test(text)) return text?.slice(0, 200)
    return error('q', 'Enter part of a name, an e-mail address, a phone number, or an application number.')
  }
  const filter: ListFilter = {
    from: day('from', 'Submitted on or after'),
    to: day('to', 'Submitted before'),
    status: status(),
    revisionState: revisionState(),
    applicantId: id('applicant', 'Applicant'),
    applicationId: id('application', 'Application'),
    words: words(),
  }
  return { values, filter, place: readPlace(sent), errors }
}

/** An address that names no place, or one that was not made here, begins at the newest. */
function readPlace(sent: URLSearchParams): ListPlace {
  for (const direction of ['older', 'newer'] as const) {
    const [, time, seq, own] = /^(\d{1,16})-(\d{1,15})(-own)?$/.exec(sent.get(direction) ?? '') ?? []
    const beyond = { submit_time: Number(time), submit_seq: Number(seq), is_own_name: own !== undefined }
    if (time !== undefined && Number.isSafeInteger(beyond.submit_time)) return { direction, beyond }
  }
  return { direction: 'older', beyond: undefined }
}

/** Where the next page begins, as an address has it. */
export const placeText = ({ submit_time, submit_seq, is_own_name }: ListPosition): string =>
  `${submit_time}-${submit_seq}${is_own_name ? '-own' : ''}`

/** The filters as an address has them, with the place, if any: `?status=none&older=…`, or nothing. */
export function listSearch(values: URLSearchParams, direction?: ListPlace['direction'], beyond?: ListPosition): string {
  const all = new URLSearchParams(values)
  if (direction !== undefined && beyond !== undefined) all.set(direction, placeText(beyond))
  return all.size === 0 ? '' : `?${all}`
}
