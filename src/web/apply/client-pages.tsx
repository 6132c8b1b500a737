// Pages for an organization's people: the list of clients, the form for a new client, and opening a client to apply for them.

/** @jsxImportSource preact */

import type { ComponentProps } from 'preact'
import { Problem } from '../../base/problem.ts'
import { openClient, registerClient } from '../../core/apply/clients.ts'
import { maskedToken } from '../../core/people/masked-token.ts'
import { type OrganizationClient, readClients, readWhoStarted } from '../../db/apply/client-rows.ts'
import { foldText } from '../../domain/values/folded-text.ts'
import { recordOf } from '../http/server/request-record.ts'
import { TextInput, Unseen } from '../questions/field-parts.tsx'
import {
  type ApplyRequest,
  clientsPath,
  type Intermediary,
  redirect,
  requireFormOf,
  takeSession,
} from './apply-request.ts'
import { ErrorSummary, LinkLine, linkTo, PostForm, showApply } from './apply-shell.tsx'

const rowsMax = 50
const newPath = `${clientsPath}/new`

type IntermediaryRequest = ApplyRequest & { intermediary: Intermediary }

/** A page for intermediaries; everyone else is redirected to the sign-in page. Its forms belong to that sign-in, whichever client is open. */
const signedIn =
  (handler: (request: IntermediaryRequest) => Promise<Response>) => async (pageRequest: ApplyRequest) => {
    const { intermediary, request } = pageRequest
    if (intermediary === undefined) return redirect(pageRequest, '/admin/sign-in')
    if (request.method === 'POST') requireFormOf(intermediary.signedIn, pageRequest)
    return handler({ ...pageRequest, intermediary })
  }

const ClientForm = (props: ComponentProps<'form'> & { request: IntermediaryRequest; path: string }) => (
  <PostForm {...props} csrf={maskedToken(props.request.intermediary.signedIn.csrf)} />
)

/** Also with a form: search texts stay out of addresses, which end up in logs and histories. */
export const getClients = signedIn(showClients)

async function showClients(request: IntermediaryRequest): Promise<Response> {
  const { deps, form, texts, intermediary } = request
  const { pages } = texts
  const search = form.get('search') ?? ''
  const before = Number(/^\d{1,15}$/.exec(form.get('before') ?? '')?.[0] ?? Number.MAX_SAFE_INTEGER)
  const wanted = { organizationId: intermediary.organization_id, search: foldText(search), before }
  const found = await readClients(deps.db, { ...wanted, rowsMax: rowsMax + 1 })
  const shown = found.slice(0, rowsMax)
  const ids = shown.map(({ applicant_id }) => applicant_id)
  const started = await readWhoStarted(deps.intakeDb, ids)
  const view = { values: form, errors: new Map<string, string>(), words: texts.questions }
  const body = (
    <>
      <h1>{pages.clients}</h1>
      <p>
        <a class="button" href={linkTo(request, newPath)}>
          {pages.newClient}
        </a>
      </p>
      <ClientForm request={request} path={clientsPath}>
        <TextInput view={view} name="search" label={pages.findClient} typing={{ size: 'medium' }} />
        <p>
          <button type="submit" class="plain">
            {pages.find}
          </button>
        </p>
      </ClientForm>
      {shown.length === 0 && <p>{pages.noClients}</p>}
      <ClientList request={request} clients={shown} started={started} />
      {found.length > rowsMax && (
        <ClientForm request={request} path={clientsPath}>
          <input type="hidden" name="search" value={search} autocomplete="off" />
          <button type="submit" class="plain" name="before" value={String(ids.at(-1))}>
            {pages.moreClients}
          </button>
        </ClientForm>
      )}
      <LinkLine request={request} path="/admin/account" text={pages.account} />
    </>
  )
  return showApply(request, { title: pages.clients, body })
}

interface ClientListProps {
  request: IntermediaryRequest
  clients: readonly OrganizationClient[]
  started: ReadonlySet<number>
}

const ClientList = ({ request, clients, started }: ClientListProps) => (
  <ClientForm request={request} path={`${clientsPath}/open`}>
    <ul class="programs">
      {clients.map(({ applicant_id, name }) => (
        <li class="card" data-client={applicant_id}>
          <h2 dir="auto">{name}</h2>
          {started.has(applicant_id) && <p>{request.texts.pages.started}</p>}
          <button type="submit" class="plain" name="client" value={String(applicant_id)}>
            {request.texts.pages.openClient}
            <Unseen text={name} />
          </button>
        </li>
      ))}
    </ul>
  </ClientForm>
)

export const getNewClient = signedIn(async request => showNewClient(request, crypto.randomUUID()))

function showNewClient(request: IntermediaryRequest, formKey: string, message?: string): Response {
  const { pages, questions: words } = request.texts
  const label = pages.clientName
  const errors = new Map(message === undefined ? [] : [['name', message]])
  const lines = message === undefined ? [] : [{ field: 'name', message, label }]
  const body = (
    <>
      <ErrorSummary title={pages.problem} messages={lines} withLabels={false} />
      <h1>{pages.newClient}</h1>
      <ClientForm request={request} path={newPath}>
        <input type="hidden" name="key" value={formKey} autocomplete="off" />
        <TextInput
          view={{ values: request.form, errors, words }}
          name="name"
          label={label}
          hint={pages.clientNameHint}
        />
        <button type="submit">{pages.next}</button>
      </ClientForm>
    </>
  )
  return showApply(request, { title: pages.newClient, body, status: message === undefined ? 200 : 400 })
}

export const postNewClient = signedIn(async request => {
  const { deps, form, key, intermediary, language, limits, now } = request
  await limits.count('starts', recordOf(request.request).origin.address)
  const draft = { name: form.get('name') ?? '', language, formKey: form.get('key') ?? '' }
  try {
    await takeSession(request, await registerClient(deps.db, deps.config, key, intermediary, draft, now))
    return redirect(request, '/apply/-/code')
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
    return showNewClient(request, crypto.randomUUID(), request.texts.pages.clientNameWrong)
  }
})

export const postOpenClient = signedIn(async request => {
  const { deps, form, key, intermediary, now } = request
  const [client = '0'] = /^\d{1,15}$/.exec(form.get('client') ?? '') ?? []
  await takeSession(request, await openClient(deps.db, deps.config, key, intermediary, Number(client), now))
  return redirect(request, '/apply/-/applications')
})
