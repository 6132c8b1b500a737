// The audit log for administrators and auditors: list, CSV download, one event, the recipients of an application, and verification.
// All of it is read-only. Downloads are recorded in the log.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, notFound, Problem, type ProblemItem } from '../../../base/problem.ts'
import { findDisclosures } from '../../../core/audit/disclosure.ts'
import { checkedEventsMax, measureAuditLog, verifyAuditLog } from '../../../core/audit/verify-audit.ts'
import { emailOf } from '../../../core/people/roles.ts'
import {
  type AuditEventRow,
  auditEventRow,
  findAuditEvent,
  readAuditActions,
  readAuditEvents,
} from '../../../db/audit/audit.ts'
import { readApiKeyNames, readKeyChoices } from '../../../db/keys/api-key-rows.ts'
import { readPeople, readPersonNames } from '../../../db/people/person-rows.ts'
import { readProgramNames, readProgramNamesById } from '../../../db/programs/programs.ts'
import { readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { action, type PageRoute, type Part, pageAt, reads, showForm } from '../requests/action.ts'
import { eventDetailsAnswer, pageBefore, sentAnswer, verdictAnswer } from '../requests/answer-schemas.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { idIn, idOf, pageOf } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { downloadEvents } from './audit-download.ts'
import { entriesOf } from './audit-grouping.ts'
import { AuditLogPage, EventPage } from './audit-pages.tsx'
import { path, readAuditQuery } from './audit-query.ts'
import { DisclosuresPage } from './sent-pages.tsx'
import { VerifyPage } from './verify-page.tsx'

/** Rows per page in the console and in the API. */
const [pageRows, eventsMax] = [50, 100]
/** Events read for a page of the console, so that a walk of many pages fits into one entry. */
const eventsReadMax = 500
/** Keys to choose from. The others are filtered by their ID or name in the URL. */
const keyChoicesMax = 500

const keptSeal = Type.Object(
  {
    seal: Type.Optional(
      text('A seal you kept from an earlier check. It reveals whether the end of the log has been cut off since.'),
    ),
  },
  closed,
)

export const auditActions = (deps: Deps): Part => [
  ...auditPages(deps),
  ...eventActions(deps),
  whoWasSent(deps),
  verifyAuditLogAction(deps),
]

const eventActions = (deps: Deps): Part => {
  const { consoleDb: db } = deps
  return [
    action({
      name: 'listAuditEvents',
      route: 'GET /audit/events',
      summary: 'Read the audit log',
      answers: 'Events, newest first, 100 per page.',
      answered: pageBefore(auditEventRow),
      ...reads('audit'),
      query: {
        actor: 'Who did it: `admin:…`, `admin-token:…`, `intermediary:…`, `key:…` or `operator:…`.',
        action: 'What was done, such as api_key_created.',
        subject: 'The object of the action, such as a program slug, an API key ID or an application ID.',
        from: 'Events at or after this date or time.',
        to: 'Events before this date or time.',
        before: 'The `next` value of the previous page.',
      },
      run: async ({ url, context }) => {
        const { filter, beforeId, form } = readAuditQuery(url.searchParams, context.timeZone)
        if (form.errors.length > 0) throw invalidRequest('Some filters are invalid.', form.errors)
        const rows = await readAuditEvents(db, filter, { beforeId, rowsMax: eventsMax + 1 })
        return pageOf(rows, eventsMax, ({ audit_event_id }) => audit_event_id)
      },
    }),
    action({
      name: 'readAuditEvent',
      route: 'GET /audit/events/:eventId',
      summary: 'Read an audit event',
      answers: 'The event.',
      answered: eventDetailsAnswer,
      ...reads('audit'),
      run: async request =>
        (await findAuditEvent(db, idIn(request, 'eventId'))) ?? notFound('There is no audit event with this ID.'),
      page: async (_, event) => {
        const people = await readPersonNames(db, [emailOf(event.actor)])
        return <EventPage event={event} names={await namesIn(deps, [event])} people={people} />
      },
    }),
  ]
}

const whoWasSent = ({ consoleDb: db }: Deps) =>
  action({
    name: 'whoWasSent',
    route: 'GET /audit/sent/:applicationId',
    summary: 'List the recipients of an application',
    answers:
      'The export pages that contained the application, newest first, for each program that has an application with this ID.',
    answered: sentAnswer,
    ...reads('audit'),
    query: {
      program: 'A program slug.',
      before: 'The `nextBefore` value of the previous page. Requires `program`.',
    },
    run: async request => ({
      items: await findDisclosures(db, idIn(request, 'applicationId'), placeOf(request.url.searchParams)),
    }),
  })

const verifyAuditLogAction = ({ consoleDb: db }: Deps) =>
  action({
    name: 'verifyAuditLog',
    route: 'POST /audit/verify',
    summary: 'Verify the audit log against its seals',
    answers: 'The number of events read, the number not sealed yet, any errors, and the latest seal.',
    answered: verdictAnswer,
    ...reads('audit'),
    body: keptSeal,
    run: async (_, { seal }) => {
      if ((await measureAuditLog(db)).events > checkedEventsMax)
        throw new Problem('conflict', {
          detail: `The log has more than ${checkedEventsMax.toLocaleString('en-US')} events. Run scripts/audit verify instead.`,
        })
      return verifyAuditLog(db, seal)
    },
    form: {
      ownPage: '/audit/verify',
      button: true,
      page: async () => <VerifyPage {...(await measureAuditLog(db))} verdict={undefined} />,
      read: ({ form }) => ({ seal: form.get('seal')?.trim() || undefined }),
      next: async (request, verdict) => {
        const measured = await measureAuditLog(db)
        return showForm(request, { values: request.form, errors: [] }, () => (
          <VerifyPage {...measured} verdict={verdict} />
        ))
      },
      atField: () => ({
        parameter: 'seal',
        code: 'malformed',
        detail: 'Enter the whole seal: a number, a colon and 22 characters.',
      }),
    },
  })

/** The pages for browsing the log. */
function auditPages(deps: Deps): PageRoute[] {
  const { consoleDb: db } = deps

  const auditLog = async (request: PageRequest): Promise<Response> => {
    const { filter, beforeId, form } = readAuditQuery(request.url.searchParams, request.context.timeZone)
    const faulty = form.errors.length > 0
    const rows = faulty ? [] : await readAuditEvents(db, filter, { beforeId, rowsMax: eventsReadMax })
    const { entries, last } = entriesOf(rows, pageRows)
    const isAll = rows.length < eventsReadMax && rows.at(-1)?.audit_event_id === (last || undefined)
    const [actions, people, keys, names] = await Promise.all([
      readAuditActions(db),
      readPeople(db),
      readKeyChoices(db, keyChoicesMax),
      namesIn(deps, rows),
    ])
    const page = () => (
      <AuditLogPage
        entries={entries}
        nextBefore={isAll ? null : last}
        later={beforeId !== undefined}
        actions={actions}
        people={new Map(people.map(({ email, name }) => [email, name]))}
        keys={keys}
        names={names}
      />
    )
    return showForm(request, form, page, faulty ? 400 : 200)
  }

  const download = (request: PageRequest): Promise<Response> => {
    const { filter, form } = readAuditQuery(request.url.searchParams, request.context.timeZone)
    if (form.errors.length > 0) return auditLog(request)
    return downloadEvents(deps, request, filter, request.by.actor)
  }

  const sent = async (request: PageRequest): Promise<Response> => {
    const parameters = request.url.searchParams
    const written = parameters.get('application')
    const applicationId = idOf(written?.trim())
    const errors = written !== null && applicationId === undefined ? [notAnId] : []
    const found = applicationId === undefined ? [] : await findDisclosures(db, applicationId, placeOf(parameters))
    const files = found.length === 0 ? [] : (await measureAuditLog(db)).files
    const names = await namesIn(
      deps,
      found.flatMap(({ pages }) => pages),
    )
    const page = () => <DisclosuresPage applicationId={applicationId} found={found} files={files} names={names} />
    return showForm(request, { values: parameters, errors }, page, errors.length > 0 ? 400 : 200)
  }

  return [
    pageAt(path, readingRoles, auditLog),
    pageAt(`${path}/events.csv`, readingRoles, download),
    pageAt(`${path}/sent`, readingRoles, sent),
  ]
}

/**
 * The names of keys by ID and of programs by slug, for those that acted or were acted upon, and of programs that details contain as `program 1`,
 * which is no slug.
 */
export const namesIn = async (
  { consoleDb }: Pick<Deps, 'consoleDb'>,
  events: readonly Pick<AuditEventRow, 'actor' | 'subject' | 'detail'>[],
) => {
  // A number is an application or an applicant, whatever a program's slug is.
  const slugs = events.flatMap(({ subject }) => (/\D/.test(subject) ? [subject] : []))
  const ids = events.map(({ actor, subject }) => (actor.startsWith('key:') ? actor.slice(4) : subject))
  const programIds = events.flatMap(({ detail: { program_id: id } }) => (typeof id === 'number' ? [id] : []))
  const [programs, byId, keys] = await Promise.all([
    readProgramNames(consoleDb, slugs),
    readProgramNamesById(consoleDb, [...new Set(programIds)]),
    readApiKeyNames(consoleDb, ids),
  ])
  const inDetails = [...byId].map(([id, name]) => [`program ${id}`, name] as const)
  return new Map([...programs, ...inDetails, ...keys])
}

/** The program and position in the URL. Without a program, all are searched. */
function placeOf(query: URLSearchParams) {
  const slug = query.get('program') ?? undefined
  return { slug, beforeId: slug === undefined ? undefined : idOf(query.get('before')), rowsMax: pageRows }
}

const notAnId: ProblemItem = {
  parameter: 'application',
  code: 'not_an_id',
  detail: 'Enter an application number, such as 4711.',
}
