// The questions of a draft as forms: changed, moved, removed, and new ones added.

/** @jsxImportSource preact */

import { findBankEntryByName, readBankPage } from '../../db/programs/program-overviews.ts'
import {
  addQuestion,
  changeQuestion,
  moveQuestion,
  placeOf,
  removeQuestion,
} from '../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../domain/definitions/program-definition.ts'
import { questionKinds } from '../../domain/questions/question.ts'
import type { Deps } from '../../http/server/deps.ts'
import { Problem, type ProblemItem } from '../../problem.ts'
import { editing, type PageRoute } from '../requests/action.ts'
import type { PageVisit } from '../requests/visit.ts'
import { AddQuestionPage } from './add-question-page.tsx'
import { DraftEditing } from './draft-editing.tsx'
import type { DraftFormProps } from './draft-form.tsx'
import { QuestionFormPage } from './question-form-pages.tsx'
import { faultsOfForm, hasSetting, readQuestionForm } from './read-question-form.ts'

const one = '/admin/programs/:slug'

export const questionForms = (deps: Deps): PageRoute[] => [...changeForms(deps), ...addForm(deps)]

function changeForms(deps: Deps): PageRoute[] {
  const editor = new DraftEditing(deps)

  const pageOf = (name: string) => async (props: DraftFormProps) => (
    <QuestionFormPage
      {...props}
      question={questionOf(props.definition, name)}
      bank={await findBankEntryByName(deps.consoleDb, name)}
    />
  )

  const save = async (visit: PageVisit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editor.open(visit)
    const { definition } = stored
    const before = questionOf(definition, name)
    if (form.get('action') === 'remove')
      return editor.saveAction(visit, stored, removeQuestion(definition, name), 'removed')
    const { admin_name, kind, enumerator } = before
    const sent = readQuestionForm(form, { admin_name, kind, enumerator }, before, definition)
    const page = pageOf(name)
    if (sent.faults.length > 0) return editor.refuse(visit, sent.faults, page)
    const edited = changeQuestion(definition, sent.question, sent.asking)
    const faultsOf = (faults: readonly ProblemItem[]) => faultsOfForm(faults, edited, name, sent)
    return editor.saveForm(visit, stored, edited, { screen: sent.asking.screen, faultsOf, page })
  }

  const move = async (visit: PageVisit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editor.open(visit)
    if (placeOf(stored.definition, name) === undefined) throw noQuestion()
    const edited = moveQuestion(stored.definition, name, form.get('to') === 'up' ? -1 : 1)
    return editor.saveAction(visit, stored, edited, 'saved', placeOf(edited, name)!.screen)
  }

  const path = `${one}/question`
  const show = (visit: PageVisit) =>
    editor.show(visit, pageOf(visit.context.form.values.get('name') ?? visit.url.searchParams.get('name') ?? ''))
  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: save, bodyBytesMax: 2 * 1024 * 1024, again: show }),
    editing({ method: 'POST', path: `${path}/move`, answer: move }),
  ]
}

function addForm(deps: Deps): PageRoute[] {
  const editor = new DraftEditing(deps)

  const pageAt = (visit: PageVisit) => async (props: DraftFormProps) => {
    const search = (visit.url.searchParams.get('q') ?? '').slice(0, 200)
    const asked = new Set(props.definition.questions.map(({ admin_name }) => admin_name))
    const found = await readBankPage(deps.consoleDb, { search, after: '', rowsMax: asked.size + 20 })
    const banked = found.filter(({ admin_name }) => !asked.has(admin_name)).slice(0, 20)
    return <AddQuestionPage {...props} banked={banked} search={search} />
  }

  const add = async (visit: PageVisit): Promise<Response> => {
    const { form } = visit
    const stored = await editor.open(visit)
    const banked = form.get('banked')
    const sent = readQuestionForm(form, newBase(form), undefined, stored.definition)
    const page = pageAt(visit)
    if (sent.faults.length > 0) return editor.refuse(visit, sent.faults, page)
    const lines = optionLines(form.get('options') ?? '')
    if (hasSetting(sent.question.kind, 'options')) sent.question.options = lines.map(({ option }) => option)
    const edited = addQuestion(stored.definition, banked ?? sent.question, sent.asking)
    const options = lines.map(({ line, option }) => ({ row: 0, said: `Line ${line}, “${option.admin_id}”` }))
    const faultsOf = (faults: readonly ProblemItem[]) =>
      faultsOfForm(faults, edited, banked ?? sent.question.admin_name, { ...sent, options }).map(fault =>
        fault.parameter!.startsWith('option_') ? { ...fault, parameter: 'options' } : fault,
      )
    return editor.saveForm(visit, stored, edited, { screen: sent.asking.screen, faultsOf, page })
  }

  const path = `${one}/add-question`
  const show = (visit: PageVisit) => editor.show(visit, pageAt(visit))
  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: add, bodyBytesMax: 1024 * 1024, again: show }),
  ]
}

const noQuestion = (): Problem =>
  new Problem('not_found', {
    detail: 'What is stored now asks no question of this name. It may have been removed meanwhile.',
  })

function questionOf({ questions }: ProgramDefinition, name: string): QuestionDefinition {
  const question = questions.find(({ admin_name }) => admin_name === name)
  if (question === undefined) throw noQuestion()
  return question
}

const newBase = (form: URLSearchParams): Pick<QuestionDefinition, 'admin_name' | 'kind' | 'enumerator'> => ({
  admin_name: (form.get('admin_name') ?? '').trim(),
  kind: questionKinds.find(kind => kind === form.get('kind')) ?? 'TEXT',
  enumerator: (form.get('enumerator') ?? '') === '' ? undefined : form.get('enumerator')!,
})

/** `id: text` on each line; a line without a colon is both. With the number of its line, from 1; those that are empty are none. */
const optionLines = (text: string): { line: number; option: { admin_id: string; text: string } }[] =>
  text.split(/\r?\n/).flatMap((whole, i) => {
    const [id = '', ...rest] = whole.split(':')
    const option = { admin_id: id.trim(), text: (rest.length === 0 ? id : rest.join(':')).trim() }
    return whole.trim() === '' ? [] : [{ line: i + 1, option }]
  })
