// The editor's state: the document, the selection, and the steps that can be undone.

import type { PlaceInProgram } from '../../../domain/comparison/unusual-parts.ts'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'

export type Selection = PlaceInProgram

/** The editor's visible state, which undo restores. */
export interface Step {
  document: ProgramDefinition
  selected: Selection
}

export interface EditorState extends Step {
  past: readonly Step[]
  future: readonly Step[]
  /** The field that the last step typed into, and when: further typing belongs to the same step. */
  typing?: { field: string; at: number } | undefined
  /** Changes whenever the middle panel shows something else, whose fields then start fresh. */
  panel: number
}

/** An edit: another document, and the selection in it. */
export interface Edit {
  to: ProgramDefinition
  selected: Selection
}

export type EditorAction =
  | { do: 'edit'; to: ProgramDefinition; selected?: Selection; typing?: string | undefined; at: number }
  /** An edit that waited for the service. It is applied to the current document, which may have changed meanwhile. */
  | { do: 'edit-late'; change: (present: Step) => Edit | undefined; typing?: string; at: number }
  | { do: 'select'; selected: Selection }
  | { do: 'undo' }
  | { do: 'redo' }

const stepsMax = 200
const pauseMs = 1500

/** Opens the document at a place, or at its first question if there is no such place. */
export const opened = (document: ProgramDefinition, place?: Selection): EditorState => ({
  document,
  selected: place !== undefined && exists({ document, selected: place }) ? place : firstOf(document),
  past: [],
  future: [],
  panel: 0,
})

/** The place in the hash of an address: `#program`, `#screen-2`, `#question-applicant%20name`. */
export function placeIn(hash: string): Selection | undefined {
  if (hash === '#program') return { of: 'program' }
  const [, of, name = ''] = /^#(screen|question)-(.*)$/.exec(hash) ?? []
  if (of === undefined) return undefined
  return of === 'screen' ? { of, index: Number(name) - 1 } : { of: 'question', name: decoded(name) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function firstOf({ screens }: ProgramDefinition): Selection {
  const first = screens.find(({ questions }) => questions.length > 0)?.questions[0]
  return first === undefined ? { of: 'screen', index: 0 } : { of: 'question', name: first.question }
}

export function reduce(state: EditorState, action: EditorAction): EditorState {
  const { document, selected, past, future } = state
  switch (action.do) {
    case 'select':
      return { ...state, selected: action.selected, typing: undefined, panel: state.panel + 1 }
    case 'undo':
      return past.length === 0
        ? state
        : {
            ...state,
            ...stepTo(state, past.at(-1)!),
            past: past.slice(0, -1),
            future: [{ document, selected }, ...future],
          }
    case 'redo':
      return future.length === 0
        ? state
        : { ...state, ...stepTo(state, future[0]!), past: [...past, { document, selected }], future: future.slice(1) }
    case 'edit-late': {
      const { change, typing, at } = action
      const changed = change({ document, selected })
      return changed === undefined ? state : reduce(state, { do: 'edit', ...changed, typing, at })
    }
    case 'edit': {
      if (action.to === document) return state
      const { typing, at } = action
      const isSame = typing !== undefined && state.typing?.field === typing && at - state.typing.at < pauseMs
      return {
        ...stepTo(state, { document: action.to, selected: action.selected ?? selected }),
        past: isSame ? past : [...past, { document, selected }].slice(-stepsMax),
        future: [],
        typing: typing === undefined ? undefined : { field: typing, at },
      }
    }
  }
}

/** Another document and selection; the panel stays if it is the same item under another name. */
function stepTo(state: EditorState, step: Step): Pick<EditorState, 'document' | 'selected' | 'typing' | 'panel'> {
  const selected = exists(step) ? step.selected : firstOf(step.document)
  const stays = placeText({ ...step, selected }) === placeText(state)
  return { document: step.document, selected, typing: undefined, panel: stays ? state.panel : state.panel + 1 }
}

const exists = ({ document, selected }: Step): boolean =>
  selected.of === 'program' ||
  (selected.of === 'screen'
    ? document.screens[selected.index] !== undefined
    : placeOf(document, selected.name) !== undefined)

function placeText({ document, selected }: Step): string {
  if (selected.of !== 'question') return JSON.stringify(selected)
  const renamed = document.questions.findIndex(({ admin_name }) => admin_name === selected.name)
  return JSON.stringify([document.questions.length, renamed, placeOf(document, selected.name)])
}
