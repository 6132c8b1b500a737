// Reads the filters and position of an application list from its URL, and writes them into URLs.

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { namedMax } from '../../../core/applications/list-by-name.ts'
import { mayReadAnswers } from '../../../core/people/roles.ts'
import type { ListedApplication, ListFilter, ListPosition } from '../../../db/applications/application-lists.ts'
import { listOrders, type SortedPlace } from '../../../db/applications/sorted-applications.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { isCalendarDate } from '../../../domain/question-types/date.ts'
import type { ApplicantInList } from '../../../domain/readable/readable-application.ts'
import { parseInstantParameter } from '../../../domain/values/instant-parameter.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'

export const applicationsPath = (slug: string): string => `/admin/programs/${slug}/applications`

/** The breadcrumbs to an application, for the pages below it. */
export const crumbsOf = (program: Program, applicationId?: number) => [
  { text: 'Applications', path: '/admin/applications' },
  { text: program.display_name, path: applicationsPath(program.slug) },
  ...(applicationId === undefined
    ? []
    : [{ text: String(applicationId), path: `${applicationsPath(program.slug)}/${applicationId}` }]),
]

/** Matching applications are counted up to this number, and a longer list isn't sorted by name. */
export const countedMax = namedMax
/** Maximum number of applications whose status is set together. */
export const changedMax = 500

/** A page of the list, and whether more follow on either side. */
export interface ListPage {
  applications: readonly ListedApplication[]
  older: boolean
  newer: boolean
  /** Not the one that was chosen if the list is too long for it. */
  order: ShownOrder
}

/** The applicant, and the text a search matched unless it is the applicant's own name. */
export type FoundApplicant = ApplicantInList & { match?: string | undefined }

/** Where a search looks for words, by what its filter says. */
const searchedIn = new Map<string, ListFilter['wordsIn']>([
  ['applicant', 'own_name'],
  ['others', 'others'],
])

/** The filters, named like the form's fields. */
export const filterNames = ['q', 'in', 'status', 'from', 'to', 'revision', 'applicant', 'application'] as const

/** A list of which only its order was chosen isn't filtered. */
export const isFiltered = (values: URLSearchParams): boolean => filterNames.some(name => values.has(name))

export interface ListQuery {
  /** The filters that were sent and aren't empty, and `sort` unless newest first. */
  values: URLSearchParams
  filter: ListFilter
  place: SortedPlace
  errors: readonly ProblemItem[]
}

const chosenOrders = [...listOrders, 'name'] as const
export type ShownOrder = (typeof chosenOrders)[number] | 'found'

/** The order of a list, unless it is too long to be sorted by name. */
export const orderOf = (values: URLSearchParams): ShownOrder =>
  values.get('sort') === 'name' ? 'name' : longOrderOf(values)

/** The order of a list that is too long to be sorted by name. Searches can't be sorted otherwise. */
export function longOrderOf(values: URLSearchParams): Exclude<ShownOrder, 'name'> {
  if (values.has('q')) return values.has('in') ? 'newest' : 'found'
  return listOrders.find(order => order === values.get('sort')) ?? 'newest'
}

/** A status in a URL. No status is `none`, so that a status can have any name. */
export const statusValue = (status: string | null): string => (status === null ? 'none' : `is:${status}`)

/** The status that `statusValue` wrote, null for none; undefined for any other text. */
export const statusIn = (text: string): string | null | undefined =>
  text === statusValue(null) ? null : text.startsWith('is:') ? text.slice(3) : undefined

/** Set for many applications, it leaves their statuses as they are. */
export const unchanged = 'unchanged'

type ListRequest = Pick<ConsoleRequest, 'url' | 'person' | 'context'>

