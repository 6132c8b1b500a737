// Finds what a URL names, if the person may see it: a program, an application, a page of the list, an application as exported.

import { notFound } from '../../../base/problem.ts'
import { readListByName } from '../../../core/applications/list-by-name.ts'
import { type OpenReading, openApplications, openMany } from '../../../core/applications/open-application.ts'
import { exportedObject } from '../../../core/export/pages/exported-object.ts'
import { mayReadAnswers, maySeeProgram, type Person } from '../../../core/people/roles.ts'
import {
  type ApplicationDetails,
  findApplicationDetails,
  findRevisionBefore,
  type StoredApplication,
} from '../../../db/applications/application-details.ts'
import { countApplications, type ListedApplication } from '../../../db/applications/application-lists.ts'
import { countFoundApplications, readFoundApplications } from '../../../db/applications/found-applications.ts'
import {
  type ListOrder,
  readSortedApplications,
  readStatusesInUse,
} from '../../../db/applications/sorted-applications.ts'
import { isAuditLogPruned, readClientsSent } from '../../../db/audit/disclosures.ts'
import type { Sql } from '../../../db/client.ts'
import { readApiKeyNames } from '../../../db/keys/api-key-rows.ts'
import { findProgram, loadProgramVersion, type Program } from '../../../db/programs/programs.ts'
import { readStatusColors } from '../../../db/programs/status-colors.ts'
import type { ExportedObject } from '../../../domain/readable/exported-answers.ts'
import { matchReason } from '../../../domain/readable/match-reason.ts'
import type { ReadableVersion } from '../../../domain/readable/placed-questions.ts'
import { applicantInList } from '../../../domain/readable/readable-application.ts'
import { isSlug } from '../../../domain/values/slug.ts'
import type { Deps } from '../../http/server/deps.ts'
import { keyIdOf } from '../keys/key-labels.tsx'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idIn } from '../requests/route-parameters.ts'
import { type ProgramInColor, rankOfStatus } from '../statuses/status-badge.tsx'
import type { SentTo } from './list-columns.tsx'
import type { Listing } from './list-pages.tsx'
import {
  countedMax,
  type FoundApplicant,
  isFiltered,
  type ListPage,
  type ListQuery,
  longOrderOf,
  orderOf,
  type ShownOrder,
} from './list-query.ts'

/** The roles that may read answers in the programs they can see. */
export const readers = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR'] as const
/** The route of a program's applications. */
export const applicationsRoute = '/programs/:slug/applications'
/** Applications per page. */
const pageRows = 50

/** The program, if the person may see it. Other programs don't exist for them. */
export async function findSeenProgram(db: Sql, person: Person, slug: string): Promise<Program> {
  const found = isSlug(slug) ? await findProgram(db, slug) : undefined
  if (found !== undefined && maySeeProgram(person, found.program_id)) return found
  return notFound('There is no program with this address.')
}

/** With the colors of its statuses, for pages that show them. */
export const inColor = async (db: Sql, program: Program): Promise<ProgramInColor> => ({
  ...program,
  status_colors: await readStatusColors(db, program.program_id),
})

/** A page of the list, and whether more follow on either side. */
export async function readListPage(
  db: Sql,
  program: Program,
  query: Pick<ListQuery, 'values' | 'filter' | 'place'>,
): Promise<ListPage> {
  const { place } = query
  const { rows, order } = await readInOrder(db, program, query)
  const more = rows.length > pageRows
  const applications = rows.slice(0, pageRows)
  if (place.direction === 'older') return { applications, older: more, newer: place.beyond !== undefined, order }
  // At the newest application, show a full first page.
  if (!more) return readListPage(db, program, { ...query, place: { direction: 'older', beyond: undefined } })
  return { applications: applications.reverse(), older: true, newer: true, order }
}

