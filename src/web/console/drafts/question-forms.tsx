// The questions of a draft as forms: changed, moved, removed, and new ones added.

/** @jsxImportSource preact */

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { findBankEntryByName, readBankPage } from '../../../db/programs/program-overviews.ts'
import { readBankQuestions } from '../../../db/programs/questions.ts'
import {
  addQuestion,
  addScreen,
  changeQuestion,
  moveQuestion,
  placeOf,
  removeQuestion,
} from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import type { Deps } from '../../http/server/deps.ts'
import { editing, type PageRoute } from '../requests/action.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { DraftEditing } from './draft-editing.tsx'
import type { DraftFormProps } from './draft-form.tsx'
import { takePasted } from './form-rows.ts'
import { AddQuestionPage, FromBankPage, QuestionFormPage } from './question-form-pages.tsx'
import { adminNamesOf, errorsOfForm, newBase, readQuestionForm } from './read-question-form.ts'

const one = '/admin/programs/:slug'

export const questionForms = (deps: Deps): PageRoute[] => [...changeForms(deps), ...addForm(deps), ...bankForm(deps)]

function changeForms(deps: Deps): PageRoute[] {
  const editor = new DraftEditing(deps)

  const pageOf = (name: string) => async (props: DraftFormProps) => (
    <QuestionFormPage
      {...props}
      question={questionOf(props.definition, name)}
      bank={await findBankEntryByName(deps.consoleDb, name)}
    />
  )

  const save = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editor.open(visit)
    const { definition } = stored
    const before = questionOf(definition, name)
    if (form.get('action') === 'remove')
      return editor.saveAction(visit, stored, removeQuestion(definition, name), 'removed')
    const { admin_name, kind, enumerator } = before
    const page = pageOf(name)
    if (form.has('edit')) return editor.showRearranged(visit, page)
    const sent = readQuestionForm(form, { admin_name, kind, enumerator }, before, definition)
    if (sent.errors.length > 0) return editor.refuse(visit, sent.errors, page)
    const edited = changeQuestion(definition, sent.question, sent.asking)
    const errorsOf = (errors: readonly ProblemItem[]) => errorsOfForm(errors, edited, name, sent)
    return editor.saveForm(visit, stored, edited, { screen: sent.asking.screen, errorsOf, page })
  }

  const move = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editor.open(visit)
    if (placeOf(stored.definition, name) === undefined) throw noQuestion()
    const to = form.get('to') === 'up' ? 'up' : 'down'
    const edited = moveQuestion(stored.definition, name, to === 'up' ? -1 : 1)
    const { screen, index } = placeOf(edited, name)!
    // Back to the button that was pressed, where the question is now.
    return editor.saveAction(visit, stored, edited, 'saved', `${to}-${screen}-${index}`)
  }

  const path = `${one}/question`
  const show = (visit: PageRequest) =>
    editor.show(visit, pageOf(visit.context.form.values.get('name') ?? visit.url.searchParams.get('name') ?? ''))
  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: save, bodyBytesMax: 2 * 1024 * 1024, again: show }),
    editing({ method: 'POST', path: `${path}/move`, answer: move }),
  ]
}

/** The number of a screen as an address or a form says it; the last one otherwise. */
function screenOf(text: string | null, { screens }: ProgramDefinition): number {
  const screen = /^\d{1,3}$/.test(text ?? '') ? Number(text) : Number.POSITIVE_INFINITY
  return Math.min(screen, screens.length - 1)
}

