// Applications: which programs, a list with filters, one application, what changed in it, as it is exported, and status and note.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import {
  type ApplicationDetails,
  applicationDetails,
  findRevisionBefore,
  type ListedApplication,
  type ListPlace,
  readListedApplications,
  readNewestAnnotations,
  readProgramsWithSubmissions,
  readRevisions,
} from '../../db/applications/application-lists.ts'
import { readPagesWith } from '../../db/audit/disclosures.ts'
import type { Sql } from '../../db/client.ts'
import { readApiKeyNames } from '../../db/keys/api-key-rows.ts'
import { readPersonNames } from '../../db/people/person-rows.ts'
import { loadProgramVersion, type Program } from '../../db/programs/programs.ts'
import { applicationChanges } from '../../domain/readable/application-changes.ts'
import type { ExportedObject } from '../../domain/readable/exported-answers.ts'
import { readableApplication } from '../../domain/readable/readable-application.ts'
import { pageFields } from '../../html/html-response.ts'
import { everyRole } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { mayReadAnswers } from '../../people/roles.ts'
import { invalidRequest, Problem } from '../../problem.ts'
import { annotate } from '../../upkeep/annotate.ts'
import { type OpenReading, openApplications, openMany } from '../../upkeep/open-application.ts'
import { emailOf } from '../keys/key-labels.tsx'
import {
  type Action,
  action,
  type Form,
  type PageRoute,
  type Part,
  responseAction,
  showForm,
} from '../requests/action.ts'
import { pageOf, textOf } from '../requests/addressed.ts'
import { applicationAnswer, applicationsAnswer, historyAnswer } from '../requests/answer-schemas.ts'
import { closed, id, nullableText } from '../requests/schemas.ts'
import type { PageVisit, Visit } from '../requests/visit.ts'
import type { SentTo } from './application-history.tsx'
import { ApplicationPage } from './application-page.tsx'
import { ChangesPage } from './changes-page.tsx'
import { downloadApplications } from './download-applications.ts'
import { eraseActions } from './erase-actions.tsx'
import { ExportedPage } from './exported-page.tsx'
import { exportedObjects, findSeenProgram, loadDetails, readListing, readListPage } from './find-applications.ts'
import { ApplicationsPage, ProgramChoicePage } from './list-pages.tsx'
import { listSearch, readListQuery } from './list-query.ts'
import { statusOfManyActions } from './status-of-many.tsx'

/** Programs on a page of the choice. */
const programRows = 200
/** Shown alongside an application. */
const revisionsShown = 20
const statesShown = 30
/** Most of each in the API. */
const historyMax = 200
/** A note of 10,000 characters has up to nine bytes for each in a form. */
const noteBytesMax = 256 * 1024

const readers = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR'] as const
const all = '/programs/:slug/applications'
const one = `${all}/:applicationId`

const annotation = Type.Object(
  {
    based_on: id(
      '`annotation_id` of the application as you read it: if it is another by now, nothing is changed (409).',
      0,
    ),
    status: Type.Optional(nullableText('One of the statuses of the program, or null for none.')),
    note: Type.Optional(nullableText('Any text of at most 10,000 characters, or null for none.')),
  },
  closed,
)

export function applicationActions(deps: Deps): Part {
  const files = new ApplicationFiles(deps)
  return [...listActions(deps), ...statusOfManyActions(deps), ...readingPages(files), ...oneActions(deps, files)]
}

/** The applications that addresses name, and what is in them. Reading one is recorded in the audit log. */
class ApplicationFiles {
  constructor(private readonly deps: Deps) {}

  async find({ params, person }: Visit) {
    const program = await findSeenProgram(this.deps.consoleDb, person, params.slug!)
    return { program, application: await loadDetails(this.deps.consoleDb, program.program_id, params.applicationId!) }
  }

  /** The one of the same applicant that this one replaced. */
  before(application: ApplicationDetails, programId: number) {
    return findRevisionBefore(this.deps.consoleDb, programId, application.applicant_id, application)
  }