/** The list in its order, which isn't by name if it is too long for that. */
async function readInOrder(
  db: Sql,
  program: Program,
  query: Pick<ListQuery, 'values' | 'filter' | 'place'>,
): Promise<{ rows: ListedApplication[]; order: ShownOrder }> {
  const { values, filter, place } = query
  if (orderOf(values) === 'name') {
    const list = await readListByName(db, program.program_id, filter, place.beyond)
    if (list !== undefined)
      return {
        rows: (place.direction === 'older' ? list.after : list.before.toReversed()).slice(0, pageRows + 1),
        order: 'name',
      }
  }
  const order = longOrderOf(values)
  if (order === 'found' || filter.words !== undefined)
    return { rows: await readFoundApplications(db, program.program_id, filter, place, pageRows + 1), order }
  return { rows: await readSorted(db, program, { ...query, order }), order }
}

/** In the chosen order. The previous page may have ended at a status that no application has any more. */
async function readSorted(
  db: Sql,
  program: Program,
  { filter, place, order }: Pick<ListQuery, 'filter' | 'place'> & { order: ListOrder },
) {
  const rankOf = (status: string | null): number => rankOfStatus(status, program)
  const inUse = order === 'status' && filter.status === undefined ? await readStatusesInUse(db, program.program_id) : []
  const before = place.beyond === undefined ? [] : [place.beyond.status]
  const all = filter.status === undefined ? [...new Set([...inUse, ...before])] : [filter.status]
  const statuses = all.toSorted((a, b) => rankOf(a) - rankOf(b) || (a ?? '').localeCompare(b ?? '', 'en'))
  return readSortedApplications(db, program.program_id, filter, { order, statuses, place }, pageRows + 1)
}

/** A page of the list with its counts and, for people who may read answers, the applicants. */
export async function readListing(
  deps: Deps,
  { person, by }: Pick<ConsoleRequest, 'person' | 'by'>,
  program: Program,
  query: ListQuery,
): Promise<Listing> {
  const { program_id, slug } = program
  const { consoleDb: db } = deps
  const reads = mayReadAnswers(person)
  if (query.errors.length > 0)
    return { ...nothing, total: await countApplications(db, program_id), found: 0, who: reads ? new Map() : undefined }
  const filtered = isFiltered(query.values)
  const [page, total, found] = await Promise.all([
    readListPage(db, program, query),
    countApplications(db, program_id),
    filtered ? countFoundApplications(db, program_id, query.filter, countedMax + 1) : undefined,
  ])
  const [who, sentTo] = await Promise.all([
    reads ? readApplicants(deps, by, { program_id, slug }, page.applications, query) : undefined,
    readSentTo(
      db,
      { program_id, slug },
      page.applications.map(({ application_id }) => application_id),
      pagesSearched,
    ),
  ])
  return { ...page, total, found, who, sentTo }
}

const nothing = {
  applications: [],
  older: false,
  newer: false,
  order: 'newest' as const,
  sentTo: { clientsOf: new Map(), isPruned: false },
}

/** Export pages that are searched for each application in the list. */
const pagesSearched = 100

/** The clients these applications were sent to. Searches at most `pagesMax` pages per application. */
export async function readSentTo(
  db: Sql,
  program: Pick<Program, 'program_id' | 'slug'>,
  applicationIds: readonly number[],
  pagesMax: number,
): Promise<SentTo> {
  const sent = await readClientsSent(db, program, applicationIds, pagesMax)
  const names = await readApiKeyNames(db, [...new Set(sent.map(({ actor }) => keyIdOf(actor)))])
  const clients = sent.map(client => ({ ...client, name: names.get(keyIdOf(client.actor)) ?? client.actor }))
  return {
    clientsOf: Map.groupBy(clients, ({ application_id }) => application_id),
    isPruned: await isAuditLogPruned(db),
  }
}

