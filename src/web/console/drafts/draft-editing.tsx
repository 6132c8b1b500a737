// How forms edit a draft: each changes the stored document and saves it as a whole, by the same use case as a document.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { ProblemItem } from '../../../base/problem.ts'
import { saveDraft } from '../../../core/programs/save-draft.ts'
import { diffDefinitions } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import type { Deps } from '../../http/server/deps.ts'
import { basisOf, type EditRefusal, editOptions, refusalOf } from '../programs/edit-refusals.tsx'
import { isOvertaken, loadProgramInView, type ProgramInView } from '../programs/program-in-view.ts'
import { QuestionsPage } from '../programs/questions-pages.tsx'
import { showForm } from '../requests/action.ts'
import { type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import type { DraftFormProps, EditedElsewhere } from './draft-form.tsx'
import { rearrange } from './form-rows.ts'
import { errorsInWords } from './read-question-form.ts'

interface EditedForm {
  /** The screen to go back to, once it is saved. */
  screen?: number
  /** The page of the program to continue to instead, ready for one more parameter. */
  next?: string | undefined
  /** The errors of the document, each at its field. */
  errorsOf: (errors: readonly ProblemItem[]) => readonly ProblemItem[]
  page: (props: DraftFormProps) => VNode | Promise<VNode>
}

interface OpenDraft {
  view: ProgramInView
  definition: ProgramDefinition
}

/** What the forms of a draft share. */
export class DraftEditing {
  constructor(private readonly deps: Pick<Deps, 'consoleDb' | 'config'>) {}

  /** What is stored now. */
  async open(visit: PageRequest): Promise<OpenDraft> {
    const view = await loadProgramInView(this.deps.consoleDb, visit.person, visit.params.slug!)
    return { view, definition: describeVersion(view.current) }
  }

  /** The page of a form; with `conflict`, what saving it now would change in the concurrent version. */
  async show(visit: PageRequest, page: EditedForm['page'], conflict?: EditedElsewhere): Promise<VNode> {
    return page({ ...(await this.open(visit)), conflict })
  }

  /** Its page with what is wrong with it. */
  refuse(visit: PageRequest, errors: readonly ProblemItem[], page: EditedForm['page']): Promise<Response> {
    return showForm(visit, { values: visit.form, errors }, () => this.show(visit, page), 400)
  }

  /** Its page with the rows as a button of it rearranges them; nothing is saved. */
  showRearranged(visit: PageRequest, page: EditedForm['page']): Promise<Response> {
    rearrange(visit.form, visit.form.get('edit') ?? '')
    return showForm(visit, { values: visit.form, errors: [] }, () => this.show(visit, page))
  }

  /** Saves what a form edited and goes back to the questions; where that cannot be, shows the form again. */
  async saveForm(visit: PageRequest, { view, definition }: OpenDraft, edited: ProgramDefinition, form: EditedForm) {
    const refusal = await this.#save(visit, view, edited)
    if (refusal === undefined && form.next !== undefined)
      return redirect(visit, `/admin/programs/${visit.params.slug}/${form.next}done=saved`)
    if (refusal === undefined)
      return this.#back(visit, 'saved', form.screen === undefined ? undefined : `screen-${form.screen}`)
    if (refusal.status === 400) return this.refuse(visit, form.errorsOf(refusal.errors), form.page)
    const conflict = { differences: diffDefinitions(definition, edited) }
    return showForm(visit, { values: visit.form, errors: [] }, () => this.show(visit, form.page, conflict), 409)
  }

  /** Saves what a button of the list of questions does, and goes back there; where that cannot be, the list says why. */
  async saveAction(visit: PageRequest, { view }: OpenDraft, edited: ProgramDefinition, done = 'saved', place?: string) {
    const refusal = await this.#save(visit, view, edited)
    if (refusal === undefined) return this.#back(visit, done, place)
    const refused = { ...refusal, errors: errorsInWords(refusal.errors, edited) }
    const page = await this.show(visit, ({ view }) => <QuestionsPage view={view} refused={refused} />)
    return showPage(visit, page, refused.status)
  }

  /** Saves the edited document as the draft, if what is stored is still what the form was made from; else says why not. */
  async #save(visit: PageRequest, view: ProgramInView, edited: ProgramDefinition): Promise<EditRefusal | undefined> {
    const { consoleDb, config } = this.deps
    const stored = view.current.program_version_id
    if (basisOf(visit.form) !== stored) return { status: 409, errors: [] }
    try {
      const based_on = basisOfSaved(visit, view)
      // A member that is undefined is one that is left out, as in the text of a document.
      const document = JSON.parse(JSON.stringify({ ...edited, based_on })) as unknown
      const over = based_on === stored ? undefined : stored
      await saveDraft(consoleDb, document, visit.by.actor, { ...editOptions(visit, config), over })
      return undefined
    } catch (error) {
      return refusalOf(error)
    }
  }

  #back(visit: PageRequest, done: string, place?: string): Response {
    const fragment = place === undefined ? '' : `#${place}`
    return redirect(visit, `/admin/programs/${visit.params.slug}/questions?done=${done}${fragment}`)
  }
}

/** What the saved document is based on: the page's own, or what was published after the draft was begun, if it is to stay over that. */
function basisOfSaved({ form }: PageRequest, view: ProgramInView): number | null {
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
