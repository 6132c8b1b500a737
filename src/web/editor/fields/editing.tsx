// Shared by every part of the editor: the document, functions to change it, and its errors.

/** @jsxImportSource preact */

import { Component, createContext, type FunctionComponent } from 'preact'
import { useContext } from 'preact/hooks'
import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { Edit, EditorState, Selection, Step } from '../model/editor-state.ts'
import type { Service } from '../saving/editor-service.ts'
import type { ProgramForEditing } from '../saving/program-for-editing.ts'

export type FixedQuestion = ProgramForEditing['fixed_questions'][number]

export interface Editing extends Pick<EditorState, 'document' | 'selected' | 'panel'> {
  /** `typing` names the field that is typed into: typing on is one step to undo. */
  edit: (to: ProgramDefinition, how?: { selected?: Selection | undefined; typing?: string | undefined }) => void
  /** An edit that waited for the service. It is made to the current document, which may have changed meanwhile. */
  editLate: (change: (present: Step) => Edit | undefined) => void
  select: (selected: Selection) => void
  /** The language that is shown beside the default one. */
  second: string | undefined
  showSecond: (language: string | undefined) => void
  /** Goes to the next text that lacks a translation, after the text at this place of the document if there is one. */
  seekMissing: (language: string, after?: string) => void
  /** The JSON Pointer of the text that `seekMissing` last went to. */
  sought: { pointer: string } | undefined
  /** Says something to those who hear the page. */
  say: (text: string) => void
  /** Puts the focus on the element of this id once the edit is on the page. */
  focus: (id: string) => void
  errors: readonly DefinitionError[]
  /** Options of the stored draft whose ID meant something else in an earlier version. */
  reused: readonly VersionChange[]
  /** Questions that were published or that others ask, by admin name. */
  fixed: ReadonlyMap<string, FixedQuestion>
  /** Says that a question is one of those from now on. */
  fix: (question: FixedQuestion) => void
  /** Folded question keys that the bank has. */
  taken: Set<string>
  service: Service
}

const ofEditor = createContext<Editing | undefined>(undefined)
export const EditingProvider = ofEditor.Provider
export const useEditing = (): Editing => useContext(ofEditor)!

/** A view that is made again only when one of its props is another. */
export function memo<Props extends object>(View: FunctionComponent<Props>) {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const before = this.props as Readonly<Record<string, unknown>>
      return Object.entries(next).some(([name, value]) => before[name] !== value)
    }
    override render() {
      return <View {...(this.props as Props)} />
    }
  }
}

/** The id of the field for what is at this path of the document. */
export const fieldId = (path: string): string => `field${path.replaceAll('/', '-')}`
