// The code of an intermediary's client: an administrator gives them a new one, or revokes it, from the page of an application.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { notFound } from '../../../base/problem.ts'
import { replaceCode, revokeCode } from '../../../core/apply/apply-sessions.ts'
import { findClientCode } from '../../../db/apply/client-rows.ts'
import { Notice } from '../../html/components.tsx'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { CopyButton } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { ApplicationFiles, applicationsRoute } from '../applications/find-applications.ts'
import { applicationsPath, crumbsOf } from '../applications/list-query.ts'
import { type Action, action, administrators } from '../requests/action.ts'
import { nothing } from '../requests/answer-schemas.ts'
import { type ConsoleRequest, type PageRequest, showPage } from '../requests/console-request.ts'
import { closed } from '../requests/schemas.ts'

const codeRoute = `${applicationsRoute}/:applicationId/client-code` as const
const newCode = Type.Object(
  {
    code: Type.String({ description: 'The code, which is shown only once.' }),
    link: Type.String({ description: 'The address that opens the client’s applications with this code.' }),
  },
  closed,
)

type ClientCode = Awaited<ReturnType<typeof findClient>>

/** The client who submitted an application. Throws Problem `not_found` unless an intermediary registered its applicant. */
async function findClient(deps: Deps, request: ConsoleRequest) {
  const found = await new ApplicationFiles(deps).find(request)
  const code = await findClientCode(deps.consoleDb, found.application.applicant_id)
  return { ...found, code: code ?? notFound('This applicant is not a client of an intermediary.') }
}

export function clientCodeActions(deps: Deps): Action[] {
  const { consoleDb: db, config } = deps
  const page = async (request: PageRequest) => <ClientCodePage {...(await findClient(deps, request))} />
  const guard = { roles: administrators, scope: 'applications:write', confirmed: true } as const
  return [
    action({
      name: 'replaceClientCode',
      route: `POST ${codeRoute}`,
      summary: 'Create a new code for an intermediary’s client',
      description: 'Whoever has the code can read and submit the client’s applications. The old code stops working.',
      answers: 'The code and its link, which are shown only once.',
      answered: newCode,
      makes: true,
      ...guard,
      run: async request => {
        const { applicant_id } = (await findClient(deps, request)).application
        const code = await replaceCode(db, config, { applicant_id, intermediary_id: null }, request.by, request.now)
        return { code, link: `${request.place.baseUrl}/apply/-/return#${code}` }
      },
      form: {
        ownPage: codeRoute,
        button: true,
        page,
        next: async (request, made) =>
          showPage(request, <ClientCodePage {...(await findClient(deps, request))} made={made} />),
      },
    }),
    action({
      name: 'revokeClientCode',
      route: `POST ${codeRoute}/revoke`,
      summary: 'Revoke the code of an intermediary’s client',
      description: 'The client is signed out. Saved answers and applications are kept.',
      answers: 'An empty object.',
      answered: nothing,
      ...guard,
      run: async request => revokeCode(db, (await findClient(deps, request)).application.applicant_id, request.by),
      form: {
        button: true,
        page,
        next: ({ params }) => `${applicationsPath(params.slug!)}/${params.applicationId}/client-code`,
      },
    }),
  ]
}

function ClientCodePage({ program, application, code, made }: ClientCode & { made?: { code: string; link: string } }) {
  const { application_id } = application
  const path = `${applicationsPath(program.slug)}/${application_id}/client-code`
  return (
    <Shell
      title="Client’s code"
      part="applications"
      crumbs={[...crumbsOf(program, application_id), { text: 'Client’s code' }]}
      lead="Clients of an intermediary use this code to return to their applications."
    >
      {made !== undefined && (
        <Notice name="shown-once" tone="attention">
          <strong>The code is shown only this once.</strong> Give it to the client and nobody else.
          <p class="copied">
            <code id="link">{made.link}</code>
            <CopyButton of="link" />
          </p>
        </Notice>
      )}
      <div class="card narrow">
        <p>
          {!code.has_code
            ? 'The client has no code.'
            : code.email === null
              ? 'The client has a code that no intermediary has seen.'
              : `The client has a code that ${code.email} has seen.`}
        </p>
        <div class="actions">
          <ActionForm action={path}>
            <Submit text="Create new code" />
          </ActionForm>
          {code.has_code && (
            <ActionForm action={`${path}/revoke`}>
              <Submit look="danger" text="Revoke code" />
            </ActionForm>
          )}
        </div>
        <p class="soft">Both end the client’s sessions and are recorded in the audit log.</p>
      </div>
    </Shell>
  )
}