  #open({ by }: Visit, programId: number, readings: readonly { applicationId: number; reading: OpenReading }[]) {
    const { actor, address } = by
    return openApplications(this.deps.consoleDb, { program_id: programId, actor, address }, readings)
  }

  /** What was answered in this application, and in the one it is compared with. */
  async openAnswers(visit: Visit, programId: number, applicationId: number, beforeId: number | undefined) {
    const stored = await this.#open(visit, programId, [
      { applicationId, reading: 'shown' },
      ...(beforeId === undefined ? [] : [{ applicationId: beforeId, reading: 'compared' as const }]),
    ])
    const objects = await exportedObjects(this.deps, programId, stored)
    const opened = []
    for (const [i, { program_version_id }] of stored.entries()) {
      const { application } = JSON.parse(objects[i]!.toString()) as { application: ExportedObject }
      opened.push({ version: await loadProgramVersion(this.deps.consoleDb, program_version_id), application })
    }
    return opened
  }

  /** An application with the bytes that an export has of it. */
  async asExported(visit: Visit, reading: OpenReading) {
    const { program, application } = await this.find(visit)
    const { program_id } = program
    const stored = await this.#open(visit, program_id, [{ applicationId: application.application_id, reading }])
    const [bytes] = await exportedObjects(this.deps, program_id, stored)
    return { program, application, bytes: bytes! }
  }
}

/** Finding an application: by its program, and in the list of that. */
const listActions = (deps: Deps): Part => {
  const { consoleDb: db, config } = deps
  return [
    {
      method: 'GET',
      path: '/admin/applications',
      roles: everyRole,
      answer: async visit => {
        const { programIds } = visit.person
        const among = programIds === 'all' ? programIds : [...programIds]
        const page = { among, after: textOf(visit, 'after'), rowsMax: programRows + 1 } as const
        const { items, next } = pageOf(await readProgramsWithSubmissions(db, page), programRows, ({ slug }) => slug)
        return <ProgramChoicePage programs={items} next={next} />
      },
    },
    {
      method: 'GET',
      path: `/admin${all}`,
      roles: everyRole,
      answer: async visit => {
        const program = await findSeenProgram(db, visit.person, visit.params.slug!)
        const query = readListQuery(visit.url.searchParams, config.timeZone)
        if (query.values.has('q') && !mayReadAnswers(visit.person)) throw searchesAnswers()
        const listing = await readListing(deps, visit, program, query)
        const page = () => <ApplicationsPage program={program} {...listing} />
        return showForm(
          visit,
          { values: query.values, errors: query.errors },
          page,
          query.errors.length > 0 ? 400 : 200,
        )
      },
    },
    {
      method: 'GET',
      path: `/admin${all}/download`,
      roles: readers,
      answer: visit => downloadApplications(deps, visit),
    },
    action({
      name: 'listApplications',
      method: 'GET',
      path: all,
      summary: 'Find applications of a program',
      answers: 'Applications without their answers, newest first, 50 a page.',
      answered: applicationsAnswer,
      roles: everyRole,
      scope: 'applications:read',
      query: {
        from: 'Submitted on or after this day of the instance’s zone.',
        to: 'Submitted before this day.',
        status: '`is:` and a status, or none.',
        revision: 'CURRENT or OBSOLETE.',
        applicant: 'The id of an applicant.',
        application: 'The id of an application.',
        q: 'Words of a name, an e-mail address or a phone number in it, each from its beginning; not for auditors.',
        older: '`older` of the page before.',
      },
      run: async visit => {
        const { program_id, slug } = await findSeenProgram(db, visit.person, visit.params.slug!)
        const query = readListQuery(visit.url.searchParams, config.timeZone)
        if (query.errors.length > 0) throw invalidRequest('The filters cannot be read.', query.errors)
        if (query.filter.words !== undefined && !mayReadAnswers(visit.person)) throw searchesAnswers()
        const { applications, older } = await readListPage(db, program_id, query)
        if (query.filter.words !== undefined) {
          const ids = applications.map(({ application_id }) => application_id)
          const reading = { action: 'applications_listed', slug, filters: [...query.values.keys()] } as const
          await openMany(db, { program_id, ...visit.by, address: visit.address }, ids, reading)
        }
        const last = applications.at(-1)
        return { items: applications, older: older && last ? `${last.submit_time}-${last.submit_seq}` : null }
      },
    }),
  ]
}

const searchesAnswers = (): Problem =>
  new Problem('forbidden', { detail: 'A search by name reads answers, which auditors do not see. Find by number.' })

