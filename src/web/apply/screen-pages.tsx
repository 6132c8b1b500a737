// One screen of a form: its questions, errors in the answers, and where its buttons lead. Each step is saved by intake.

/** @jsxImportSource preact */

import { Problem } from '../../base/problem.ts'
import { saveAnswers } from '../../core/intake/save-answers.ts'
import type { Json } from '../../domain/values/json-text.ts'
import { Said } from '../questions/field-parts.tsx'
import { type FilesInForm, filled } from '../questions/field-view.ts'
import { type FieldMessage, type FilledForm, fillForm, messagesOf, openScreens } from '../questions/filled-form.ts'
import { ScreenQuestions } from '../questions/screen-questions.tsx'
import { type ApplyRequest, redirect, requireSession } from './apply-request.ts'
import { ErrorSummary, Notice, PostForm, ProgramText, showApply } from './apply-shell.tsx'
import { filesInForm, withOwnFiles } from './form-files.ts'
import { baseOf, putTogether, savedForm, topKeys } from './form-steps.ts'
import { type ProgramInForm, programOf, type SavedForm, savedIn } from './program-in-form.ts'
import { showReturn } from './return-form.tsx'

/** A screen for display. */
interface ShownScreen {
  program: ProgramInForm
  saved: SavedForm
  form: FilledForm
  /** Its index. */
  screen: number
  messages?: readonly FieldMessage[]
  notice?: 'more' | 'changed' | undefined
}

export const pathOfScreen = ({ path }: ProgramInForm, screen: number): string => `${path}/screens/${screen + 1}`

/** `?check`: opened from the page for checking answers, and returns to it. */
const fromCheck = ({ url }: ApplyRequest): string => (url.searchParams.has('check') ? '?check=1' : '')

export async function getScreen(request: ApplyRequest): Promise<Response> {
  if (request.hasEnded) return redirect(request, request.endedPath)
  const program = await programOf(request)
  if (program.intake_state !== 'OPEN') return redirect(request, program.path)
  const saved = await savedIn(request, program)
  const form = savedForm(program.known.version, saved.answers)
  const screen = Number(request.params.screen) - 1
  const open = openScreens(form)
  if (!open.includes(screen))
    return redirect(request, open[0] === undefined ? `${program.path}/check` : pathOfScreen(program, open[0]))
  const { searchParams } = request.url
  const notice = searchParams.has('changed') ? 'changed' : searchParams.has('more') ? 'more' : undefined
  return showScreen(request, { program, saved, form, screen, notice })
}

export async function postScreen(request: ApplyRequest): Promise<Response> {
  const program = await programOf(request)
  const { texts } = request
  const { version } = program.known
  const screen = Number(request.params.screen) - 1
  // If the session has ended, the input is kept until the code is entered.
  if (request.session === undefined && request.form.get('csrf'))
    return showReturn(request, { kept: pathOfScreen(program, screen) })
  const saved = await savedIn(request, program)
  const before = savedForm(version, saved.answers)
  const sent = await withOwnFiles(request, program, before.values)
  const here = `${pathOfScreen(program, screen)}?changed=1`
  if (sent.get('base') !== baseOf(program, saved)) return redirect(request, here)
  const shown = new Set((sent.get('shown') ?? '').split(' '))
  const values = putTogether(before.values, { shown, values: sent }, sent.get('remove'))
  const [add, go] = [sent.get('add'), sent.get('go')]
  if (add !== undefined) values.add('add', add)
  const form = fillForm(version, values)
  const asked = form.screens[screen] ?? []
  const places = asked.filter(({ formPath }) => shown.has(formPath))
  const errors = go === undefined ? [] : go === 'back' ? form.faults : form.errors
  const messages = messagesOf(form, [...request.fileErrors, ...errors], texts.questions, places)
  if (go === undefined || messages.length > 0) return showScreen(request, { program, saved, form, screen, messages })
  if (!(await save(request, { program, saved, form }, shown))) return redirect(request, here)
  return redirect(
    request,
    await nextPath(request, program, form, { screen, back: go === 'back', unseen: asked.length > places.length }),
  )
}

