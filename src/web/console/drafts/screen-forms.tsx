// The screens of a draft as forms, and what the draft says of the program itself: its name and statuses.

/** @jsxImportSource preact */

import { Problem, type ProblemItem } from '../../../base/problem.ts'
import { findProgramRetention } from '../../../db/programs/program-overviews.ts'
import { addScreen, changeScreen, moveScreen, removeScreen } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { Deps } from '../../http/server/deps.ts'
import { editing, type PageRoute, type Part } from '../requests/action.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { DraftEditing, linesOf } from './draft-editing.tsx'
import type { DraftFormProps } from './draft-form.tsx'
import { intakeAction } from './intake-form.tsx'
import { previewPages } from './preview.tsx'
import { ProgramSettingsPage, ScreenPage } from './program-settings-pages.tsx'
import { errorsOfScreen, readCondition } from './read-question-form.ts'

const one = '/admin/programs/:slug'

export const screenForms = (deps: Deps): Part => {
  const editor = new DraftEditing(deps)
  return [...screenRoutes(editor), ...settingsForm(deps, editor), ...previewPages(deps)]
}

function screenRoutes(editor: DraftEditing): PageRoute[] {
  /** The buttons alongside a screen in the list of questions. */
  const change = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const stored = await editor.open(visit)
    const { definition } = stored
    const index = indexOf(form.get('index'))
    const action = form.get('action') ?? ''
    if (action !== 'add') requireScreen(definition, index)
    const name = (form.get('screen_name') ?? '').trim()
    const edits: Readonly<Record<string, () => ProgramDefinition>> = {
      add: () => addScreen(definition, name),
      rename: () => changeScreen(definition, index, { name }),
      up: () => moveScreen(definition, index, -1),
      down: () => moveScreen(definition, index, 1),
      remove: () => removeScreen(definition, index),
    }
    const edit = Object.hasOwn(edits, action) ? edits[action] : undefined
    if (edit === undefined)
      throw new Problem('not_found', { detail: 'There is nothing of this name to do with a screen.' })
    return editor.saveAction(visit, stored, edit())
  }

  const pageOf = (index: number) => (props: DraftFormProps) => {
    requireScreen(props.definition, index)
    return <ScreenPage {...props} index={index} />
  }

  const save = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const index = indexOf(form.get('index'))
    const stored = await editor.open(visit)
    const { definition } = stored
    requireScreen(definition, index)
    const page = pageOf(index)
    if (form.has('edit')) return editor.showRearranged(visit, page)
    const when = readCondition(form, definition, definition.screens[index]!.visible_when)
    if (when.errors.length > 0) return editor.refuse(visit, when.errors, page)
    const name = (form.get('name') ?? '').trim()
    const edited = changeScreen(definition, index, { name, visible_when: when.condition })
    const errorsOf = (errors: readonly ProblemItem[]) => errorsOfScreen(errors, edited, index, when.rows)
    return editor.saveForm(visit, stored, edited, { screen: index, errorsOf, page })
  }

  const path = `${one}/screen`
  const show = (visit: PageRequest) =>
    editor.show(visit, pageOf(indexOf(visit.context.form.values.get('index') ?? visit.url.searchParams.get('index'))))
  return [
    editing({ method: 'POST', path: `${one}/screens`, answer: change }),
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: save, again: show }),
  ]
}

function settingsForm(deps: Deps, editor: DraftEditing): Part {
  const page = async (props: DraftFormProps) => {
    const retention = await findProgramRetention(deps.consoleDb, props.view.program.slug)
    return <ProgramSettingsPage {...props} retention_days={retention!.retention_days} />
  }

  const save = async (visit: PageRequest): Promise<Response> => {
    const { form } = visit
    const stored = await editor.open(visit)
    const edited = {
      ...stored.definition,
      display_name: (form.get('display_name') ?? '').trim(),
      statuses: linesOf(form.get('statuses') ?? ''),
    }
    return editor.saveForm(visit, stored, edited, {
      errorsOf: errors =>
        errors.map(({ path = '', code, detail }) => ({ parameter: path.split('/')[1] ?? 'content', code, detail })),
      page,
    })
  }

  const path = `${one}/settings`
  const show = (visit: PageRequest) => editor.show(visit, page)
  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: save, again: show }),
    intakeAction(deps, show),
  ]
}

const indexOf = (text: string | null): number => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : -1)

function requireScreen({ screens }: ProgramDefinition, index: number): void {
  if (screens[index] === undefined)
    throw new Problem('not_found', { detail: 'There is no such screen in what is stored now.' })
}