/** What an application is compared with, and what clients get of it. */
const readingPages = (files: ApplicationFiles): PageRoute[] => [
  {
    method: 'GET',
    path: `/admin${one}/changes`,
    roles: readers,
    answer: async visit => {
      const { program, application } = await files.find(visit)
      const earlier = await files.before(application, program.program_id)
      if (earlier === undefined)
        throw new Problem('not_found', { detail: 'There is no application of this applicant before this one.' })
      const ids = [application.application_id, earlier.application_id] as const
      const [now, then] = await files.openAnswers(visit, program.program_id, ...ids)
      const changes = applicationChanges(now!, then!)
      return <ChangesPage program={program} application={application} earlier={earlier} {...changes} />
    },
  },
  {
    method: 'GET',
    path: `/admin${one}/exported`,
    roles: readers,
    answer: async visit => <ExportedPage {...(await files.asExported(visit, 'as_exported'))} />,
  },
  {
    method: 'GET',
    path: `/admin${one}/download`,
    roles: readers,
    answer: async visit => {
      const { application, bytes } = await files.asExported(visit, 'downloaded')
      return new Response(new Uint8Array(bytes), {
        headers: {
          ...pageFields,
          'Content-Type': 'application/json',
          'Content-Disposition': `attachment; filename="application-${application.application_id}.json"`,
        },
      })
    },
  },
]

/** The page of one application, with what is alongside it in the list that one came from. */
function applicationPage({ consoleDb: db, config }: Deps, files: ApplicationFiles) {
  /** Its neighbours in the list that one came from. */
  const neighbours = async (visit: Visit, program_id: number, application: ApplicationDetails) => {
    const query = readListQuery(visit.url.searchParams, config.timeZone)
    const filter = query.errors.length > 0 ? {} : query.filter
    const neighbour = (direction: ListPlace['direction']): Promise<ListedApplication | undefined> =>
      readListedApplications(db, program_id, filter, { direction, beyond: application }, 1).then(([row]) => row)
    const [newer, older] = await Promise.all([neighbour('newer'), neighbour('older')])
    return { newer: newer?.application_id, older: older?.application_id, search: listSearch(query.values) }
  }

  return async (visit: PageVisit) => {
    const { program, application } = await files.find(visit)
    const { program_id } = program
    const [earlier, revisions, states, neighbour, sent] = await Promise.all([
      files.before(application, program_id),
      readRevisions(db, program_id, application.applicant_id, revisionsShown + 1),
      readNewestAnnotations(db, program_id, application.application_id, statesShown + 1),
      neighbours(visit, program_id, application),
      clientsSent(db, program, application),
    ])
    const setBy = await readPersonNames(
      db,
      states.map(({ changed_by }) => emailOf(changed_by)),
    )
    const [now, then] = mayReadAnswers(visit.person)
      ? await files.openAnswers(visit, program_id, application.application_id, earlier?.application_id)
      : []
    return (
      <ApplicationPage
        program={program}
        application={application}
        earlier={earlier}
        revisions={revisions.slice(0, revisionsShown)}
        moreRevisions={revisions.length > revisionsShown}
        states={states.slice(0, statesShown)}
        moreStates={states.length > statesShown}
        setBy={setBy}
        sent={sent}
        {...neighbour}
        answers={now && readableApplication(now.version, now.application, then?.application)}
        changes={now && then && applicationChanges(now, then)}
      />
    )
  }
}

/** The clients that were sent an application, by the newest of the pages that had it. */
async function clientsSent(db: Sql, { slug, display_name }: Program, application: ApplicationDetails): Promise<SentTo> {
  const place = { ...application, slug, display_name, erased_at: null }
  const pages = await readPagesWith(db, place, { beforeId: undefined, rowsMax: pagesRead + 1 })
  const last = new Map<string, (typeof pages)[number]>()
  for (const page of pages.slice(0, pagesRead)) {
    const before = last.get(page.actor)
    if (before === undefined || (before.detail.outcome !== 'complete' && page.detail.outcome === 'complete'))
      last.set(page.actor, page)
  }
  const names = await readApiKeyNames(db, [...last.keys()].map(keyOf))
  const clients = [...last].map(([actor, { happened_at, detail }]) => ({
    name: names.get(keyOf(actor)) ?? actor,
    at: happened_at,
    isCertain: detail.outcome === 'complete',
  }))
  return { clients, more: pages.length > pagesRead }
}

