// A request for one of the applicants' pages: who sent it, in which language, its form, and its response.

import type { VNode } from 'preact'
import { Problem, type ProblemItem } from '../../base/problem.ts'
import { applyKey } from '../../core/apply/apply-front-end.ts'
import { type ApplySession, beginApplying, loadApplySession } from '../../core/apply/apply-sessions.ts'
import type { FrontEndKey } from '../../core/intake/register-applicant.ts'
import { registerApplicant } from '../../core/intake/register-applicant.ts'
import { maskedToken } from '../../core/people/masked-token.ts'
import { isCsrf, lacksSecondFactor, type Session } from '../../core/people/sessions.ts'
import { inTransaction } from '../../db/client.ts'
import { type ActingIntermediary, findActingIntermediary } from '../../db/people/intermediary-rows.ts'
import { addressText } from '../../domain/values/ip-address.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { acceptedLanguages } from '../http/headers/accepted-languages.ts'
import { requireOwnOrigin } from '../http/headers/own-origin.ts'
import { readFields } from '../http/headers/sent-text.ts'
import {
  type CookieName,
  cookieField,
  cookieOf,
  loadSignedIn,
  sessionToken,
  tokenOf,
} from '../http/headers/session-cookie.ts'
import type { Deps } from '../http/server/deps.ts'
import { bodyArrivalMs } from '../http/server/in-time.ts'
import { type Place, placeOf } from '../http/server/place.ts'
import { readBody } from '../http/server/read-body.ts'
import { recordOf } from '../http/server/request-record.ts'
import { FormValues } from '../questions/form-values.ts'
import { defaultLanguage, findLanguage, languages } from '../questions/languages/all-languages.ts'
import type { Language } from '../questions/languages/en.ts'
import type { ApplyLimits } from './apply-limits.ts'

export interface ApplyRequest {
  deps: Deps
  limits: ApplyLimits
  request: Request
  url: URL
  params: Readonly<Record<string, string>>
  form: FormValues
  /** Errors in its files, by field. */
  fileErrors: ProblemItem[]
  place: Place
  now: Micros
  https: boolean
  key: FrontEndKey
  session: ApplySession | undefined
  /** The person who is signed in to apply for clients of their organization. */
  intermediary: Intermediary | undefined
  /** Whether the browser still has the cookie of a session that has ended. */
  hasEnded: boolean
  /** Where pages redirect after the session has ended. */
  endedPath: string
  /** Tag of the language that the page is shown in, and its texts. */
  language: string
  texts: Language
  /** Cookies that the response sets. */
  cookies: string[]
}

export interface Intermediary extends ActingIntermediary {
  signedIn: Session
}

/** The start page for an organization's people. */
export const clientsPath = '/apply/-/clients'

export type ApplyHandler = (request: ApplyRequest) => Promise<Response>

/** Maximum number of fields in a form: ten times those of a long screen with a large household. */
export const fieldsMax = 10_000

/** The facts of a request, with its session unless that has ended. */
export async function openApplyRequest(deps: Deps, limits: ApplyLimits, request: Request): Promise<ApplyRequest> {
  const record = recordOf(request)
  const { address } = record.origin
  if (address !== undefined) record.fields.address = addressText(address)
  const place = placeOf(deps.config, request)
  const url = new URL(request.url)
  const https = place.baseUrl.startsWith('https:')
  const token = tokenOf(request, 'tributary-apply', https)
  const now = deps.now()
  const signedIn = await loadSignedIn(deps, request, https)
  const intermediary = signedIn && (await findIntermediary(deps, signedIn))
  const found = token === undefined ? undefined : await loadApplySession(deps.db, deps.config, token, now)
  // A session about a client belongs to the intermediary who is signed in, and an intermediary has no other kind of session.
  const session = found?.intermediary_id === (intermediary?.intermediary_id ?? null) ? found : undefined
  const wasSignedIn = found?.intermediary_id != null || (sessionToken(request, https) !== undefined && !signedIn)
  const chosen = findLanguage([url.searchParams.get('language') ?? ''])
  const kept = findLanguage([cookieOf(request, 'tributary-apply-language', https) ?? ''])
  const language =
    chosen ?? kept ?? findLanguage(acceptedLanguages(request.headers.get('accept-language'))) ?? defaultLanguage
  const key = applyKey(record.fields.address ?? '')
  if (intermediary !== undefined) key.actor = `intermediary:${intermediary.email}`
  const pageRequest = {
    deps,
    limits,
    request,
    url,
    params: {},
    form: new FormValues(),
    fileErrors: [],
    place,
    now,
    https,
    key,
    session,
    intermediary,
    hasEnded: token !== undefined && session === undefined,
    endedPath: wasSignedIn || intermediary !== undefined ? clientsPath : '/apply/-/return?ended=1',
    language,
    texts: languages[language]!,
    cookies: [],
  }
  if (chosen !== undefined) setLanguage(pageRequest, chosen)
  return pageRequest
}

