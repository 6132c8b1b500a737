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
  /** `typing` names the field being typed into: further typing belongs to the same undo step. */
  edit: (to: ProgramDefinition, how?: { selected?: Selection | undefined; typing?: string | undefined }) => void
  /** An edit that waited for the service. It is applied to the current document, which may have changed meanwhile. */
  editLate: (change: (present: Step) => Edit | undefined) => void
  select: (selected: Selection) => void
  /** The language shown beside the default one. */
  second: string | undefined
  showSecond: (language: string | undefined) => void
  /** Goes to the next text without a translation, after the text at this place of the document if given. */
  seekMissing: (language: string, after?: string) => void
  /** The JSON Pointer of the text that `seekMissing` last went to. */
  sought: { pointer: string } | undefined
  /** Announces something to screen readers. */
  say: (text: string) => void
  /** Focuses the element with this ID once the edit is on the page. */
  focus: (id: string) => void
  errors: readonly DefinitionError[]
  /** Options of the stored draft whose ID meant something else in an earlier version. */
  reused: readonly VersionChange[]
  /** Questions that are published or used by other programs, by admin name. */
  fixed: ReadonlyMap<string, FixedQuestion>
  /** Marks a question as one of those. */
  fix: (question: FixedQuestion) => void
  /** Folded question keys in the bank. */
  taken: Set<string>
  service: Service
}

const ofEditor = createContext<Editing | undefined>(undefined)
export const EditingProvider = ofEditor.Provider
export const useEditing = (): Editing => useContext(ofEditor)!

/** A component that is only rendered again if one of its props changes. */
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

/** The ID of the field for this path of the document. */
export const fieldId = (path: string): string => `field${path.replaceAll('/', '-')}`