/** Pages that are looked through for the clients of an application. */
const pagesRead = 200
const keyOf = (actor: string): string => actor.replace(/^key:/, '')

const withoutHead = ({ head, ...details }: ApplicationDetails) => details

/** One application, its status and its note. */
const oneActions = (deps: Deps, files: ApplicationFiles): Part => {
  const page = applicationPage(deps, files)
  return [
    { method: 'GET', path: `/admin${one}`, roles: everyRole, answer: page },
    ...readActions(deps, files),
    annotateAction(deps, files, page),
    ...eraseActions(deps, visit => files.find(visit)),
  ]
}

const readActions = ({ consoleDb: db }: Deps, files: ApplicationFiles): Action[] => [
  responseAction({
    name: 'readApplication',
    method: 'GET',
    path: one,
    summary: 'Read an application',
    description: 'That it was read is in the audit log.',
    answers: 'The application exactly as it is exported, with `annotation_id` of its newest status and note.',
    answered: applicationAnswer,
    roles: readers,
    scope: 'applications:read',
    run: async visit => {
      const { application, bytes } = await files.asExported(visit, 'as_exported')
      // The bytes of the export go out as they are.
      return new Response(`{"annotation_id":${application.annotation_id},"exported":${bytes.toString()}}`, {
        headers: {
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
        },
      })
    },
  }),
  action({
    name: 'readApplicationHistory',
    method: 'GET',
    path: `${one}/history`,
    summary: 'Read what became of an application',
    answers:
      'Status and note with every earlier one, and the applicant’s other applications to the program; the newest 200 of each.',
    answered: historyAnswer,
    roles: everyRole,
    scope: 'applications:read',
    run: async visit => {
      const { program, application } = await files.find(visit)
      const { program_id } = program
      const details = withoutHead(application)
      const [states, revisions] = await Promise.all([
        readNewestAnnotations(db, program_id, details.application_id, historyMax),
        readRevisions(db, program_id, details.applicant_id, historyMax),
      ])
      return { ...details, states, revisions }
    },
  }),
]

const annotateAction = ({ consoleDb: db, config }: Deps, files: ApplicationFiles, page: Form<never>['page']): Action =>
  action({
    name: 'annotateApplication',
    method: 'PATCH',
    path: one,
    summary: 'Set status and note of an application',
    description: 'What is left out stays.',
    answers: 'Status and note as they are now.',
    answered: applicationDetails,
    roles: readers,
    scope: 'applications:write',
    body: annotation,
    bodyBytesMax: noteBytesMax,
    run: async (visit, { based_on, status, note }) => {
      const { program, application } = await files.find(visit)
      const { application_id } = application
      const change = { program_id: program.program_id, application_id, status, note, seen: based_on }
      await annotate(db, { ...change, ...visit.by, address: visit.address, timeZone: config.timeZone })
      return withoutHead((await files.find(visit)).application)
    },
    form: {
      page,
      read: async visit => readAnnotation(visit.form, (await files.find(visit)).application),
      next: ({ url, params: { slug, applicationId } }) => {
        const { values } = readListQuery(url.searchParams, config.timeZone)
        values.set('done', 'saved')
        return `/admin/programs/${slug}/applications/${applicationId}?${values}`
      },
      onConflict: ({ internal }) => (internal === 'seen_is_old' ? [conflictError] : undefined),
    },
  })

/** What was not touched is not set again: that would give it a new time (contract D30). */
function readAnnotation(form: URLSearchParams, { status, application_note }: ApplicationDetails) {
  // Browsers end the lines of a field with CR and LF, even where they were sent with LF.
  const lines = (text: string): string => text.replaceAll('\r\n', '\n')
  const chosen = form.get('status') || null
  const note = lines(form.get('note') ?? '') || null
  return {
    based_on: Number(form.get('seen')),
    ...(chosen !== status && { status: chosen }),
    ...(note !== lines(application_note ?? '') && { note }),
  }
}

const conflictError = {
  parameter: 'note',
  code: 'changed_concurrently',
  detail: 'Status or note were changed while you were typing, so nothing was saved.',
}
