// The forms around a draft: its review before publishing, with the ways out of a conflict, and discarding it.

/** @jsxImportSource preact */

import { Problem } from '../../../base/problem.ts'
import { discardDraft, saveDraft } from '../../../core/programs/save-draft.ts'
import { findPublicationUnderWay } from '../../../db/programs/publication-rows.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import type { Deps } from '../../http/server/deps.ts'
import { editing, type PageRoute, showForm } from '../requests/action.ts'
import { type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'
import { type EditRefusal, editOptions, refusalOf } from './edit-refusals.tsx'
import { findVisibleProgram } from './program-in-view.ts'
import { publish, review, viewOf } from './publish-actions.tsx'
import { DiscardPage, type Hindrance, PublishPage } from './publish-pages.tsx'

const programRoute = '/admin/programs/:slug'

export const publishForms = (deps: Deps): PageRoute[] => [...publishRoutes(deps), ...discardRoutes(deps)]

const pathOf = (request: PageRequest, rest: string): string => `/admin/programs/${request.params.slug}${rest}`
const noDraft = (request: PageRequest): Response => redirect(request, pathOf(request, '/questions?done=nodraft'))

async function showReview(deps: Deps, request: PageRequest, refused?: Hindrance): Promise<Response> {
  const view = await viewOf(deps, request)
  if (view.draft === undefined) return noDraft(request)
  const { moves, refusal, changes } = await review(deps, view)
  const hindrance = refused ?? (refusal && hindranceOf(refusal))
  const page = <PublishPage view={{ ...view, changes }} moves={moves} hindrance={hindrance} />
  const faulty = request.context.form.errors.length > 0
  return showPage(request, page, faulty ? 400 : refused === undefined ? 200 : 409)
}

async function sendReviewed(deps: Deps, request: PageRequest): Promise<Response> {
  const { form } = request
  const slug = request.params.slug!
  await viewOf(deps, request)
  const reviewed = idOf(form.get('reviewed')) ?? 0
  try {
    const done = await publish(deps, request, slug, { reviewed, move: form.getAll('move') })
    if (typeof done === 'number') return redirect(request, pathOf(request, `/publications/${done}`))
    const { program_version_id, published } = done
    const next = published ? `/versions/${program_version_id}?done=published` : '/questions?done=same'
    return redirect(request, pathOf(request, next))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.kind === 'not_found') return noDraft(request)
    if (error.kind !== 'conflict' && error.kind !== 'invalid_request') throw error
    const unsaid = error.errors.filter(({ code }) => code === 'other_program_moves')
    if (unsaid.length > 0)
      return showForm(request, { values: form, errors: [unticked] }, again => showReview(deps, again))
    return showReview(deps, request, hindranceOf(error))
  }
}

function publishRoutes(deps: Deps): PageRoute[] {
  const { consoleDb: db, config } = deps

  /** While a publication is running, its page shows the progress. */
  const open = async (request: PageRequest): Promise<Response> => {
    const { program_id } = await findVisibleProgram(db, request.person, request.params.slug!)
    const underWay = await findPublicationUnderWay(db, program_id)
    return underWay === undefined
      ? showReview(deps, request)
      : redirect(request, pathOf(request, `/publications/${underWay}`))
  }

  const keep = async (request: PageRequest): Promise<Response> => {
    const { form, by } = request
    const { draft } = await viewOf(deps, request)
    if (draft === undefined) return noDraft(request)
    const [active, shown] = ['active', 'draft'].map(name => idOf(form.get(name)))
    try {
      // Replaces only the draft that was displayed.
      const document = { ...describeVersion(draft), based_on: active ?? null }
      await saveDraft(db, document, by.actor, { ...editOptions(request, config), over: shown })
      return redirect(request, pathOf(request, '/publish'))
    } catch (error) {
      const { errors } = refusalOf(error)
      return showReview(deps, request, { name: 'changed-since', title: changedConcurrently, errors })
    }
  }

  return [
    editing({ method: 'GET', path: `${programRoute}/publish`, answer: open }),
    editing({ method: 'POST', path: `${programRoute}/publish`, answer: request => sendReviewed(deps, request) }),
    editing({ method: 'POST', path: `${programRoute}/keep`, answer: keep }),
  ]
}

function discardRoutes(deps: Deps): PageRoute[] {
  const show = async (request: PageRequest, refused?: EditRefusal): Promise<Response> => {
    const view = await viewOf(deps, request)
    if (view.draft === undefined) return noDraft(request)
    return showPage(request, <DiscardPage view={view} refused={refused} />, refused?.status)
  }

  const discard = async (request: PageRequest): Promise<Response> => {
    const { form, by, address } = request
    const reviewed = idOf(form.get('reviewed')) ?? 0
    const { draft } = await viewOf(deps, request)
    if (draft === undefined) return noDraft(request)
    try {
      await discardDraft(deps.consoleDb, request.params.slug!, by.actor, { reviewed, address })
      return redirect(request, pathOf(request, '?done=discarded'))
    } catch (error) {
      return show(request, refusalOf(error))
    }
  }

  const path = `${programRoute}/discard`
  return [
    editing({ method: 'GET', path, answer: request => show(request) }),
    editing({ method: 'POST', path, answer: discard }),
  ]
}

const changedConcurrently = 'Someone else changed this program, so nothing was done. Review the current state'

const unticked = {
  parameter: 'move',
  code: 'required',
  detail: 'Select all of these programs to confirm that publishing also changes them. Nothing has been published yet.',
}

/** A conflict with errors comes from other publications; one without comes from the draft itself, which has been replaced. */
function hindranceOf({ kind, detail, internal, errors }: Problem): Hindrance {
  if (kind === 'invalid_request')
    return { name: 'no-longer-fits', title: 'The draft no longer fits the question bank', errors }
  if (internal === 'broken_condition')
    return { name: 'depended-on', title: 'Another program depends on something this draft removes', errors }
  if (internal !== 'outdated') return { name: 'changed-since', title: changedConcurrently, errors: [] }
  if (errors.length === 0) return { name: 'overtaken', title: detail, errors, keep: true }
  return {
    name: 'conflicting',
    title: 'Someone else published changes to the same things as this draft',
    errors,
    keep: true,
  }
}