/** Throws `forbidden` for a search or an order by name if the person may not read answers. */
export function readListQuery({ url, person, context }: ListRequest): ListQuery {
  const sent = url.searchParams
  const values = new URLSearchParams()
  for (const name of filterNames) {
    const value = sent.get(name)?.trim()
    if (value) values.set(name, value)
  }
  if (!values.has('q')) values.delete('in')
  const sort = sent.get('sort') || chosenOrders[0]
  if (sort !== chosenOrders[0]) values.set('sort', sort)
  if ((values.has('q') || sort === 'name') && !mayReadAnswers(person))
    throw new Problem('forbidden', {
      detail: 'Auditors can’t search or sort by name, because names are answers. Search by number instead.',
    })
  const errors: ProblemItem[] = []
  const error = (parameter: string, detail: string): undefined => {
    errors.push({ parameter, code: 'malformed', detail })
  }
  if (!chosenOrders.some(order => order === sort)) error('sort', `Must be one of: ${chosenOrders.join(', ')}.`)
  const day = (name: string, label: string) => {
    const text = values.get(name)
    if (text === null) return undefined
    const instant = isCalendarDate(text) ? parseInstantParameter(text, context.timeZone) : undefined
    return typeof instant === 'number' ? instant : error(name, `“${label}” must be a date such as 2026-01-31.`)
  }
  const id = (name: string, label: string): number | undefined => {
    const text = values.get(name)
    if (text === null) return undefined
    // As shown in lists: 281,774.
    return idOf(text.replaceAll(',', '')) ?? error(name, `“${label}” must be a number such as 281774.`)
  }
  const status = (): string | null | undefined => {
    const text = values.get('status')
    if (text === null) return undefined
    const status = statusIn(text)
    return status === undefined ? error('status', 'Choose one of the program’s statuses.') : status
  }
  const revisionState = () => {
    const text = values.get('revision')
    if (text === null || text === 'CURRENT' || text === 'OBSOLETE') return text ?? undefined
    return error('revision', 'Must be CURRENT or OBSOLETE.')
  }
  const words = (): string | undefined => {
    const text = values.get('q')
    if (text === null || /[\p{L}\p{N}]/u.test(text)) return text?.slice(0, 200)
    return error('q', 'Enter part of a name, an email address, a phone number or an application number.')
  }
  const wordsIn = () => {
    const text = values.get('in')
    if (text === null) return undefined
    return searchedIn.get(text) ?? error('in', 'Must be applicant or others.')
  }
  const filter: ListFilter = {
    from: day('from', 'Submitted on or after'),
    to: day('to', 'Submitted before'),
    status: status(),
    revisionState: revisionState(),
    applicantId: id('applicant', 'Applicant'),
    applicationId: id('application', 'Application'),
    words: words(),
    wordsIn: wordsIn(),
  }
  return { values, filter, place: readPlace(sent), errors }
}

/** A URL without a valid position starts with the first application. */
function readPlace(sent: URLSearchParams): SortedPlace {
  for (const direction of ['older', 'newer'] as const) {
    const [, time, seq, own, status] =
      /^(\d{1,16})-(\d{1,15})(-own)?(?:\.(none|is:.+))?$/s.exec(sent.get(direction) ?? '') ?? []
    const beyond = {
      submit_time: Number(time),
      submit_seq: Number(seq),
      is_own_name: own !== undefined,
      status: statusIn(status ?? '') ?? null,
    }
    if (time !== undefined && Number.isSafeInteger(beyond.submit_time)) return { direction, beyond }
  }
  return { direction: 'older', beyond: undefined }
}

/** The position of the next page, for URLs. */
export const placeText = (
  { submit_time, submit_seq, is_own_name, status }: ListPosition & { status: string | null },
  order: string | null,
): string =>
  `${submit_time}-${submit_seq}${is_own_name ? '-own' : ''}${order === 'status' ? `.${statusValue(status)}` : ''}`

/** The filters as a query string, with a position if given: `?status=none&older=…`, or empty. */
export function listSearch(
  values: URLSearchParams,
  direction?: SortedPlace['direction'],
  beyond?: ListPosition & { status: string | null },
): string {
  const all = new URLSearchParams(values)
  if (direction !== undefined && beyond !== undefined) all.set(direction, placeText(beyond, values.get('sort')))
  return all.size === 0 ? '' : `?${all}`
}