function addForm(deps: Deps): PageRoute[] {
  const editor = new DraftEditing(deps)

  const page = (visit: PageRequest) => (props: DraftFormProps) => {
    const asked = visit.context.form.values.size > 0 ? visit.context.form.values : visit.url.searchParams
    const screen = screenOf(asked.get('screen'), props.definition)
    return <AddQuestionPage {...props} screen={screen} enumerator={asked.get('enumerator') ?? ''} />
  }

  /** The name that was typed; else the first of those made from the text that no question of the bank has, nor its key at this place. */
  const nameOf = async (form: URLSearchParams, definition: ProgramDefinition): Promise<string> => {
    const { admin_name: typed, enumerator = null } = newBase(form)
    if (typed !== '') return typed
    const names = adminNamesOf(form.get('text') ?? '', definition)
    const banked = await readBankQuestions(deps.consoleDb, {
      admin_names: names,
      question_keys_folded: names.map(foldedKeyOf),
    })
    const isTaken = (name: string): boolean =>
      banked.some(
        one =>
          one.admin_name === name || (one.enumerator === enumerator && one.question_key_folded === foldedKeyOf(name)),
      )
    return names.find(name => !isTaken(name)) ?? names[0] ?? ''
  }

  const add = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const stored = await editor.open(visit)
    if (form.has('edit')) return editor.showRearranged(visit, page(visit))
    takePasted(form)
    const heading = (form.get('new_screen') ?? '').trim()
    const definition = heading === '' ? stored.definition : addScreen(stored.definition, heading)
    const filled = new URLSearchParams(form)
    if (heading !== '') filled.set('screen', String(definition.screens.length - 1))
    const base = { ...newBase(form), admin_name: await nameOf(form, stored.definition) }
    const sent = readQuestionForm(filled, base, undefined, definition)
    if (sent.errors.length > 0) return editor.refuse(visit, sent.errors, page(visit))
    const edited = addQuestion(definition, sent.question, sent.asking)
    const { screen } = sent.asking
    const enumerator = encodeURIComponent(base.enumerator ?? '')
    return editor.saveForm(visit, stored, edited, {
      screen,
      next: form.get('then') === 'another' ? `add-question?screen=${screen}&enumerator=${enumerator}&` : undefined,
      errorsOf: errors => errorsOfForm(errors, edited, base.admin_name, sent),
      page: page(visit),
    })
  }

  const path = `${one}/add-question`
  const show = (visit: PageRequest) => editor.show(visit, page(visit))
  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: add, bodyBytesMax: 1024 * 1024, again: show }),
  ]
}

/** Questions of the bank that are shown together. */
const bankedMax = 100

function bankForm(deps: Deps): PageRoute[] {
  const editor = new DraftEditing(deps)

  const page = (visit: PageRequest) => async (props: DraftFormProps) => {
    const search = (visit.url.searchParams.get('q') ?? '').slice(0, 200)
    const asked = new Set(props.definition.questions.map(({ admin_name }) => admin_name))
    const found = await readBankPage(deps.consoleDb, { search, after: '', rowsMax: asked.size + bankedMax + 1 })
    const others = found.filter(({ admin_name }) => !asked.has(admin_name))
    const screen = screenOf(
      visit.context.form.values.get('screen') ?? visit.url.searchParams.get('screen'),
      props.definition,
    )
    const more = others.length > bankedMax
    return <FromBankPage {...props} banked={others.slice(0, bankedMax)} more={more} screen={screen} />
  }

  const add = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const stored = await editor.open(visit)
    const chosen = form.getAll('banked')
    if (chosen.length === 0) {
      const detail = 'Tick the questions that are to be added.'
      return editor.refuse(visit, [{ parameter: 'banked', code: 'required', detail }], page(visit))
    }
    const screen = screenOf(form.get('screen'), stored.definition)
    const asking = { screen, optional: false, visible_when: undefined }
    const edited = chosen.reduce((definition, name) => addQuestion(definition, name, asking), stored.definition)
    const errorsOf = (errors: readonly ProblemItem[]) =>
      errors.map(({ code, detail }) => ({ parameter: 'banked', code, detail }))
    return editor.saveForm(visit, stored, edited, { screen, errorsOf, page: page(visit) })
  }

  const path = `${one}/add-from-bank`
  const show = (visit: PageRequest) => editor.show(visit, page(visit))
  return [editing({ method: 'GET', path, answer: show }), editing({ method: 'POST', path, answer: add, again: show })]
}

const noQuestion = (): Problem =>
  new Problem('not_found', {
    detail: 'What is stored now asks no question of this name. It may have been removed in the meantime.',
  })

function questionOf({ questions }: ProgramDefinition, name: string): QuestionDefinition {
  const question = questions.find(({ admin_name }) => admin_name === name)
  if (question === undefined) throw noQuestion()
  return question
}
