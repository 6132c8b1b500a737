// Erases one application, or its applicant with all their applications.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { eraseApplicant, eraseApplication } from '../../../core/applications/erase.ts'
import type { ApplicationDetails } from '../../../db/applications/application-details.ts'
import { readApplicationsOfApplicant } from '../../../db/applications/erased-applications.ts'
import { refuseFollowed } from '../../../db/origin.ts'
import type { Program } from '../../../db/programs/programs.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, administrators } from '../requests/action.ts'
import { nothing } from '../requests/answer-schemas.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { requireWritten } from '../requests/read-form.ts'
import { closed, text } from '../requests/schemas.ts'
import { ErasePage, eraseSteps } from './erase-page.tsx'
import { applicationsPath } from './list-query.ts'

type Find = (request: ConsoleRequest) => Promise<{ program: Program; application: ApplicationDetails }>

const body = Type.Object({ reason: Type.Optional(text('Recorded in the audit log. Don’t name anyone.')) }, closed)

export function eraseActions({ consoleDb: db }: Deps, find: Find): Action[] {
  const erasing = (
    what: keyof typeof eraseSteps,
    erases: string,
    erase: (request: ConsoleRequest, reason?: string) => Promise<unknown>,
  ) => {
    const path = `/programs/:slug/applications/:applicationId/${eraseSteps[what]}` as const
    return action({
      name: what === 'application' ? 'eraseApplication' : 'eraseApplicantOf',
      route: `POST ${path}`,
      summary: `Erase an ${what}`,
      description: `${erases} This cannot be undone.`,
      answers: 'An empty object.',
      answered: nothing,
      roles: administrators,
      scope: 'applications:erase',
      confirmed: true,
      body,
      run: async (request, { reason }) => {
        await refuseFollowed(db, 'Applications are kept')
        await erase(request, reason)
      },
      form: {
        ownPage: path,
        page: async (request: PageRequest) => {
          const { program, application } = await find(request)
          const held = what === 'applicant' && (await readApplicationsOfApplicant(db, application.applicant_id))
          return <ErasePage program={program} application={application} {...(held && { held })} />
        },
        read: async request => {
          const { application } = await find(request)
          const id = application[`${what}_id`]
          requireWritten(request, String(id), `Type ${id} to confirm.`)
          return { reason: request.form.get('reason') ?? '' }
        },
        next: ({ params }) => `${applicationsPath(params.slug!)}?done=erased`,
      },
    })
  }
  return [
    erasing('application', 'Erases the application with its status, notes and history.', async (request, reason) => {
      const { program, application } = await find(request)
      const place = { program_id: program.program_id, application_id: application.application_id }
      await eraseApplication(db, place, { ...request.by, reason })
    }),
    erasing(
      'applicant',
      'Erases the applicant of this application with all their applications, in every program, and answers in progress.',
      async (request, reason) =>
        eraseApplicant(db, (await find(request)).application.applicant_id, { ...request.by, reason }),
    ),
  ]
}