/** Saves the answers to the questions that were shown. False if intake rejects them, for example after another publication or a submission. */
async function save(
  request: ApplyRequest,
  { program, saved, form: { answers } }: Pick<ShownScreen, 'program' | 'saved' | 'form'>,
  shown: ReadonlySet<string>,
): Promise<boolean> {
  const { deps } = request
  const sent = new Map<string, Json>(
    topKeys(shown).flatMap(key => (answers.has(key) ? [[key, answers.get(key)!]] : [])),
  )
  // Nobody is registered before answering something.
  if (request.session === undefined && !isAnswered([...sent.values()])) return true
  const { program_id } = program
  const step = {
    program_id,
    front_end: request.key.front_end,
    answers: sent,
    answersBytesMax: deps.config.intakeBodyBytesMax,
    lastApplicationId: saved.last?.application_id ?? null,
  }
  try {
    await deps.saves.run(program_id, async () => {
      // Only when it is this form's turn: if the session started in a rejected request, the page would be rejected when it is sent again.
      const { applicant_id } = await requireSession(request)
      await saveAnswers(deps.intakeDb, { ...step, applicant_id })
    })
    return true
  } catch (error) {
    if (error instanceof Problem && ['invalid_request', 'conflict'].includes(error.kind)) return false
    throw error
  }
}

/** Whether these answers contain anything but nulls and empty lists. */
const isAnswered = (json: Json): boolean =>
  json instanceof Map
    ? [...json].some(([name, value]) => name !== 'country' && isAnswered(value))
    : Array.isArray(json)
      ? json.some(isAnswered)
      : json !== null

async function nextPath(
  request: ApplyRequest,
  program: ProgramInForm,
  form: FilledForm,
  { screen, back, unseen }: { screen: number; back: boolean; unseen: boolean },
): Promise<string> {
  const suffix = fromCheck(request)
  const open = openScreens(form)
  const [previous, next] = [open.findLast(value => value < screen), open.find(value => value > screen)]
  const path = back
    ? previous === undefined
      ? program.path
      : pathOfScreen(program, previous)
    : unseen
      ? `${pathOfScreen(program, screen)}?more=1${suffix.replace('?', '&')}`
      : next === undefined || suffix !== ''
        ? `${program.path}/check`
        : pathOfScreen(program, next)
  const isNew = request.session !== undefined && !request.session.codeShown
  return isNew && !back ? `/apply/-/code?next=${encodeURIComponent(path)}` : path
}

async function showScreen(request: ApplyRequest, shown: ShownScreen): Promise<Response> {
  const { program, form, screen, messages = [] } = shown
  const files = await filesInForm(request, program, form.screens[screen] ?? [])
  const title = `${program.known.version.screens[screen]!.name} · ${program.name}`
  const status = messages.length > 0 ? 400 : 200
  const body = <ScreenPage request={request} {...shown} files={files} />
  return showApply(request, { title, body, status, form: form.screens[screen] && 'answers' })
}

function ScreenPage(props: ShownScreen & { request: ApplyRequest; files: FilesInForm | undefined }) {
  const { request, program, saved, form, screen, messages = [], notice, files } = props
  const { version } = program.known
  const { pages, questions: words } = request.texts
  const { name, description } = version.screens[screen]!
  const { languageOf } = program
  const open = openScreens(form)
  const places = form.screens[screen]!
  const formPaths = places.map(({ formPath }) => formPath)
  const step = open.indexOf(screen) + 1
  const isLive = version.screens[screen]!.questions.some(({ visible_when }) => visible_when !== null)
  const errors = new Map(messages.map(({ field, message }) => [field, message]))
  const view = { values: form.values, errors, words, files, languageOf }
  return (
    <>
      <p class="soft" dir="auto">
        <Said text={program.name} language={languageOf(program.name)} /> ·{' '}
        {filled(pages.step, { step, steps: open.length })}
      </p>
      <progress value={step} max={open.length} aria-hidden="true" />
      <ErrorSummary title={pages.problem} messages={messages} withLabels={places.length > 1} languageOf={languageOf} />
      {notice !== undefined && <Notice name={notice}>{pages[notice]}</Notice>}
      <h1 dir="auto" lang={languageOf(name)}>
        {name}
      </h1>
      <ProgramText text={description} languageOf={languageOf} />
      <PostForm
        request={request}
        path={pathOfScreen(program, screen) + fromCheck(request)}
        id="answers"
        noValidate
        encType={files?.isOn === true ? 'multipart/form-data' : undefined}
      >
        <div id="kept">
          <input type="hidden" name="base" value={baseOf(program, saved)} autocomplete="off" />
          <input type="hidden" name="shown" value={formPaths.join(' ')} autocomplete="off" />
        </div>
        <ScreenQuestions view={view} places={places} isLive={isLive} />
        <div class="actions">
          <button type="submit" name="go" value="next">
            {pages.next}
          </button>
          <button type="submit" class="quiet" name="go" value="back">
            {pages.back}
          </button>
        </div>
      </PostForm>
    </>
  )
}
