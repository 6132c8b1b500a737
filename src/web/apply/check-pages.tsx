// The page to check all answers before submitting, and the confirmation afterwards.

/** @jsxImportSource preact */

import { Problem } from '../../base/problem.ts'
import { changeLanguage } from '../../core/intake/register-applicant.ts'
import { submitApplication } from '../../core/intake/submit.ts'
import type { LanguageOf } from '../../domain/languages/text-languages.ts'
import type { Submitter } from '../../domain/questions/application.ts'
import { recordOf } from '../http/server/request-record.ts'
import { Said, Unseen } from '../questions/field-parts.tsx'
import { type FilesInForm, filled } from '../questions/field-view.ts'
import { type FilledForm, type FormPlace, labelOf, messagesOf, openScreens } from '../questions/filled-form.ts'
import { answerLines } from './answer-lines.ts'
import { type ApplyRequest, redirect } from './apply-request.ts'
import { ErrorSummary, LinkLine, linkTo, Notice, PostForm, ProgramText, showApply } from './apply-shell.tsx'
import { filesInForm } from './form-files.ts'
import { digestOf, savedForm } from './form-steps.ts'
import { type ProgramInForm, programOf, type SavedForm, savedIn } from './program-in-form.ts'
import { CodeBox } from './return-pages.tsx'
import { pathOfScreen } from './screen-pages.tsx'
import { datesIn } from './texts-in-language.ts'

export async function getCheck(request: ApplyRequest): Promise<Response> {
  if (request.hasEnded) return redirect(request, request.endedPath)
  const program = await programOf(request)
  if (program.intake_state !== 'OPEN') return redirect(request, program.path)
  const saved = await savedIn(request, program)
  const { pages } = request.texts
  const form = savedForm(program.known.version, saved.answers)
  const files = await filesInForm(request, program, form.screens.flat())
  const body = <CheckPage request={request} program={program} saved={saved} form={form} nameOf={files?.nameOf} />
  return showApply(request, { title: `${pages.check} · ${program.name}`, body })
}

/** Identifies a submission by the checked answers and the time when they were saved. If it is sent twice, there is one application. */
const keyOf = ({ create_time, answers }: SavedForm): string => `${create_time ?? 'none'} ${digestOf(answers)}`

export async function postCheck(request: ApplyRequest): Promise<Response> {
  const program = await programOf(request)
  const { deps, session, key, limits, language } = request
  const checkPath = `${program.path}/check`
  if (session === undefined) return redirect(request, request.endedPath)
  await limits.countSubmission(program.program_id)
  const saved = await savedIn(request, program)
  const idempotency_key = request.form.get('key') ?? ''
  const isSent = saved.create_time === null
  // Answers saved in another window in between must be checked first.
  if (!isSent && idempotency_key !== keyOf(saved)) return redirect(request, `${checkPath}?changed=1`)
  // The language of the pages becomes that of the application.
  if (session.language !== language) await changeLanguage(deps.intakeDb, key, session.applicant_id, language)
  const { timeZone } = deps.config
  const { applicant_id } = session
  const submission = { program_id: program.program_id, applicant_id, key, submitter: submitterOf(request), timeZone }
  try {
    const { receipt } = await deps.submissions.run(program.program_id, () =>
      submitApplication(deps.intakeDb, {
        ...submission,
        // An organization that has just been disabled can't submit.
        intermediaries: 'listed',
        idempotency_key: `${applicant_id} ${session.intermediary_id ?? ''} ${idempotency_key}`.slice(0, 200),
      }),
    )
    recordOf(request.request).fields.application_id = receipt.application_id
    return redirect(request, `${program.path}/received`)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // Already submitted, from another window or by a reload.
    if (error.internal === 'nothing_saved') return redirect(request, `${program.path}/received`)
    if (error.internal === 'program_closed' || error.internal === 'intake_paused')
      return redirect(request, program.path)
    if (error.kind === 'invalid_request') return redirect(request, `${checkPath}?changed=1`)
    throw error
  }
}

const submitterOf = ({ intermediary }: ApplyRequest): Submitter =>
  intermediary === undefined
    ? { submitter_type: 'APPLICANT' }
    : {
        submitter_type: 'TRUSTED_INTERMEDIARY',
        ti_email: intermediary.email,
        ti_organization: intermediary.organization,
      }

interface CheckProps {
  request: ApplyRequest
  program: ProgramInForm
  saved: SavedForm
  form: FilledForm
  nameOf: FilesInForm['nameOf'] | undefined
}

