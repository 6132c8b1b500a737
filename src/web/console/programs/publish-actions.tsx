// Reviews, publishes, keeps and discards a draft.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { type Comparison, reviewDraft } from '../../../core/programs/compare.ts'
import { askForPublication, makePublication, withinRequestMax } from '../../../core/programs/publications.ts'
import { type PublicationResult, publishDraft } from '../../../core/programs/publish.ts'
import { discardDraft, saveDraft } from '../../../core/programs/save-draft.ts'
import type { Db } from '../../../db/client.ts'
import {
  findPublication,
  findPublicationUnderWay,
  type Publication,
  publicationRow,
} from '../../../db/programs/publication-rows.ts'
import { exportEffects } from '../../../domain/comparison/export-effects.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import type { Deps } from '../../http/server/deps.ts'
import {
  type Action,
  action,
  editing,
  Later,
  laterAction,
  type PageRoute,
  type Part,
  reads,
  showForm,
  writes,
} from '../requests/action.ts'
import { differenceAnswer, nothing, publicationAnswer } from '../requests/answer-schemas.ts'
import { type ConsoleRequest, type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { idOf, textOf } from '../requests/route-parameters.ts'
import { closed, id, texts } from '../requests/schemas.ts'
import { type EditRefusal, editOptions, refusalOf } from './edit-refusals.tsx'
import { findVisibleProgram, isOvertaken, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { DiscardPage, type Hindrance, PublicationPage, PublishPage } from './publish-pages.tsx'

const publication = Type.Object(
  {
    based_on: id('The ID of the draft you reviewed. If the draft has changed since, the request fails with 409.'),
    move: Type.Optional(
      texts('Slugs of the other programs that may get a new version because they use the changed questions.'),
    ),
  },
  closed,
)

export const publishActions = (deps: Deps): Part => [
  ...draftActions(deps),
  ...publishingActions(deps),
  ...publishRoutes(deps),
  ...discardRoutes(deps),
]

const viewOf = ({ consoleDb }: Deps, { person, params }: ConsoleRequest) =>
  loadProgramInView(consoleDb, person, params.slug!)

const draftActions = (deps: Deps): Action[] => {
  const { consoleDb: db } = deps
  const programRoute = '/programs/:slug'
  return [
    action({
      name: 'discardDraft',
      route: `DELETE ${programRoute}/draft`,
      summary: 'Discard the draft',
      answers: 'An empty object.',
      answered: nothing,
      ...writes('programs'),
      query: { based_on: 'The ID of the draft. If the draft has changed since, the request fails with 409. Required.' },
      run: async request => {
        const reviewed = idOf(textOf(request, 'based_on'))
        if (reviewed === undefined)
          throw invalidRequest('The draft ID is missing.', [
            { parameter: 'based_on', code: 'required', detail: 'Must be the ID of the draft.' },
          ])
        const { slug } = await findVisibleProgram(db, request.person, request.params.slug!)
        await discardDraft(db, slug, request.by.actor, { reviewed, address: request.address })
      },
    }),
    action({
      name: 'compareDraft',
      route: `GET ${programRoute}/difference`,
      summary: 'Preview publishing the draft',
      answers: 'The changes, their effects on clients, and the other active programs that get a new version.',
      answered: differenceAnswer,
      ...reads('programs'),
      run: async request => {
        const view = await viewOf(deps, request)
        const { active, draft } = view
        if (draft === undefined) throw new Problem('not_found', { detail: 'This program has no draft.' })
        const { moves, refusal, changes } = await review(deps, view)
        return {
          draft: draft.program_version_id,
          active: active?.program_version_id ?? null,
          outdated: refusal?.internal === 'outdated',
          refusal: refusal === undefined ? null : { detail: refusal.detail, errors: refusal.errors.map(placed) },
          changes,
          effects: active === undefined ? [] : exportEffects(changes),
          moves,
        }
      },
    }),
  ]
}

const publishingActions = (deps: Deps): Action[] => {
  const { consoleDb: db } = deps
  const programRoute = '/programs/:slug'
  return [
    laterAction({
      name: 'publishDraft',
      route: `POST ${programRoute}/publish`,
      summary: 'Publish the draft',
      description: `If more than ${withinRequestMax} other programs get a new version, publishing continues in the background (202).`,
      answers: 'The new active version, its changes, and the other programs that got a new version.',
      answered: publicationAnswer,
      later: {
        answers: 'Publishing continues in the background, all or nothing. `Location` has its progress.',
        answered: publicationRow,
      },
      ...writes('programs'),
      body: publication,
      run: async (request, { based_on, move = [] }) => {
        const { slug, program_id } = await findVisibleProgram(db, request.person, request.params.slug!)
        const done = await publish(deps, request, slug, { reviewed: based_on, move })
        if (typeof done !== 'number') return done
        const { answer } = await publicationOf(db, program_id, done)
        return new Later(answer, `/programs/${slug}/publications/${done}`)
      },
    }),
    action({
      name: 'readPublication',
      route: `GET ${programRoute}/publications/:publicationId`,
      summary: 'Read the progress of a publication',
      answers:
        'The number of programs that are ready, when the publication ended, and the reason if nothing was published.',
      answered: publicationRow,
      ...reads('programs'),
      run: async ({ person, params }) => {
        const { program_id } = await findVisibleProgram(db, person, params.slug!)
        return (await publicationOf(db, program_id, idOf(params.publicationId) ?? 0)).answer
      },
      page: async (request, publication) => (
        <PublicationPage
          program={await findVisibleProgram(db, request.person, request.params.slug!)}
          publication={publication}
        />
      ),
    }),
  ]
}

/** What a publication did; or the id of one that is made in the background. */
async function publish(
  { consoleDb: db, config, log }: Deps,
  request: ConsoleRequest,
  slug: string,
  { reviewed, move }: { reviewed: number; move: readonly string[] },
): Promise<PublicationResult | number> {
  const { actor, address } = request.by
  const publicationId = await askForPublication(db, slug, { reviewed, move, actor, address })
  if (publicationId === undefined)
    return publishDraft(db, slug, actor, { ...editOptions(request, config), reviewed, move })
  void makePublication(db, publicationId, { enumeratorDepthMax: config.enumeratorDepthMax, log })
  return publicationId
}

async function publicationOf(db: Db, programId: number, publicationId: number): Promise<{ answer: Publication }> {
  const found = await findPublication(db, publicationId)
  if (found?.program_id !== programId)
    throw new Problem('not_found', { detail: 'There is no publication with this ID for this program.' })
  const { program_id: _, slug: __, move: ___, address: ____, ...answer } = found
  return { answer }
}

const pathOf = (request: PageRequest, rest: string): string => `/admin/programs/${request.params.slug}${rest}`
const noDraft = (request: PageRequest): Response => redirect(request, pathOf(request, '/questions?done=nodraft'))

/** What publishing the draft would do to other programs, and why it would be refused now, if so. */
async function review(
  { consoleDb: db, config }: Deps,
  view: ProgramInView,
): Promise<Pick<Comparison, 'moves' | 'refusal' | 'changes'>> {
  const { changes } = view
  if (isOvertaken(view)) return { moves: [], refusal: overtaken(view), changes }
  return { changes, ...(await reviewDraft(db, view.draft!, config)) }
}

const placed = ({ path, code, detail }: ProblemItem) => ({ ...(path === undefined ? {} : { path }), code, detail })

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

  /** Where a publication is under way, its page says how far it is. */
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
      // Over no other draft than the one that was shown.
      const document = { ...describeVersion(draft), based_on: active ?? null }
      await saveDraft(db, document, by.actor, { ...editOptions(request, config), over: shown })
      return redirect(request, pathOf(request, '/publish'))
    } catch (error) {
      const { errors } = refusalOf(error)
      return showReview(deps, request, { name: 'changed-since', title: changedConcurrently, errors })
    }
  }

  const programRoute = '/admin/programs/:slug'
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

  const path = '/admin/programs/:slug/discard'
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

const overtaken = ({ active }: ProgramInView): Problem =>
  new Problem('conflict', {
    detail: `Version ${active?.version_number} was published after this draft was started`,
    internal: 'outdated',
  })

/** A conflict with errors is over what others published; one without is over the draft itself, which is another by now. */
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
