// Pages for returning: an applicant's code, the form to enter it, their applications, and signing out.

/** @jsxImportSource preact */

import { type ApplySession, endApplySession, replaceCode, returnWithCode } from '../../core/apply/apply-sessions.ts'
import { actorOfKey } from '../../core/intake/register-applicant.ts'
import { endSession } from '../../core/people/sessions.ts'
import {
  readProgramsInProgress,
  readTheirApplications,
  type TheirApplication,
  updateCodeShown,
} from '../../db/apply/apply-rows.ts'
import { readPrograms } from '../../db/programs/programs.ts'
import { recordOf } from '../http/server/request-record.ts'
import { filled } from '../questions/field-view.ts'
import { type ApplyRequest, clientsPath, redirect, setCookie, takeSession } from './apply-request.ts'
import { LinkLine, linkTo, PostForm, showApply } from './apply-shell.tsx'
import { keptScreen, showReturn } from './return-form.tsx'
import { postScreen } from './screen-pages.tsx'
import { datesIn, type ProgramTexts, readProgramTexts } from './texts-in-language.ts'

/** The code, with a link that contains it after `#`, which reaches no server and no log. */
export function CodeBox({ request, session }: { request: ApplyRequest; session: ApplySession }) {
  if (session.code === '') return null
  const { pages } = request.texts
  const link = `${request.place.baseUrl}/apply/-/return#${session.code}`
  return (
    <section class="card">
      <h2>{request.intermediary === undefined ? pages.code : pages.clientCode}</h2>
      <p class="code large">
        {/* With an explicit direction: in right-to-left text, groups of digits would change places. */}
        <bdi id="code">{session.code}</bdi>
      </p>
      <p class="soft">{request.intermediary === undefined ? pages.codeHint : pages.clientCodeHint}</p>
      <p>
        {pages.codeLink} <a href={link}>{link}</a>
      </p>
      {/* A script shows these buttons if they work in the browser. */}
      <p class="actions" id="code-actions" hidden>
        <button type="button" class="plain" data-do="print">
          {pages.print}
        </button>
        <button type="button" class="plain" data-do="copy" data-done={pages.copied}>
          {pages.copy}
        </button>
      </p>
    </section>
  )
}

export async function getCode(request: ApplyRequest): Promise<Response> {
  const { session, deps, texts, url } = request
  if (session === undefined) return redirect(request, request.hasEnded ? request.endedPath : '/apply')
  if (session.code === '') return redirect(request, '/apply/-/applications')
  if (request.request.method !== 'HEAD') await updateCodeShown(deps.db, session.tokenHash)
  const { pages } = texts
  const next = url.searchParams.get('next') ?? ''
  const title = request.intermediary === undefined ? pages.codeTitle : pages.clientAdded
  const body = (
    <>
      <h1>{title}</h1>
      <CodeBox request={request} session={session} />
      <p>
        <a class="button" href={linkTo(request, isOwnPath.test(next) ? next : '/apply/-/applications')}>
          {pages.next}
        </a>
      </p>
      <NewCode request={request} />
    </>
  )
  return showApply(request, { title, body })
}

/** Replaces the code, because somebody else has seen it or an intermediary's client has lost it. */
const NewCode = ({ request }: { request: ApplyRequest }) => (
  <PostForm request={request} path="/apply/-/code">
    <p class="soft">{request.texts.pages.newCodeHint}</p>
    <button type="submit" class="plain">
      {request.texts.pages.newCode}
    </button>
  </PostForm>
)

/** The session continues, so that a form that is sent twice doesn't lock anyone out. */
export async function postCode(request: ApplyRequest): Promise<Response> {
  const { session, deps, key, now } = request
  if (session === undefined) return redirect(request, request.endedPath)
  const { applicant_id, intermediary_id } = session
  const by = { actor: actorOfKey(key), address: key.address }
  await replaceCode(deps.db, deps.config, { applicant_id, intermediary_id, session }, by, now)
  return redirect(request, '/apply/-/code')
}

const isOwnPath = /^\/apply\/[a-z0-9-]{1,100}(?:\/(?:check|screens\/\d{1,4}(?:\?[a-z0-9=&]{1,40})?))?$/

/** An intermediary opens clients by their names. */
export const getReturn = async (request: ApplyRequest): Promise<Response> =>
  request.intermediary === undefined ? showReturn(request, {}) : redirect(request, clientsPath)

