// How forms edit a draft: each changes the stored document and saves it as a whole, by the same use case as a document.

import type { VNode } from 'preact'
import { actorOf } from '../../../access/roles.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { diffDefinitions } from '../../../domain/definitions/version-diff.ts'
import { Problem, type ProblemItem } from '../../../problem.ts'
import { saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { redirect, type Visit } from '../console-doors.ts'
import type { DraftFormProps, EditedElsewhere } from './draft-form.tsx'
import { basisOf, type EditRefusal, editOptions, RefusalNotice } from './edit-refusals.tsx'
import { isOvertaken, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { QuestionsPage } from './questions-pages.tsx'

/** A form that is shown again: what was sent, and why it was not saved. */
export interface Shown {
  form?: FormState
  conflict?: EditedElsewhere
  status?: number
}

export interface EditedForm {
  /** The screen to go back to, once it is saved. */
  screen?: number
  /** The faults of the document, each at its field. */
  faultsOf: (faults: readonly ProblemItem[]) => readonly ProblemItem[]
  showAgain: (shown: Shown) => Promise<Response>
}

interface OpenDraft {
  view: ProgramInView
  definition: ProgramDefinition
}

/** What the doors to the forms of a draft share. */
export class DraftEditing {
  constructor(private readonly deps: Pick<Deps, 'consoleDb' | 'config'>) {}

  /** What is stored now. */
  async open(visit: Visit): Promise<OpenDraft> {
    const view = await loadProgramInView(this.deps.consoleDb, visit.person, visit.params.slug!)
    return { view, definition: describeVersion(view.current) }
  }

  async show(
    visit: Visit,
    { form = emptyForm, conflict, status = 200 }: Shown,
    page: (props: DraftFormProps) => VNode | Promise<VNode>,
  ): Promise<Response> {
    const { context, now } = visit
    const { view, definition } = await this.open(visit)
    const props = { context, now, program: view.program, view, definition, form, conflict }
    return htmlResponse(await page(props), status)
  }

  /** Saves what a form edited and goes back to the questions; where that cannot be, shows the form again. */
  async saveForm(visit: Visit, { view, definition }: OpenDraft, edited: ProgramDefinition, form: EditedForm) {
    const refusal = await this.#save(visit, view, edited)
    if (refusal === undefined) return this.#back(visit, 'saved', form.screen)
    const values = visit.form
    return form.showAgain(
      refusal.status === 409
        ? { form: { values, faults: [] }, conflict: { differences: diffDefinitions(definition, edited) }, status: 409 }
        : { form: { values, faults: form.faultsOf(refusal.faults) }, status: 400 },
    )
  }

  /** Saves what a button of the list of questions does, and goes back there; where that cannot be, the list says why. */
  async saveDeed(visit: Visit, { view }: OpenDraft, edited: ProgramDefinition, done = 'saved', screen?: number) {
    const refusal = await this.#save(visit, view, edited)
    if (refusal === undefined) return this.#back(visit, done, screen)
    return this.show(visit, { status: refusal.status }, props =>
      QuestionsPage({ ...props, search: '', done: null, refused: RefusalNotice(refusal) }),
    )
  }

  /** Saves the edited document as the draft, if what is stored is still what the form was made from; else says why not. */
  async #save(visit: Visit, view: ProgramInView, edited: ProgramDefinition): Promise<EditRefusal | undefined> {
    const { consoleDb, config } = this.deps
    const stored = view.current.program_version_id
    if (basisOf(visit.form) !== stored) return { status: 409, faults: [] }
    try {
      const based_on = basisOfSaved(visit, view)
      // A member that is undefined is one that is left out, as in the text of a document.
      const document = JSON.parse(JSON.stringify({ ...edited, based_on })) as unknown
      const over = based_on === stored ? undefined : stored
      await saveDraft(consoleDb, document, actorOf(visit.person), { ...editOptions(visit, config), over })
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict') return { status: 409, faults: error.errors }
      if (error.kind === 'invalid_request') return { status: 400, faults: error.errors }
      throw error
    }
  }

  #back(visit: Visit, done: string, screen?: number): Response {
    const place = screen === undefined ? '' : `#screen-${screen}`
    return redirect(visit, `/admin/programs/${visit.params.slug}/questions?done=${done}${place}`)
  }
}

/** What the saved document is based on: the page's own, or what was published after the draft was begun, if it is to stay over that. */
function basisOfSaved({ form }: Visit, view: ProgramInView): number | null {
  const { active, draft, current } = view
  const both = `${active?.program_version_id}-${draft?.program_version_id}`
  return isOvertaken(view) && form.get('keep') === both
    ? (active?.program_version_id ?? null)
    : current.program_version_id
}

/** The lines of a field, without those that are empty. */
export const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
