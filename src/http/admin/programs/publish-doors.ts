// Publishing a draft after a look at what it does, keeping it over what came meanwhile, and discarding it.

import { actorOf } from '../../../access/roles.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { Problem } from '../../../problem.ts'
import { compareWithPublished } from '../../../programs/compare.ts'
import type { Move } from '../../../programs/move-questions.ts'
import { publishDraft } from '../../../programs/publish.ts'
import { discardDraft, saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { idOf } from '../addressed.ts'
import { type ConsoleDoor, redirect, type Visit } from '../console-doors.ts'
import { type EditRefusal, editOptions, RefusalNotice, refusalOf } from './edit-refusals.tsx'
import { isOvertaken, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { DiscardPage, type Hindrance, PublishPage } from './publish-pages.tsx'

export function publishDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const pathOf = (visit: Visit, rest: string): string => `/admin/programs/${visit.params.slug}${rest}`

  /** What publishing would do; or why it cannot be done. */
  const plan = async (view: ProgramInView): Promise<{ moves: readonly Move[]; hindrance?: Hindrance }> => {
    if (isOvertaken(view)) return { moves: [], hindrance: overtaken(view) }
    try {
      return { moves: (await compareWithPublished(db, describeVersion(view.draft!), config)).moves }
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid_request') throw error
      return { moves: [], hindrance: { title: 'The draft no longer fits the question bank', faults: error.errors } }
    }
  }

  const review = async (visit: Visit, form: FormState = emptyForm, refused?: Hindrance): Promise<Response> => {
    const { context, now } = visit
    const view = await loadProgramInView(db, visit.person, visit.params.slug!)
    const faulty = form.faults.length > 0
    if (view.draft === undefined) return redirect(visit, pathOf(visit, '/questions?done=nodraft'))
    const { moves, hindrance } = await plan(view)
    return htmlResponse(
      PublishPage({ context, now, program: view.program, view, moves, form, hindrance: refused ?? hindrance }),
      faulty ? 400 : refused === undefined ? 200 : 409,
    )
  }

  const publish = async (visit: Visit): Promise<Response> => {
    const { form, person } = visit
    const slug = visit.params.slug!
    await loadProgramInView(db, person, slug)
    const reviewed = idOf(form.get('reviewed')) ?? 0
    try {
      const options = { ...editOptions(visit, config), reviewed, move: form.getAll('move') }
      const { program_version_id, published } = await publishDraft(db, slug, actorOf(person), options)
      return redirect(
        visit,
        pathOf(visit, published ? `/versions/${program_version_id}?done=published` : '/questions?done=same'),
      )
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'not_found') return redirect(visit, pathOf(visit, '/questions?done=nodraft'))
      if (error.kind === 'invalid_request')
        return review(visit, emptyForm, { title: 'The draft no longer fits the question bank', faults: error.errors })
      if (error.kind !== 'conflict') throw error
      const unsaid = error.errors.filter(({ code }) => code === 'other_program_moves')
      if (unsaid.length > 0) return review(visit, { values: form, faults: [unticked] })
      return review(visit, emptyForm, hindranceOf(error))
    }
  }

  const keep = async (visit: Visit): Promise<Response> => {
    const { form, person } = visit
    const { draft } = await loadProgramInView(db, person, visit.params.slug!)
    if (draft === undefined) return redirect(visit, pathOf(visit, '/questions?done=nodraft'))
    const [active, shown] = ['active', 'draft'].map(name => idOf(form.get(name)))
    try {
      // Only the draft that was shown: if there is another by now, this one is not what would be saved.
      if (shown !== draft.program_version_id) throw new Problem('conflict', { detail: 'There is another draft now.' })
      const document = { ...describeVersion(draft), based_on: active ?? null }
      await saveDraft(db, document, actorOf(person), { ...editOptions(visit, config), over: shown })
      return redirect(visit, pathOf(visit, '/publish'))
    } catch (error) {
      const { faults } = refusalOf(error)
      return review(visit, emptyForm, { title: changedMeanwhile, faults })
    }
  }

  const showDiscard = async (visit: Visit, refused?: EditRefusal): Promise<Response> => {
    const { context, now } = visit
    const view = await loadProgramInView(db, visit.person, visit.params.slug!)
    if (view.draft === undefined) return redirect(visit, pathOf(visit, '/questions?done=nodraft'))
    return htmlResponse(
      DiscardPage({ context, now, program: view.program, view, refused: refused && RefusalNotice(refused) }),
      refused?.status,
    )
  }

  const discard = async (visit: Visit): Promise<Response> => {
    const { form, person, address } = visit
    const reviewed = idOf(form.get('reviewed')) ?? 0
    const { draft } = await loadProgramInView(db, person, visit.params.slug!)
    if (draft === undefined) return redirect(visit, pathOf(visit, '/questions?done=nodraft'))
    try {
      await discardDraft(db, visit.params.slug!, actorOf(person), { reviewed, address })
      return redirect(visit, pathOf(visit, '?done=discarded'))
    } catch (error) {
      return showDiscard(visit, refusalOf(error))
    }
  }

  const one = '/admin/programs/:slug'
  const roles = ['ADMINISTRATOR'] as const
  return [
    { method: 'GET', path: `${one}/publish`, roles, answer: visit => review(visit) },
    { method: 'POST', path: `${one}/publish`, roles, answer: publish },
    { method: 'POST', path: `${one}/keep`, roles, answer: keep },
    { method: 'GET', path: `${one}/discard`, roles, answer: visit => showDiscard(visit) },
    { method: 'POST', path: `${one}/discard`, roles, answer: discard },
  ]
}

const changedMeanwhile = 'Something has changed meanwhile, so nothing was done. This is what there is now'

const unticked = {
  parameter: 'move',
  code: 'required',
  detail: 'Must be ticked, each of them: publishing changes what these programs ask, too. Nothing was published.',
}

const overtaken = ({ active }: ProgramInView): Hindrance => ({
  title: `Version ${active?.program_version_id} was published after this draft was begun`,
  faults: [],
  keep: true,
})

/** A conflict with faults is over what others published; one without is over the draft itself, which is another by now. */
const hindranceOf = ({ errors }: Problem): Hindrance =>
  errors.length === 0
    ? { title: changedMeanwhile, faults: [] }
    : { title: 'Others published something meanwhile that this draft changes too', faults: errors, keep: true }
