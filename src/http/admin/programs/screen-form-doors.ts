// The screens of a draft as forms, and what the draft says of the program itself: its name and statuses.

import { addScreen, changeScreen, moveScreen, removeScreen } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import type { FormState } from '../../shell/fields.tsx'
import type { ConsoleDoor, Visit } from '../console-doors.ts'
import { DraftEditing, linesOf, type Shown } from './draft-editing.ts'
import { ProgramSettingsPage, ScreenPage } from './program-settings-pages.tsx'
import { faultsOfScreen, readCondition } from './read-question-form.ts'

export function screenFormDoors(deps: Deps): ConsoleDoor[] {
  const editing = new DraftEditing(deps)

  /** The buttons beside a screen in the list of questions. */
  const screens = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const stored = await editing.open(visit)
    const { definition } = stored
    const index = indexOf(form.get('index'))
    const deed = form.get('deed') ?? ''
    if (deed !== 'add') requireScreen(definition, index)
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
    return editing.saveDeed(visit, stored, edit())
  }

  const screenPage = (visit: Visit, index: number, shown: Shown = {}): Promise<Response> =>
    editing.show(visit, shown, props => {
      requireScreen(props.definition, index)
      return ScreenPage({ ...props, index })
    })

  const saveScreen = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const index = indexOf(form.get('index'))
    const stored = await editing.open(visit)
    const { definition } = stored
    requireScreen(definition, index)
    const when = readCondition(form, definition, definition.screens[index]!.visible_when)
    const showAgain = (shown: Shown) => screenPage(visit, index, shown)
    if (when.faults.length > 0) return showAgain({ form: { values: form, faults: when.faults }, status: 400 })
    const name = (form.get('name') ?? '').trim()
    const edited = changeScreen(definition, index, { name, visible_when: when.condition })
    return editing.saveForm(visit, stored, edited, {
      screen: index,
      faultsOf: faults => faultsOfScreen(faults, edited, index, when.rows),
      showAgain,
    })
  }

  const settingsPage = (visit: Visit, shown: Shown = {}): Promise<Response> =>
    editing.show(visit, shown, ProgramSettingsPage)

  const saveSettings = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const stored = await editing.open(visit)
    const edited = {
      ...stored.definition,
      display_name: (form.get('display_name') ?? '').trim(),
      statuses: linesOf(form.get('statuses') ?? ''),
    }
    return editing.saveForm(visit, stored, edited, {
      faultsOf: faults =>
        faults.map(({ path = '', code, detail }) => ({ parameter: path.split('/')[1] ?? 'content', code, detail })),
      showAgain: shown => settingsPage(visit, shown),
    })
  }

  const one = '/admin/programs/:slug'
  const roles = ['ADMINISTRATOR'] as const
  const screenAgain = (visit: Visit, form: FormState) => screenPage(visit, indexOf(form.values.get('index')), { form })
  const at = (visit: Visit): number => indexOf(visit.url.searchParams.get('index'))
  return [
    { method: 'POST', path: `${one}/screens`, roles, answer: screens },
    { method: 'GET', path: `${one}/screen`, roles, answer: visit => screenPage(visit, at(visit)) },
    { method: 'POST', path: `${one}/screen`, roles, answer: saveScreen, again: screenAgain },
    { method: 'GET', path: `${one}/settings`, roles, answer: visit => settingsPage(visit) },
    {
      method: 'POST',
      path: `${one}/settings`,
      roles,
      answer: saveSettings,
      again: (visit, form) => settingsPage(visit, { form }),
    },
  ]
}

const indexOf = (text: string | null): number => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : -1)

function requireScreen({ screens }: ProgramDefinition, index: number): void {
  if (screens[index] === undefined)
    throw new Problem('not_found', { detail: 'There is no such screen in what is stored now.' })
}