function CheckPage({ request, program, saved, form, nameOf }: CheckProps) {
  const { pages, questions: words } = request.texts
  const missing = messagesOf(form, form.errors, words)
  const wrong = new Set(missing.map(({ place }) => place))
  const isEmpty = saved.answers.size === 0
  const { languageOf } = program
  const nameOfScreen = (screen: number) => program.known.version.screens[screen]!.name
  return (
    <>
      <p class="soft" dir="auto" lang={languageOf(program.name)}>
        {program.name}
      </p>
      {request.url.searchParams.has('changed') && <Notice name="changed">{pages.changed}</Notice>}
      {!isEmpty && (
        <ErrorSummary
          title={pages.missing}
          messages={missing}
          withLabels
          languageOf={languageOf}
          hrefOf={field => linkTo(request, pathOfField(program, form, field))}
        />
      )}
      <h1>{pages.check}</h1>
      <p class="soft">{pages.checkHint}</p>
      {openScreens(form).map(screen => (
        <section>
          <h2 dir="auto" lang={languageOf(nameOfScreen(screen))}>
            {nameOfScreen(screen)}
          </h2>
          <dl class="answers">
            {form.screens[screen]!.filter(({ asked }) => asked.type !== undefined).map(place => (
              <AnswerRow
                request={request}
                form={form}
                languageOf={languageOf}
                place={place}
                path={pathOfScreen(program, screen)}
                isWrong={wrong.has(place)}
                nameOf={nameOf}
              />
            ))}
          </dl>
        </section>
      ))}
      {isEmpty && <p>{pages.nothing}</p>}
      {!isEmpty && missing.length === 0 && (
        <PostForm request={request} path={`${program.path}/check`} class="actions">
          <input type="hidden" name="key" value={keyOf(saved)} autocomplete="off" />
          <button type="submit">{pages.submit}</button>
        </PostForm>
      )}
    </>
  )
}

/** The screen that contains a field, with the field as its fragment. */
function pathOfField(program: ProgramInForm, form: FilledForm, field: string): string {
  const screen = form.screens.findLastIndex(places =>
    places.some(({ formPath }) => `${field}/`.startsWith(`${formPath}/`)),
  )
  return `${pathOfScreen(program, Math.max(0, screen))}?check=1#${field}`
}

interface RowProps extends Pick<CheckProps, 'request' | 'form' | 'nameOf'> {
  place: FormPlace
  languageOf: LanguageOf
  path: string
  isWrong: boolean
}

function AnswerRow({ request, form, place, languageOf, path, isWrong, nameOf }: RowProps) {
  const { pages, questions: words } = request.texts
  const label = labelOf(place, form.values, words)
  const language = languageOf(place.asked.question.settings.text)
  const lines = answerLines(place, form.answers, { language: request.language, nameOf })
  return (
    <div class={isWrong ? 'wrong' : undefined} data-answer={place.path}>
      <dt dir="auto">
        <Said text={label} language={language} />
      </dt>
      <dd>
        {lines.length === 0 && <span class="soft">{pages.unanswered}</span>}
        {lines.map(line => (
          <p dir="auto" lang={languageOf(line)}>
            {line}
          </p>
        ))}
      </dd>
      <dd class="change">
        <a class="change-link" href={`${linkTo(request, path)}?check=1#${place.formPath}`}>
          {lines.length === 0 ? pages.answerNow : pages.change}
          <Unseen text={<Said text={label} language={language} />} />
        </a>
      </dd>
    </div>
  )
}

export async function getReceived(request: ApplyRequest): Promise<Response> {
  const program = await programOf(request)
  const { session, texts, language, deps } = request
  const { pages } = texts
  const { languageOf } = program
  const { last } = await savedIn(request, program)
  if (session === undefined || last === undefined)
    return redirect(request, request.hasEnded ? request.endedPath : program.path)
  const when = datesIn(language, deps.config.timeZone, 'short').format(last.submit_time / 1000)
  const body = (
    <>
      <div class="received">
        <h1>{pages.received}</h1>
        <p dir="auto" lang={languageOf(program.name)}>
          {program.name}
        </p>
        <p>
          <b data-application={last.application_id}>{filled(pages.number, { number: last.application_id })}</b> · {when}
        </p>
      </div>
      <h2>{pages.whatNext}</h2>
      <ProgramText text={program.confirmation ?? pages.whatNextText} languageOf={languageOf} />
      <CodeBox request={request} session={session} />
      <LinkLine request={request} path="/apply" text={pages.other} />
    </>
  )
  return showApply(request, { title: pages.received, body })
}