/** The applicants of these applications. Reading them is recorded in the audit log. */
export async function readApplicants(
  deps: Deps,
  { actor, address }: ConsoleRequest['by'],
  { program_id, slug }: Pick<Program, 'program_id' | 'slug'>,
  applications: readonly ListedApplication[],
  { values }: Pick<ListQuery, 'values'>,
): Promise<Map<number, FoundApplicant>> {
  const { consoleDb: db } = deps
  const ids = applications.map(({ application_id }) => application_id)
  const ownNames = new Set(
    applications.filter(({ is_own_name }) => is_own_name).map(({ application_id }) => application_id),
  )
  const reading = { action: 'applications_listed', slug, filters: [...values.keys()] } as const
  const stored = await openMany(db, { program_id, actor, address }, ids, reading)
  const answered = await readableAnswers(deps, program_id, stored)
  return new Map(
    answered.map(({ version, application }, i) => {
      const { application_id } = stored[i]!
      const applicant: FoundApplicant = applicantInList(version, application)
      if (values.has('q') && !ownNames.has(application_id))
        applicant.match = matchReason(application, values.get('q')!, values.get('in') === 'others')
      return [application_id, applicant]
    }),
  )
}

/** The answers of each application as exported, and the program version they belong to. */
async function readableAnswers(deps: Deps, programId: number, stored: readonly StoredApplication[]) {
  const objects = await exportedObjects(deps, programId, stored)
  const versions = new Map<number, ReadableVersion>()
  const answered: { version: ReadableVersion; application: ExportedObject }[] = []
  for (const [i, { program_version_id: id }] of stored.entries()) {
    const version = versions.get(id) ?? (await loadProgramVersion(deps.consoleDb, id))
    versions.set(id, version)
    const { application } = JSON.parse(objects[i]!.toString()) as { application: ExportedObject }
    answered.push({ version, application })
  }
  return answered
}

/** The exported bytes of each application, in order. */
export async function exportedObjects(
  { consoleDb, keyMaps }: Pick<Deps, 'consoleDb' | 'keyMaps'>,
  programId: number,
  stored: readonly StoredApplication[],
): Promise<Buffer[]> {
  const objects: Buffer[] = []
  for (const application of stored) {
    const questions = await keyMaps.load(consoleDb, programId, application.questions_as_of)
    objects.push(exportedObject(application, questions))
  }
  return objects
}

interface FoundApplication {
  program: Program
  application: ApplicationDetails
}

/** Opens the applications named in URLs. Reading one is recorded in the audit log. */
export class ApplicationFiles {
  constructor(private readonly deps: Deps) {}

  async find(request: ConsoleRequest): Promise<FoundApplication> {
    const { consoleDb: db } = this.deps
    const program = await findSeenProgram(db, request.person, request.params.slug!)
    const application = await findApplicationDetails(db, program.program_id, idIn(request, 'applicationId'))
    return {
      program,
      application: application ?? notFound('There is no application with this number in this program.'),
    }
  }

  /** The application by the same applicant that this application replaced. */
  before(application: ApplicationDetails, programId: number) {
    return findRevisionBefore(this.deps.consoleDb, programId, application.applicant_id, application)
  }

  #open(
    { by }: ConsoleRequest,
    programId: number,
    readings: readonly { applicationId: number; reading: OpenReading }[],
  ) {
    const { actor, address } = by
    return openApplications(this.deps.consoleDb, { program_id: programId, actor, address }, readings)
  }

  /** The answers in this application, and in the one it is compared with. */
  async openAnswers(request: ConsoleRequest, programId: number, applicationId: number, beforeId: number | undefined) {
    const stored = await this.#open(request, programId, [
      { applicationId, reading: 'shown' },
      ...(beforeId === undefined ? [] : [{ applicationId: beforeId, reading: 'compared' as const }]),
    ])
    return readableAnswers(this.deps, programId, stored)
  }

  /** An application with its exported bytes. */
  async asExported(request: ConsoleRequest, reading: OpenReading) {
    const found = await this.find(request)
    return { ...found, bytes: await this.exportedBytes(request, found, reading) }
  }

  async exportedBytes(request: ConsoleRequest, { program, application }: FoundApplication, reading: OpenReading) {
    const { program_id } = program
    const stored = await this.#open(request, program_id, [{ applicationId: application.application_id, reading }])
    const [bytes] = await exportedObjects(this.deps, program_id, stored)
    return bytes!
  }
}
