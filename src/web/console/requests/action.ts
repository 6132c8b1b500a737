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

/** A page with status 200, or a complete response. */
export type Shown = VNode | Response
type Soon<T> = T | Promise<T>

interface RoutePlace {
  method: 'GET' | 'POST'
  /** `/admin/keys/:keyId`. */
  path: string
  /** Maximum size of a form's body; 64 KB by default. */
  bodyBytesMax?: number | undefined
}

interface OpenRoute extends RoutePlace {
  roles: 'anyone'
  answer: (request: OpenRequest) => Soon<Shown>
}

interface Guard {
  roles: readonly Role[]
  /**
   * Whether the person must have entered their password, or been confirmed by their provider, within the last ten minutes: for everything that
   * reveals a secret, erases something, or changes the permissions of a person or key. Tokens are exempt, because they were created in such a
   * session.
   */
  confirmed?: boolean | undefined
  /** Whether it edits programs. If an origin is followed, its pages do not open, because programs are edited there. */
  editsPrograms?: boolean | undefined
}

export interface GuardedRoute extends RoutePlace, Guard {
  answer: (request: PageRequest) => Soon<Shown>
  /** For a form with input fields: its page, with `context.form` if it was sent in a session that had ended. It changes nothing. */
  again?: (request: PageRequest) => Soon<Shown>
  /** Whether files of the form may be anything; otherwise they must be text. */
  takesFiles?: true
  /** The page for a form larger than `bodyBytesMax`, which was not read; an error page by default. */
  tooLarge?: (request: PageRequest) => Soon<Shown>
}

export type PageRoute = OpenRoute | GuardedRoute

/** A page that only displays something. */
export const pageAt = (path: string, roles: readonly Role[], answer: GuardedRoute['answer']): GuardedRoute => ({
  method: 'GET',
  path,
  roles,
  answer,
})

/** A route for people who may edit programs. */
export const editing = (route: Omit<GuardedRoute, 'roles' | 'editsPrograms'>): GuardedRoute => ({
  ...route,
  roles: administrators,
  editsPrograms: true,
})

/** A form: its page and the page that follows. */
export interface Form<Done> {
  /** Whether it only has a button: then nothing is lost if the form isn't shown again. */
  button?: boolean
  /** Its page, with what was typed and the errors in `context.form`. */
  page: (request: PageRequest) => Soon<Shown>
  /** The path of the following page. */
  next: (request: PageRequest, done: Done) => Soon<string | Response>
  /** The field that shows an error. */
  atField?: (error: ProblemItem) => ProblemItem
  /** The errors displayed for a conflict, alongside what was typed. Undefined if the conflict has a page of its own. */
  onConflict?: (conflict: Problem) => readonly ProblemItem[] | undefined
}

type FormPlace = Omit<GuardedRoute, 'method' | 'answer' | 'again'>

/** The routes of a form with its own page. `send` carries out the action. */
export const formPage = <Done>(
  route: FormPlace,
  send: (request: PageRequest) => Soon<Done>,
  form: Form<Done>,
): GuardedRoute[] => [{ ...route, method: 'GET', answer: form.page }, sentForm(route, send, form)]

/** The route of a form on another page. */
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

/** The state in which a rejected form is shown again; rethrows any other error. */
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

/** The errors of a rejected form; rethrows any other error. */
export function errorsOf(error: unknown): readonly ProblemItem[] {
  if (error instanceof Problem && error.kind === 'invalid_request' && error.errors.length > 0) return error.errors
  throw error
}

/** An action's operation in the API, and the routes of its pages. */
export interface Action extends DescribedOperation, Guard {
  /** Maximum size of the body; 64 KB by default. */
  bodyBytesMax?: number
  /** A value to send as JSON, or a complete response. */
  run: (request: ConsoleRequest, body: never) => unknown
  routes: readonly GuardedRoute[]
}

/**
 * The response of an action that continues in the background, described by its `later`: its progress, and the path below /admin/api/v1 to read it.
 */
export class Later {
  constructor(
    readonly answer: object,
    readonly path: string,
  ) {}
}

/** A part of the console: its actions, and pages without an API operation. */
export type Part = readonly (Action | PageRoute)[]

/** A value, possibly read-only. */
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
    /** Reads its fields. By default, they are named like the body's members. */
    read?: (request: PageRequest) => Soon<Static<Body>>
    /** The path of its own page, if it has one. */
    ownPage?: string
    /** For a form on another page: the path it is sent to. Defaults to the action's own. */
    sentTo?: string
  }
}

/** An action whose body and response have these schemas. */
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

/** The body from a form's fields of the same names: texts, and lists of texts. */
function bodyOf(schema: TSchema | undefined, form: URLSearchParams): unknown {
  if (schema === undefined) return undefined
  const members = Object.entries((schema as TObject).properties)
  return Object.fromEntries(
    members.map(([name, member]) => [name, 'items' in member ? form.getAll(name) : (form.get(name) ?? '')]),
  )
}

/** An action that returns a complete response matching the schema. */
export const responseAction = ({ route, ...item }: ResponseDefinition): Action => ({
  ...item,
  ...placeOf(route),
  routes: [],
})

interface ResponseDefinition extends Omit<Action, 'method' | 'path' | 'routes'> {
  route: ActionRoute
  run: (request: ConsoleRequest) => Promise<Response>
}

/** An action that some requests only start: it returns its usual response, or one about its continuation. */
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

/** Who may read in an area, and the scope that a token needs for it. */
export const reads = (area: Area): Pick<Action, 'roles' | 'scope'> => ({ roles: readingRoles, scope: `${area}:read` })
/** Who may change something in an area. */
export const writes = (area: Area): Pick<Action, 'roles' | 'scope'> => ({
  roles: administrators,
  scope: `${area}:write`,
})
