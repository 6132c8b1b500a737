// Defines an action of the console once. Its page below /admin, its operation below /admin/api/v1, OpenAPI, token scopes and the navigation
// of each role are derived from it. Also defines routes of pages, and how forms are sent and shown again.

import type { VNode } from 'preact'
import type { Static, TObject, TSchema } from 'typebox'
import { Problem, type ProblemItem } from '../../../base/problem.ts'
import type { Area } from '../../../core/people/admin-tokens.ts'
import type { Role } from '../../../core/people/roles.ts'
import { readingRoles } from '../../html/navigation.ts'
import type { FormState } from '../../html/page-context.ts'
import type { DescribedOperation } from '../../http/openapi/admin-operations.ts'
import { type ConsoleRequest, type OpenRequest, type PageRequest, redirect, showPage } from './console-request.ts'

/** A page, which is answered with 200, or a response as it is. */
export type Shown = VNode | Response
type Soon<T> = T | Promise<T>

interface RoutePlace {
  method: 'GET' | 'POST'
  /** `/admin/keys/:keyId`. */
  path: string
  /** Largest body of a form. 64 KB unless given. */
  bodyBytesMax?: number | undefined
}

interface OpenRoute extends RoutePlace {
  roles: 'anyone'
  answer: (request: OpenRequest) => Soon<Shown>
}

interface Guard {
  roles: readonly Role[]
  /**
   * Whether the person must have entered their password, or been confirmed by their provider, within the last ten minutes: wherever a
   * secret is handed out, something is erased, or a person or key may do more or less afterwards than before. A token need not be: it
   * was made in a session that was.
   */
  confirmed?: boolean | undefined
  /** Whether it edits programs. Where an origin is followed its pages do not open: programs are edited there. */
  editsPrograms?: boolean | undefined
}

export interface GuardedRoute extends RoutePlace, Guard {
  answer: (request: PageRequest) => Soon<Shown>
  /** Of a form in which something is typed: its page, with `context.form` where it was sent in a session that had ended. It changes nothing. */
  again?: (request: PageRequest) => Soon<Shown>
}

export type PageRoute = OpenRoute | GuardedRoute

/** A page that only shows something. */
export const pageAt = (path: string, roles: readonly Role[], answer: GuardedRoute['answer']): GuardedRoute => ({
  method: 'GET',
  path,
  roles,
  answer,
})

/** A route of those who edit programs. */
export const editing = (route: Omit<GuardedRoute, 'roles' | 'editsPrograms'>): GuardedRoute => ({
  ...route,
  roles: administrators,
  editsPrograms: true,
})

/** A form: the page it is on, and where it leads on. */
export interface Form<Done> {
  /** Whether it is a button alone: then nothing is lost when it does not come back. */
  button?: boolean
  /** Its page, with what was typed and what was wrong in `context.form`. */
  page: (request: PageRequest) => Soon<Shown>
  /** The path it leads on to. */
  next: (request: PageRequest, done: Done) => Soon<string | Response>
  /** The field that an error is shown at. */
  atField?: (error: ProblemItem) => ProblemItem
  /** The errors that a conflict is shown with, alongside what was typed. Undefined for one that is a page of its own. */
  onConflict?: (conflict: Problem) => readonly ProblemItem[] | undefined
}

type FormPlace = Omit<GuardedRoute, 'method' | 'answer' | 'again'>

/** A form that has a page of its own: the routes of both. `send` does what the form is for. */
export const formPage = <Done>(
  route: FormPlace,
  send: (request: PageRequest) => Soon<Done>,
  form: Form<Done>,
): GuardedRoute[] => [{ ...route, method: 'GET', answer: form.page }, sentForm(route, send, form)]

/** The same of one that is on another page. */
export const sentForm = <Done>(
  route: FormPlace,
  send: (request: PageRequest) => Soon<Done>,
  form: Form<Done>,
): GuardedRoute => ({
  ...route,
  method: 'POST',
  answer: async request => {
    try {
      const next = await form.next(request, await send(request))
      return typeof next === 'string' ? redirect(request, next) : next
    } catch (error) {
      const state = refusedForm(error, request, form)
      return showForm(request, state, form.page, state.conflict === undefined ? 400 : 409)
    }
  },
  ...(form.button ? {} : { again: form.page }),
})

/** Shows the page of a form with what was typed. */
export async function showForm(
  request: PageRequest,
  form: FormState,
  page: (request: PageRequest) => Soon<Shown>,
  status = 200,
): Promise<Response> {
  request.context = { ...request.context, form }
  const shown = await page(request)
  return shown instanceof Response ? shown : showPage(request, shown, status)
}

/** The state in which a rejected form is shown again; throws any other error again. */
function refusedForm(
  error: unknown,
  { form: values }: PageRequest,
  { atField = error => error, onConflict = () => undefined }: Pick<Form<never>, 'atField' | 'onConflict'>,
): FormState {
  const conflict = error instanceof Problem && error.kind === 'conflict' ? error : undefined
  const errors = conflict && onConflict(conflict)
  if (conflict !== undefined && errors !== undefined) return { values, errors, conflict }
  return { values, errors: errorsOf(error).map(atField) }
}

