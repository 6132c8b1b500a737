// One screen of a form: its questions, errors in the answers, and where its buttons lead. Each step is saved by intake.

/** @jsxImportSource preact */

import { Problem } from '../../base/problem.ts'
import { saveAnswers } from '../../core/intake/save-answers.ts'
import type { Json } from '../../domain/values/json-text.ts'
import { type FieldView, type FilesInForm, filled } from '../questions/field-view.ts'
import {
  type FieldMessage,
  type FilledForm,
  type FormPlace,
  fillForm,
  labelOf,
  messagesOf,
  openScreens,
} from '../questions/filled-form.ts'
import { QuestionFields } from '../questions/question-fields.tsx'
import { type ApplyRequest, csrfField, redirect, requireSession } from './apply-request.ts'
import { ErrorSummary, linkTo, showApply } from './apply-shell.tsx'
import { filesInForm, withOwnFiles } from './form-files.ts'
import { listsOf, putTogether, savedForm, topKeys } from './form-steps.ts'
import { type ProgramInForm, programOf, type SavedForm, savedIn } from './program-in-form.ts'
import { showReturn } from './return-form.tsx'

/** A screen as it is shown. */
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

/** `?check`: came from the page of answers, and goes back there. */
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
  if (sent.get('lists') !== listsOf(saved.answers)) return redirect(request, here)
  if (sent.get('version') !== String(version.program_version_id)) return redirect(request, here)
  const shown = new Set((sent.get('shown') ?? '').split(' '))
  const values = putTogether(before.values, { shown, values: sent }, sent.get('remove'))
  const [add, go] = [sent.get('add'), sent.get('go')]
  if (add !== undefined) values.add('add', add)
  const form = fillForm(version, values)
  const asked = form.screens[screen] ?? []
  const places = asked.filter(({ formPath }) => shown.has(formPath))
  const errors = go === undefined ? [] : go === 'back' ? form.faults : form.errors
  const messages = messagesOf(form, [...request.fileErrors, ...errors], texts.questions, places)
  if (go === undefined) return showScreen(request, { program, saved, form, screen, messages })
  if (messages.length > 0) return showScreen(request, { program, saved, form, screen, messages })
  if (!(await save(request, program, form, shown))) return redirect(request, here)
  return redirect(
    request,
    await nextPath(request, program, form, { screen, back: go === 'back', unseen: asked.length > places.length }),
  )
}

/** Saves the answers to what was shown. False when intake refuses them, as after another publication. */
async function save(
  request: ApplyRequest,
  { program_id }: ProgramInForm,
  { answers }: FilledForm,
  shown: ReadonlySet<string>,
): Promise<boolean> {
  const { deps } = request
  const sent = new Map<string, Json>(
    topKeys(shown).flatMap(key => (answers.has(key) ? [[key, answers.get(key)!]] : [])),
  )
  // Nobody is registered before something is answered.
  if (request.session === undefined && !isAnswered([...sent.values()])) return true
  const { front_end } = request.key
  const answersBytesMax = deps.config.intakeBodyBytesMax
  try {
    await deps.saves.run(program_id, async () => {
      // Not before it is this form's turn: with a session that began in a refused request, the page would be refused when it is sent again.
      const { applicant_id } = await requireSession(request)
      await saveAnswers(deps.intakeDb, { program_id, applicant_id, front_end, answers: sent, answersBytesMax })
    })
    return true
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid_request') return false
    throw error
  }
}

/** Whether anything is in these answers but nulls and empty lists. */
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
  const { description } = version.screens[screen]!
  const open = openScreens(form)
  const places = form.screens[screen]!
  const step = open.indexOf(screen) + 1
  const isLive = version.screens[screen]!.questions.some(({ visible_when }) => visible_when !== null)
  const errors = new Map(messages.map(({ field, message }) => [field, message]))
  const view = { values: form.values, errors, words, files }
  return (
    <>
      <p class="soft" dir="auto">
        {program.name} · {filled(pages.step, { step, steps: open.length })}
      </p>
      <progress value={step} max={open.length} aria-hidden="true" />
      <ErrorSummary title={pages.problem} messages={messages} withLabels={places.length > 1} />
      {notice !== undefined && (
        <p class="notice" role="status" data-notice={notice}>
          {pages[notice]}
        </p>
      )}
      <h1 dir="auto">{version.screens[screen]!.name}</h1>
      {description !== undefined && (
        <p class="static" dir="auto">
          {description}
        </p>
      )}
      <form
        id="answers"
        method="post"
        action={linkTo(request, pathOfScreen(program, screen)) + fromCheck(request)}
        noValidate
        encType={files?.isOn === true ? 'multipart/form-data' : undefined}
        data-live={isLive || undefined}
      >
        <input type="hidden" name="csrf" value={csrfField(request)} autocomplete="off" />
        <input type="hidden" name="version" value={String(version.program_version_id)} autocomplete="off" />
        <input type="hidden" name="lists" value={listsOf(saved.answers)} autocomplete="off" />
        <input type="hidden" name="shown" value={places.map(({ formPath }) => formPath).join(' ')} autocomplete="off" />
        <Questions view={view} form={form} places={places} />
        <div class="actions">
          <button type="submit" name="go" value="next">
            {pages.next}
          </button>
          <button type="submit" class="quiet" name="go" value="back">
            {pages.back}
          </button>
        </div>
      </form>
    </>
  )
}

function Questions({ view, form, places }: { view: FieldView; form: FilledForm; places: readonly FormPlace[] }) {
  return (
    <div id="questions">
      {places.map(place => (
        <div data-place={place.formPath}>
          <QuestionFields
            view={view}
            kind={place.asked.question.kind}
            settings={place.asked.question.settings}
            optional={place.asked.optional}
            path={place.formPath}
            label={labelOf(place, form.values, view.words)}
          />
        </div>
      ))}
    </div>
  )
}