export async function postReturn(request: ApplyRequest): Promise<Response> {
  const { deps, form, limits, now, session, texts, intermediary } = request
  if (intermediary !== undefined) return redirect(request, clientsPath)
  const { address } = recordOf(request.request).origin
  const kept = form.get('kept')
  const refuse = (reason: string, message: string, status: number): Response => {
    recordOf(request.request).fields.reason = reason
    return showReturn(request, { message, status, kept })
  }
  const counted = await limits.countCode(address)
  // At least two, because the texts have no singular form.
  const minutes = Math.max(2, Math.ceil(counted.seconds / 60))
  if (counted.isOver) {
    const page = refuse('codes_throttled', filled(texts.pages.returnTooMany, { minutes }), 429)
    page.headers.set('Retry-After', String(counted.seconds))
    return page
  }
  const token = await returnWithCode(deps.db, deps.config, form.get('code') ?? '', now).catch(async error => {
    // An error of the database doesn't make the code wrong.
    await limits.takeBackCode(address)
    throw error
  })
  if (token === undefined)
    return refuse('wrong_code', filled(texts.pages.returnWrong, { days: deps.config.applyCodeDays }), 400)
  await limits.takeBackCode(address)
  if (session !== undefined) await endApplySession(deps.db, session)
  await takeSession(request, token)
  const screen = keptScreen(request)
  if (screen === undefined) return redirect(request, '/apply/-/applications')
  const { slug, form: typed } = screen
  return postScreen({ ...request, params: { slug, screen: screen.screen }, form: typed })
}

/** Maximum number of applications listed. */
const rowsMax = 200

export async function getApplications(request: ApplyRequest): Promise<Response> {
  const { session, deps, texts, language } = request
  if (session === undefined) return redirect(request, request.hasEnded ? request.endedPath : '/apply/-/return')
  const { pages } = texts
  const { applicant_id } = session
  const programs = new Map((await readPrograms(deps.db)).map(program => [program.program_id, program]))
  const names = await readProgramTexts(request)
  const applications = await readTheirApplications(deps.intakeDb, applicant_id, rowsMax)
  const started = await readProgramsInProgress(deps.intakeDb, applicant_id)
  const day = datesIn(language, deps.config.timeZone)
  const current = new Set(started)
  const title = request.intermediary === undefined ? pages.mine : pages.theirs
  const statusOf = ({ program_id, status, is_current }: TheirApplication) =>
    is_current ? (names.get(program_id)?.statuses.get(status ?? '') ?? status ?? pages.statusNone) : pages.replaced
  const body = (
    <>
      <h1>{title}</h1>
      {applications.length + started.length === 0 && <p>{pages.noApplications}</p>}
      <ul class="programs">
        {started.map(id => (
          <li class="card">
            <ProgramHeading texts={names.get(id)} />
            <p>{pages.started}</p>
            <a class="button" href={linkTo(request, `/apply/${programs.get(id)?.slug}`)}>
              {pages.resume}
            </a>
          </li>
        ))}
        {applications.map(application => {
          const { program_id, application_id, submit_time, is_current } = application
          const program = programs.get(program_id)
          return (
            <li class="card" data-application={application_id}>
              <ProgramHeading texts={names.get(program_id)} />
              <p>
                {filled(pages.number, { number: application_id })} · {day.format(submit_time / 1000)}
              </p>
              <p>
                <b dir="auto" lang={names.get(program_id)?.languageOf(statusOf(application))}>
                  {statusOf(application)}
                </b>
              </p>
              {is_current && !current.has(program_id) && program?.intake_state === 'OPEN' && (
                <a href={linkTo(request, `/apply/${program.slug}`)}>{pages.again}</a>
              )}
            </li>
          )
        })}
      </ul>
      <LinkLine request={request} path="/apply" text={pages.other} />
      {request.intermediary !== undefined && <NewCode request={request} />}
    </>
  )
  return showApply(request, { title, body })
}

const ProgramHeading = ({ texts }: { texts: ProgramTexts | undefined }) => (
  <h2 dir="auto" lang={texts?.languageOf(texts.name)}>
    {texts?.name}
  </h2>
)

/** Ends the session here, and signs an intermediary out. Saved answers remain available with the code and to the organization. */
export async function postFinish(request: ApplyRequest): Promise<Response> {
  if (request.session !== undefined) await endApplySession(request.deps.db, request.session)
  const { deps, intermediary } = request
  if (intermediary !== undefined) {
    const { address } = request.key
    await endSession(deps.consoleDb, intermediary.signedIn, address, { everywhere: false, tokens: false })
    setCookie(request, 'tributary', undefined)
  }
  setCookie(request, 'tributary-apply', undefined)
  return redirect(request, '/apply?finished=1')
}
