// The questions of a draft as forms: changed, moved, removed, and new ones added.

import { findBankEntryByName, readBankPage } from '../../../db/program-overviews.ts'
import {
  addQuestion,
  changeQuestion,
  moveQuestion,
  placeOf,
  removeQuestion,
} from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { questionKinds } from '../../../domain/questions/question.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import type { ConsoleDoor, Visit } from '../console-doors.ts'
import { AddQuestionPage } from './add-question-page.tsx'
import { DraftEditing, type Shown } from './draft-editing.ts'
import { QuestionFormPage } from './question-form-pages.tsx'
import { faultsOfForm, hasSetting, readQuestionForm } from './read-question-form.ts'

export function questionFormDoors(deps: Deps): ConsoleDoor[] {
  const { consoleDb: db } = deps
  const editing = new DraftEditing(deps)

  const questionPage = (visit: Visit, name: string, shown: Shown = {}): Promise<Response> =>
    editing.show(visit, shown, async props => {
      const question = questionOf(props.definition, name)
      return QuestionFormPage({ ...props, question, bank: await findBankEntryByName(db, name) })
    })

  const saveQuestion = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editing.open(visit)
    const { definition } = stored
    const before = questionOf(definition, name)
    if (form.get('deed') === 'remove')
      return editing.saveDeed(visit, stored, removeQuestion(definition, name), 'removed')
    const { admin_name, kind, enumerator } = before
    const sent = readQuestionForm(form, { admin_name, kind, enumerator }, before, definition)
    const showAgain = (shown: Shown) => questionPage(visit, name, shown)
    if (sent.faults.length > 0) return showAgain({ form: { values: form, faults: sent.faults }, status: 400 })
    const edited = changeQuestion(definition, sent.question, sent.asking)
    return editing.saveForm(visit, stored, edited, {
      screen: sent.asking.screen,
      faultsOf: faults => faultsOfForm(faults, edited, name, sent),
      showAgain,
    })
  }

  const moveOne = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const name = form.get('name') ?? ''
    const stored = await editing.open(visit)
    if (placeOf(stored.definition, name) === undefined) throw noQuestion()
    const edited = moveQuestion(stored.definition, name, form.get('to') === 'up' ? -1 : 1)
    return editing.saveDeed(visit, stored, edited, 'saved', placeOf(edited, name)!.screen)
  }

  const addPage = (visit: Visit, shown: Shown = {}): Promise<Response> =>
    editing.show(visit, shown, async props => {
      const search = (visit.url.searchParams.get('q') ?? '').slice(0, 200)
      const asked = new Set(props.definition.questions.map(({ admin_name }) => admin_name))
      const found = await readBankPage(db, { search, after: '', rowsMax: asked.size + 20 })
      const banked = found.filter(({ admin_name }) => !asked.has(admin_name)).slice(0, 20)
      return AddQuestionPage({ ...props, banked, search })
    })

  const add = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const stored = await editing.open(visit)
    const banked = form.get('banked')
    const sent = readQuestionForm(form, newBase(form), undefined, stored.definition)
    const showAgain = (shown: Shown) => addPage(visit, shown)
    if (sent.faults.length > 0) return showAgain({ form: { values: form, faults: sent.faults }, status: 400 })
    const lines = optionLines(form.get('options') ?? '')
    if (hasSetting(sent.question.kind, 'options')) sent.question.options = lines.map(({ option }) => option)
    const edited = addQuestion(stored.definition, banked ?? sent.question, sent.asking)
    return editing.saveForm(visit, stored, edited, {
      screen: sent.asking.screen,
      faultsOf: faults =>
        faultsOfForm(faults, edited, banked ?? sent.question.admin_name, {
          ...sent,
          options: lines.map(({ line, option }) => ({ row: 0, said: `Line ${line}, “${option.admin_id}”` })),
        }).map(fault => (fault.parameter!.startsWith('option_') ? { ...fault, parameter: 'options' } : fault)),
      showAgain,
    })
  }

  const one = '/admin/programs/:slug'
  const roles = ['ADMINISTRATOR'] as const
  const named = (visit: Visit): string => visit.url.searchParams.get('name') ?? ''
  return [
    { method: 'GET', path: `${one}/question`, roles, answer: visit => questionPage(visit, named(visit)) },
    {
      method: 'POST',
      path: `${one}/question`,
      roles,
      answer: saveQuestion,
      bodyBytesMax: 2 * 1024 * 1024,
      again: (visit, form) => questionPage(visit, form.values.get('name') ?? '', { form }),
    },
    { method: 'POST', path: `${one}/question/move`, roles, answer: moveOne },
    { method: 'GET', path: `${one}/add-question`, roles, answer: visit => addPage(visit) },
    {
      method: 'POST',
      path: `${one}/add-question`,
      roles,
      answer: add,
      bodyBytesMax: 1024 * 1024,
      again: (visit, form) => addPage(visit, { form }),
    },
  ]
}

const noQuestion = (): Problem =>
  new Problem('not_found', {
    detail: 'What is stored now asks no question of this name. Somebody may have removed it meanwhile.',
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