/** The errors of a form that was refused; anything else that was thrown continues as it is. */
export function errorsOf(error: unknown): readonly ProblemItem[] {
  if (error instanceof Problem && error.kind === 'invalid_request' && error.errors.length > 0) return error.errors
  throw error
}

/** An action's operation in the API, and the routes of its pages. */
export interface Action extends DescribedOperation, Guard {
  /** Largest body. 64 KB unless given. */
  bodyBytesMax?: number
  /** A value to be sent as JSON, or a response as it is. */
  run: (request: ConsoleRequest, body: never) => unknown
  routes: readonly GuardedRoute[]
}

/** The answer of an action that goes on after it, as its `later` says: how far it is, and the path below /admin/api/v1 where that is read. */
export class Later {
  constructor(
    readonly answer: object,
    readonly path: string,
  ) {}
}

/** A part of the console: what is done there, and pages that no operation of the API has. */
export type Part = readonly (Action | PageRoute)[]

/** A value, which may be read only. */
type Unchanged<T> = T extends object ? { readonly [Name in keyof T]: Unchanged<T[Name]> } : T

/** `PUT /keys/:keyId`, as below /admin/api/v1. */
type ActionRoute = `${Action['method']} /${string}`

const placeOf = (route: ActionRoute): Pick<Action, 'method' | 'path'> => {
  const [method, path] = route.split(' ') as [Action['method'], string]
  return { method, path }
}

interface Definition<Body extends TSchema, Answer extends TSchema, Done extends Unchanged<Static<Answer>>>
  extends Omit<Action, 'method' | 'path' | 'body' | 'answered' | 'run' | 'routes'> {
  route: ActionRoute
  body?: Body
  answered: Answer
  run: (request: ConsoleRequest, body: Static<Body>) => Soon<Done>
  /** For an action that reads: its page at the same path, rendered from its response. */
  page?: (request: PageRequest, answer: Done) => Soon<Shown>
  /** For an action that changes something: its form. */
  form?: Form<Done> & {
    /** Reads its fields. By default, they have the names of the body's members. */
    read?: (request: PageRequest) => Soon<Static<Body>>
    /** Where it has a page of its own, the path of that. */
    ownPage?: string
    /** For a form on another page: the path it is sent to. Defaults to the action's own. */
    sentTo?: string
  }
}

/** An action whose body and answer are as the schemas say. */
export function action<Body extends TSchema, Answer extends TSchema, Done extends Unchanged<Static<Answer>>>(
  definition: Definition<Body, Answer, Done>,
): Action {
  const { page, form, route: sent, ...rest } = definition
  const operation = { ...rest, ...placeOf(sent) }
  const { roles, confirmed, editsPrograms, bodyBytesMax, body, run } = operation
  const path = `/admin${form?.ownPage ?? form?.sentTo ?? operation.path}`
  const route = { path, roles, confirmed, editsPrograms, bodyBytesMax }
  return { ...operation, routes: [...pageOf(), ...formOf()] } as Action

  function pageOf(): GuardedRoute[] {
    if (page === undefined) return []
    return [{ ...route, method: 'GET', answer: async request => page(request, await run(request, undefined as never)) }]
  }

  function formOf(): GuardedRoute[] {
    if (form === undefined) return []
    const read = form.read ?? (({ form }) => bodyOf(body, form) as Static<Body>)
    const send = async (request: PageRequest) => run(request, await read(request))
    return form.ownPage === undefined ? [sentForm(route, send, form)] : formPage(route, send, form)
  }
}

/** The body that a form says with fields of the same names: texts, and lists of texts. */
function bodyOf(schema: TSchema | undefined, form: URLSearchParams): unknown {
  if (schema === undefined) return undefined
  const members = Object.entries((schema as TObject).properties)
  return Object.fromEntries(
    members.map(([name, member]) => [name, 'items' in member ? form.getAll(name) : (form.get(name) ?? '')]),
  )
}

/** An action that answers with a response as it is, as the schema says. */
export const responseAction = ({ route, ...item }: ResponseDefinition): Action => ({
  ...item,
  ...placeOf(route),
  routes: [],
})

interface ResponseDefinition extends Omit<Action, 'method' | 'path' | 'routes'> {
  route: ActionRoute
  run: (request: ConsoleRequest) => Promise<Response>
}

/** An action that some requests only begin: answered with its answer, or with what is said of it later. */
export const laterAction = <Body extends TSchema, Answer extends TSchema>({
  route,
  ...item
}: LaterDefinition<Body, Answer>): Action => ({ ...item, ...placeOf(route), routes: [] }) as Action

interface LaterDefinition<Body extends TSchema, Answer extends TSchema>
  extends Omit<Action, 'method' | 'path' | 'body' | 'answered' | 'run' | 'routes'> {
  route: ActionRoute
  body: Body
  answered: Answer
  later: NonNullable<Action['later']>
  run: (request: ConsoleRequest, body: Static<Body>) => Promise<Unchanged<Static<Answer>> | Later>
}

export const administrators: readonly Role[] = ['ADMINISTRATOR']

/** Who reads in an area, and what a token must be good for to do so. */
export const reads = (area: Area): Pick<Action, 'roles' | 'scope'> => ({ roles: readingRoles, scope: `${area}:read` })
/** The same of those who change something. */
export const writes = (area: Area): Pick<Action, 'roles' | 'scope'> => ({
  roles: administrators,
  scope: `${area}:write`,
})
