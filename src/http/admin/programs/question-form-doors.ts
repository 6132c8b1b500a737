// Editing a draft as a form. Each deed changes the stored document and saves it as a whole, by the same use case as a document.

import { actorOf } from '../../../access/roles.ts'
import { findBankEntryByName, readBankPage } from '../../../db/program-overviews.ts'
import {
  addQuestion,
  addScreen,
  changeQuestion,
  changeScreen,
  moveQuestion,
  moveScreen,
  placeOf,
  removeQuestion,
  removeScreen,
} from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { diffDefinitions } from '../../../domain/definitions/version-diff.ts'
import { questionKinds } from '../../../domain/questions/question.ts'
import { Problem, type ProblemItem } from '../../../problem.ts'
import { saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/parts.tsx'
import { htmlResponse } from '../../shell/shell.tsx'
import { type ConsoleDoor, redirect, type Visit } from '../console-doors.ts'
import { AddQuestionPage } from './add-question-page.tsx'
import type { DraftFormProps, EditedElsewhere } from './draft-form.tsx'
import { basisOf, editOptions, RefusalNotice } from './edit-refusals.tsx'
import { isOvertaken, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { ProgramSettingsPage, ScreenPage } from './program-settings-pages.tsx'
import { QuestionFormPage } from './question-form-pages.tsx'
import { QuestionsPage } from './questions-pages.tsx'
import { faultsOfForm, faultsOfScreen, hasSetting, readCondition, readQuestionForm } from './read-question-form.ts'

/** Why an edit was not saved: its faults, or that the stored document is another than the form was made from. */
type Outcome =
  | { saved: true }
  | { saved: false; status: 400; faults: readonly ProblemItem[] }
  | { saved: false; status: 409; faults: readonly ProblemItem[] }

export function questionFormDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const load = (visit: Visit): Promise<ProgramInView> => loadProgramInView(db, visit.person, visit.params.slug!)

  /** Saves the edited document as the draft, if what is stored is still what the form was made from. */
  const save = async (visit: Visit, view: ProgramInView, edited: ProgramDefinition): Promise<Outcome> => {
    const based_on = view.current.program_version_id
    if (basisOf(visit.form) !== based_on) return { saved: false, status: 409, faults: [] }
    try {
      // A member that is undefined is one that is left out, as in the text of a document.
      const document = JSON.parse(JSON.stringify({ ...edited, ...keeping(visit, view) })) as unknown
      const over = keeping(visit, view).based_on === based_on ? undefined : based_on
      await saveDraft(db, document, actorOf(visit.person), { ...editOptions(visit, config), over })
      return { saved: true }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict') return { saved: false, status: 409, faults: error.errors }
      if (error.kind !== 'invalid_request') throw error
      return { saved: false, status: 400, faults: error.errors }
    }
  }

  /** What the saved document is based on: the page's own, or what was published after the draft was begun, if it is to stay over that. */
  const keeping = ({ form }: Visit, view: ProgramInView): { based_on: number | null } => {
    const { active, draft, current } = view
    const both = `${active?.program_version_id}-${draft?.program_version_id}`
    return isOvertaken(view) && form.get('keep') === both
      ? { based_on: active?.program_version_id ?? null }
      : { based_on: current.program_version_id }
  }

  const back = (visit: Visit, done = 'saved', screen?: number): Response =>
    redirect(
      visit,
      `/admin/programs/${visit.params.slug}/questions?done=${done}${screen === undefined ? '' : `#screen-${screen}`}`,
    )

  const elsewhere = (view: ProgramInView, edited: ProgramDefinition): EditedElsewhere => ({
    differences: diffDefinitions(describeVersion(view.current), edited),
  })

  /** The list of questions, with why a deed there was not done. */
  const list = async (visit: Visit, { status, faults }: Exclude<Outcome, { saved: true }>): Promise<Response> => {
    const { context, now } = visit
    const view = await load(visit)
    const refused = RefusalNotice({ status, faults })
    return htmlResponse(
      QuestionsPage({ context, now, program: view.program, view, search: '', done: null, refused }),
      status,
    )
  }

  const questionPage = async (
    visit: Visit,
    name: string,
    shown: { form?: FormState; conflict?: EditedElsewhere } = {},
    status = 200,
  ): Promise<Response> => {
    const { context, now } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const question = definition.questions.find(({ admin_name }) => admin_name === name)
    if (question === undefined) throw noQuestion()
    const bank = await findBankEntryByName(db, name)
    const { form = emptyForm, conflict } = shown
    return htmlResponse(
      QuestionFormPage({ context, now, program: view.program, view, form, definition, conflict, question, bank }),
      status,
    )
  }

  const saveQuestion = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const before = definition.questions.find(({ admin_name }) => admin_name === name)
    if (before === undefined) throw noQuestion()
    if (form.get('deed') === 'remove') {
      const outcome = await save(visit, view, removeQuestion(definition, name))
      return outcome.saved ? back(visit, 'removed') : list(visit, outcome)
    }
    const { admin_name, kind, enumerator } = before
    const sent = readQuestionForm(form, { admin_name, kind, enumerator }, before, definition)
    if (sent.faults.length > 0) return questionPage(visit, name, { form: { values: form, faults: sent.faults } }, 400)
    const edited = changeQuestion(definition, sent.question, sent.asking)
    const outcome = await save(visit, view, edited)
    if (outcome.saved) return back(visit, 'saved', sent.asking.screen)
    if (outcome.status === 409)
      return questionPage(visit, name, { form: { values: form, faults: [] }, conflict: elsewhere(view, edited) }, 409)
    const faults = faultsOfForm(outcome.faults, edited, name, sent)
    return questionPage(visit, name, { form: { values: form, faults } }, 400)
  }

  const moveOne = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const view = await load(visit)
    const definition = describeVersion(view.current)
    if (placeOf(definition, name) === undefined) throw noQuestion()
    const edited = moveQuestion(definition, name, form.get('to') === 'up' ? -1 : 1)
    const outcome = await save(visit, view, edited)
    return outcome.saved ? back(visit, 'saved', placeOf(edited, name)!.screen) : list(visit, outcome)
  }

  const addPage = async (
    visit: Visit,
    shown: { form?: FormState; conflict?: EditedElsewhere } = {},
    status = 200,
  ): Promise<Response> => {
    const { context, now, url } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const search = (url.searchParams.get('q') ?? '').slice(0, 200)
    const asked = new Set(definition.questions.map(({ admin_name }) => admin_name))
    const found = await readBankPage(db, { search, after: '', rowsMax: asked.size + 20 })
    const banked = found.filter(({ admin_name }) => !asked.has(admin_name)).slice(0, 20)
    const { form = emptyForm, conflict } = shown
    const page = { context, now, program: view.program, view, form, definition, conflict, banked, search }
    return htmlResponse(AddQuestionPage(page), status)
  }

  const add = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const banked = form.get('banked')
    const sent = readQuestionForm(form, newBase(form), undefined, definition)
    if (sent.faults.length > 0) return addPage(visit, { form: { values: form, faults: sent.faults } }, 400)
    if (hasSetting(sent.question.kind, 'options')) sent.question.options = optionLines(form.get('options') ?? '')
    const edited = addQuestion(definition, banked ?? sent.question, sent.asking)
    const outcome = await save(visit, view, edited)
    if (outcome.saved) return back(visit, 'saved', sent.asking.screen)
    if (outcome.status === 409)
      return addPage(visit, { form: { values: form, faults: [] }, conflict: elsewhere(view, edited) }, 409)
    const name = banked ?? sent.question.admin_name
    const faults = faultsOfForm(outcome.faults, edited, name, sent).map(fault => ({
      ...fault,
      parameter: fault.parameter!.startsWith('option') ? 'options' : fault.parameter!,
    }))
    return addPage(visit, { form: { values: form, faults } }, 400)
  }

  const screens = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const index = indexOf(form.get('index'))
    const deed = form.get('deed') ?? ''
    if (deed !== 'add' && definition.screens[index] === undefined) throw noScreen()
    const name = (form.get('screen_name') ?? '').trim()
    const edits: Readonly<Record<string, () => ProgramDefinition>> = {
      add: () => addScreen(definition, name),
      rename: () => changeScreen(definition, index, { name }),
      up: () => moveScreen(definition, index, -1),
      down: () => moveScreen(definition, index, 1),
      remove: () => removeScreen(definition, index),
    }
    const edit = Object.hasOwn(edits, deed) ? edits[deed] : undefined
    if (edit === undefined)
      throw new Problem('not_found', { detail: 'There is nothing of this name to do with a screen.' })
    const outcome = await save(visit, view, edit())
    return outcome.saved ? back(visit) : list(visit, outcome)
  }

  const indexOf = (text: string | null): number => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : -1)

  const screenPage = async (
    visit: Visit,
    index: number,
    shown: { form?: FormState; conflict?: EditedElsewhere } = {},
    status = 200,
  ): Promise<Response> => {
    const { context, now } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    if (definition.screens[index] === undefined) throw noScreen()
    const { form = emptyForm, conflict } = shown
    const page = { context, now, program: view.program, view, definition, form, conflict, index }
    return htmlResponse(ScreenPage(page), status)
  }

  const saveScreen = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const index = indexOf(form.get('index'))
    const view = await load(visit)
    const definition = describeVersion(view.current)
    if (definition.screens[index] === undefined) throw noScreen()
    const when = readCondition(form, definition)
    const shown = (faults: readonly ProblemItem[]) => screenPage(visit, index, { form: { values: form, faults } }, 400)
    if (when.faults.length > 0) return shown(when.faults)
    const name = (form.get('name') ?? '').trim()
    const edited = changeScreen(definition, index, { name, visible_when: when.condition })
    const outcome = await save(visit, view, edited)
    if (outcome.saved) return back(visit, 'saved', index)
    if (outcome.status === 400) return shown(faultsOfScreen(outcome.faults, edited, index, when.rows))
    const conflict = elsewhere(view, edited)
    return screenPage(visit, index, { form: { values: form, faults: [] }, conflict }, 409)
  }

  const settingsPage = async (
    visit: Visit,
    shown: { form?: FormState; conflict?: EditedElsewhere } = {},
    status = 200,
  ): Promise<Response> => {
    const { context, now } = visit
    const view = await load(visit)
    const definition = describeVersion(view.current)
    const page: DraftFormProps = {
      context,
      now,
      program: view.program,
      view,
      definition,
      form: shown.form ?? emptyForm,
      conflict: shown.conflict,
    }
    return htmlResponse(ProgramSettingsPage(page), status)
  }

  const saveSettings = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const view = await load(visit)
    const edited = {
      ...describeVersion(view.current),
      display_name: (form.get('display_name') ?? '').trim(),
      statuses: lines(form.get('statuses') ?? ''),
    }
    const outcome = await save(visit, view, edited)
    if (outcome.saved) return back(visit)
    if (outcome.status === 409)
      return settingsPage(visit, { form: { values: form, faults: [] }, conflict: elsewhere(view, edited) }, 409)
    const faults = outcome.faults.map(({ path = '', code, detail }) => ({
      parameter: path.split('/')[1] ?? 'content',
      code,
      detail,
    }))
    return settingsPage(visit, { form: { values: form, faults } }, 400)
  }

  const one = '/admin/programs/:slug'
  const roles = ['ADMINISTRATOR'] as const
  const named = (visit: Visit): string => visit.url.searchParams.get('name') ?? ''
  return [
    { method: 'GET', path: `${one}/question`, roles, answer: visit => questionPage(visit, named(visit)) },
    { method: 'POST', path: `${one}/question`, roles, answer: saveQuestion, bodyBytesMax: 2 * 1024 * 1024 },
    { method: 'POST', path: `${one}/question/move`, roles, answer: moveOne },
    { method: 'GET', path: `${one}/add-question`, roles, answer: visit => addPage(visit) },
    { method: 'POST', path: `${one}/add-question`, roles, answer: add, bodyBytesMax: 1024 * 1024 },
    { method: 'POST', path: `${one}/screens`, roles, answer: screens },
    {
      method: 'GET',
      path: `${one}/screen`,
      roles,
      answer: visit => screenPage(visit, indexOf(visit.url.searchParams.get('index'))),
    },
    { method: 'POST', path: `${one}/screen`, roles, answer: saveScreen },
    { method: 'GET', path: `${one}/settings`, roles, answer: visit => settingsPage(visit) },
    { method: 'POST', path: `${one}/settings`, roles, answer: saveSettings },
  ]
}

const noQuestion = (): Problem =>
  new Problem('not_found', {
    detail: 'What is stored now asks no question of this name. Somebody may have removed it meanwhile.',
  })

const noScreen = (): Problem => new Problem('not_found', { detail: 'There is no such screen in what is stored now.' })

const newBase = (form: URLSearchParams): Pick<QuestionDefinition, 'admin_name' | 'kind' | 'enumerator'> => ({
  admin_name: (form.get('admin_name') ?? '').trim(),
  kind: questionKinds.find(kind => kind === form.get('kind')) ?? 'TEXT',
  enumerator: (form.get('enumerator') ?? '') === '' ? undefined : form.get('enumerator')!,
})

const lines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')

/** `id: text` on each line; a line without a colon is both. */
const optionLines = (text: string): { admin_id: string; text: string }[] =>
  lines(text).map(line => {
    const at = line.indexOf(':')
    return at < 0
      ? { admin_id: line, text: line }
      : { admin_id: line.slice(0, at).trim(), text: line.slice(at + 1).trim() }
  })
