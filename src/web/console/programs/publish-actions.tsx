// Operations on a draft: compare it with the published version, publish it and follow the publication, discard it.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { type Comparison, reviewDraft } from '../../../core/programs/compare.ts'
import { askForPublication, makePublication, withinRequestMax } from '../../../core/programs/publications.ts'
import { type PublicationResult, publishDraft } from '../../../core/programs/publish.ts'
import { discardDraft } from '../../../core/programs/save-draft.ts'
import type { Db } from '../../../db/client.ts'
import { findPublication, type Publication, publicationRow } from '../../../db/programs/publication-rows.ts'
import { exportEffects } from '../../../domain/comparison/export-effects.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, Later, laterAction, type Part, reads, writes } from '../requests/action.ts'
import { differenceAnswer, nothing, publicationAnswer } from '../requests/answer-schemas.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { idOf, textOf } from '../requests/route-parameters.ts'
import { closed, id, texts } from '../requests/schemas.ts'
import { editOptions } from './edit-refusals.tsx'
import { findVisibleProgram, isOvertaken, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { PublicationPage } from './publish-pages.tsx'

const publication = Type.Object(
  {
    based_on: id('The ID of the draft you reviewed. If the draft has changed since, the request fails with 409.'),
    move: Type.Optional(
      texts('Slugs of the other programs that may get a new version because they use the changed questions.'),
    ),
  },
  closed,
)

const programRoute = '/programs/:slug'

export const publishActions = (deps: Deps): Part => [...draftActions(deps), ...publishingActions(deps)]

export const viewOf = ({ consoleDb }: Deps, { person, params }: ConsoleRequest) =>
  loadProgramInView(consoleDb, person, params.slug!)

const draftActions = (deps: Deps): Action[] => {
  const { consoleDb: db } = deps
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
  return [
    laterAction({
      name: 'publishDraft',
      route: `POST ${programRoute}/publish`,
      summary: 'Publish the draft',
      description: `If more than ${withinRequestMax} other programs get a new version, publishing continues in the background (202).`,
      answers: 'The new active version, its changes, and the other programs that got a new version.',
      answered: publicationAnswer,
      later: {
        answers: 'Publishing continues in the background, all or nothing. Read its progress at `Location`.',
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

/** The outcome of a publication, or the ID of one that runs in the background. */
export async function publish(
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

/** The effects of publishing the draft on other programs, and the reason if it can't be published now. */
export async function review(
  { consoleDb: db, config }: Deps,
  view: ProgramInView,
): Promise<Pick<Comparison, 'moves' | 'refusal' | 'changes'>> {
  const { changes } = view
  if (isOvertaken(view)) return { moves: [], refusal: overtaken(view), changes }
  return { changes, ...(await reviewDraft(db, view.draft!, config)) }
}

const placed = ({ path, code, detail }: ProblemItem) => ({ ...(path === undefined ? {} : { path }), code, detail })

const overtaken = ({ active }: ProgramInView): Problem =>
  new Problem('conflict', {
    detail: `Version ${active?.version_number} was published after this draft was started`,
    internal: 'outdated',
  })
