// Actions on one application: compare, view as exported, read its history, set status and note.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import { annotate } from '../../../core/applications/annotate.ts'
import {
  type ApplicationDetails,
  applicationDetails,
  readNewestAnnotations,
  readRevisions,
} from '../../../db/applications/application-details.ts'
import { applicationChanges } from '../../../domain/readable/application-changes.ts'
import { pageFields } from '../../html/html-response.ts'
import { everyRole } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import {
  type Action,
  action,
  type Form,
  type PageRoute,
  type Part,
  pageAt,
  responseAction,
} from '../requests/action.ts'
import { applicationAnswer, historyAnswer } from '../requests/answer-schemas.ts'
import { download, wholeFile } from '../requests/download.ts'
import { idIn } from '../requests/route-parameters.ts'
import { closed, id, nullableText } from '../requests/schemas.ts'
import { ChangesPage } from './changes-page.tsx'
import { eraseActions } from './erase-actions.tsx'
import { ExportedPage } from './exported-page.tsx'
import { ApplicationFiles, applicationsRoute, findSeenProgram, readers } from './find-applications.ts'
import { listActions } from './list-actions.tsx'
import { readListQuery } from './list-query.ts'
import { applicationPage } from './shown-application.tsx'
import { noteBytesMax, statusOfManyActions } from './status-of-many.tsx'

/** Maximum of each in the API. */
const historyMax = 200

const applicationRoute = `${applicationsRoute}/:applicationId`

const annotation = Type.Object(
  {
    based_on: id(
      'The `annotation_id` of the application you read. If it has changed since, the request fails with 409.',
      0,
    ),
    status: Type.Optional(nullableText('One of the program’s statuses, or null for none.')),
    note: Type.Optional(nullableText('A note of at most 10,000 characters, or null for none.')),
  },
  closed,
)

export function applicationActions(deps: Deps): Part {
  const files = new ApplicationFiles(deps)
  return [...listActions(deps), ...statusOfManyActions(deps), ...readingPages(deps, files), ...oneActions(deps, files)]
}

/** Pages that compare an application and show it as exported. */
const readingPages = (deps: Deps, files: ApplicationFiles): PageRoute[] => [
  pageAt(`/admin${applicationRoute}/changes`, readers, async request => {
    const { program, application } = await files.find(request)
    const earlier = await files.before(application, program.program_id)
    if (earlier === undefined)
      throw new Problem('not_found', { detail: 'This applicant has no earlier application to compare with.' })
    const ids = [application.application_id, earlier.application_id] as const
    const [now, then] = await files.openAnswers(request, program.program_id, ...ids)
    const changes = applicationChanges(now!, then!)
    return <ChangesPage program={program} application={application} earlier={earlier} {...changes} />
  }),
  pageAt(`/admin${applicationRoute}/exported`, readers, async request => (
    <ExportedPage {...(await files.asExported(request, 'as_exported'))} />
  )),
  pageAt(`/admin${applicationRoute}/download`, readers, async request => {
    const found = await files.find(request)
    const fileName = `attachment; filename="application-${found.application.application_id}.json"`
    const headers = new Headers({
      ...pageFields,
      'Content-Type': 'application/json',
      'Content-Disposition': fileName,
    })
    return download(deps, request.request, headers, async () =>
      wholeFile(await files.exportedBytes(request, found, 'downloaded')),
    )
  }),
]

const withoutHead = ({ head, ...details }: ApplicationDetails) => details

/** One application, its status and its note. */
const oneActions = (deps: Deps, files: ApplicationFiles): Part => {
  const page = applicationPage(deps, files)
  return [
    pageAt(`/admin${applicationRoute}`, everyRole, page),
    ...readActions(deps, files),
    annotateAction(deps, files, page),
    ...eraseActions(deps, request => files.find(request)),
  ]
}

const readActions = ({ consoleDb: db }: Deps, files: ApplicationFiles): Action[] => [
  responseAction({
    name: 'readApplication',
    route: `GET ${applicationRoute}`,
    summary: 'Read an application',
    description: 'Reading is recorded in the audit log.',
    answers: 'The application exactly as exported, with the `annotation_id` of its current status and note.',
    answered: applicationAnswer,
    roles: readers,
    scope: 'applications:read',
    run: async request => {
      const { application, bytes } = await files.asExported(request, 'as_exported')
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
    route: `GET ${applicationRoute}/history`,
    summary: 'Read an application’s history',
    answers:
      'The current and earlier statuses and notes, and the applicant’s other applications to the program: the newest 200 of each.',
    answered: historyAnswer,
    roles: everyRole,
    scope: 'applications:read',
    run: async request => {
      const { program, application } = await files.find(request)
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
    route: `PATCH ${applicationRoute}`,
    summary: 'Set an application’s status and note',
    description: 'Only the members you send are changed.',
    answers: 'The updated status and note.',
    answered: applicationDetails,
    roles: readers,
    scope: 'applications:write',
    body: annotation,
    bodyBytesMax: noteBytesMax,
    run: async (request, { based_on, status, note }) => {
      const { program_id } = await findSeenProgram(db, request.person, request.params.slug!)
      const change = { program_id, application_id: idIn(request, 'applicationId'), status, note, seen: based_on }
      await annotate(db, { ...change, ...request.by, timeZone: config.timeZone })
      return withoutHead((await files.find(request)).application)
    },
    form: {
      page,
      read: async request => readAnnotation(request.form, (await files.find(request)).application),
      next: request => {
        const { slug, applicationId } = request.params
        const { values } = readListQuery(request)
        values.set('done', 'saved')
        return `/admin/programs/${slug}/applications/${applicationId}?${values}`
      },
      onConflict: ({ internal }) => (internal === 'seen_is_old' ? [conflictError] : undefined),
    },
  })

/** Unchanged values are left out, because setting them again would give them a new time (contract D30). */
function readAnnotation(form: URLSearchParams, { status, application_note }: ApplicationDetails) {
  // Browsers end lines with CR LF, even if they were sent with LF.
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
  detail:
    'Someone else changed the status or note, so nothing was saved. Compare with the current values and save again.',
}