/** The intermediary who is signed in; undefined for other people, and for an intermediary who must still set up a second factor. */
async function findIntermediary(deps: Deps, signedIn: Session): Promise<Intermediary | undefined> {
  if (signedIn.person.role !== 'INTERMEDIARY' || lacksSecondFactor(deps.config.secondFactor, signedIn)) return undefined
  const acting = await findActingIntermediary(deps.consoleDb, signedIn.person.person_id)
  return acting && { ...acting, signedIn }
}

/** Runs before any form is read. Throws Problem `forbidden` if it comes from another site, and `rate_limited` if its address sends too many. */
export async function admitForm(request: ApplyRequest): Promise<void> {
  requireOwnOrigin(request)
  await request.limits.count('forms', recordOf(request.request).origin.address)
}

/** Reads the form of a POST request. Throws Problem `forbidden` unless it came from a page of this session. */
export async function readApplyForm(pageRequest: ApplyRequest, inAnySession = false): Promise<void> {
  const { deps, request } = pageRequest
  const type = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new Problem('unsupported_media_type', { detail: 'Send the form as application/x-www-form-urlencoded.' })
  const body = await readBody(request, { bytesMax: deps.config.intakeBodyBytesMax, arrivalMs: bodyArrivalMs })
  const fields = [...readFields(body)]
  if (fields.length > fieldsMax)
    throw new Problem('too_large', { detail: `A form can have at most ${fieldsMax} fields.` })
  pageRequest.form = new FormValues(fields)
  acceptForm(pageRequest, inAnySession)
}

/** Throws Problem `forbidden` unless the form came from a page of this session, the applicant's or the intermediary's. */
export function requireFormOf(session: Pick<Session, 'csrf'>, { form }: ApplyRequest): void {
  if (!isCsrf(session, form.get('csrf') ?? null))
    throw new Problem('forbidden', {
      detail: 'This form belongs to an earlier session. Reload the page.',
      internal: 'csrf',
    })
}

/** Accepts the form and its choice of language. Throws Problem `forbidden` unless it came from a page of this session. */
export function acceptForm(request: ApplyRequest, inAnySession = false): void {
  const { session } = request
  if (session !== undefined && !inAnySession) requireFormOf(session, request)
  const language = findLanguage([request.form.get('language') ?? ''])
  if (language !== undefined) setLanguage(request, language)
}

/** The token in a form, different on each page. Empty without a session, when there is nothing to protect yet. */
export const csrfField = ({ session }: ApplyRequest): string => maskedToken(session?.csrf ?? '')

/** The session; if there is none, that of a new applicant with a new code. */
export async function requireSession(pageRequest: ApplyRequest): Promise<ApplySession> {
  if (pageRequest.session !== undefined) return pageRequest.session
  const { deps, limits, request, key, language, now } = pageRequest
  await limits.count('starts', recordOf(request).origin.address)
  const applicantId = await registerApplicant(deps.intakeDb, key, language)
  const token = await inTransaction(deps.db, tx => beginApplying(tx, deps.config, applicantId, now))
  return takeSession(pageRequest, token)
}

/** Makes the session of a new token the request's and the browser's. */
export async function takeSession(request: ApplyRequest, token: string): Promise<ApplySession> {
  const { deps, now } = request
  setCookie(request, 'tributary-apply', token)
  request.session = await loadApplySession(deps.db, deps.config, token, now)
  if (request.session === undefined) throw new Error('a session ended while it was being created')
  return request.session
}

export function setLanguage(request: ApplyRequest, language: string): void {
  request.language = language
  request.texts = languages[language]!
  setCookie(request, 'tributary-apply-language', language)
}

/** Sets a cookie until the browser is closed; with undefined, removes it. */
export function setCookie({ https, cookies }: ApplyRequest, name: CookieName, value: string | undefined): void {
  cookies.push(cookieField(name, value, https))
}

/** With 303, so that reloading the page does not send the form again. */
export function redirect(request: ApplyRequest, path: string): Response {
  const headers = new Headers({ Location: request.place.root + path, 'Cache-Control': 'no-store' })
  return withCookies(request, new Response(null, { status: 303, headers }))
}

export function withCookies({ cookies }: ApplyRequest, response: Response): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie)
  return response
}

/** The content of an applicants' page. */
export interface ApplicantPage {
  title: string
  body: VNode
  status?: number
  /** The ID of the form that is sent when the language is changed, so that nothing typed is lost. */
  form?: string
}
