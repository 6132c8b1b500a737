// Actions and pages for programs, their questions and versions.

/** @jsxImportSource preact */

import { programsAmong } from '../../../core/people/roles.ts'
import { saveDraft } from '../../../core/programs/save-draft.ts'
import {
  programOverview,
  readProgramOverviews,
  readPublishedVersionIds,
  readVersionIds,
} from '../../../db/programs/program-overviews.ts'
import { loadProgramVersion } from '../../../db/programs/programs.ts'
import { describeForEditing, describeVersion } from '../../../domain/definitions/version-definition.ts'
import { attachment } from '../../html/docs-response.ts'
import { everyRole, readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { loadActivity } from '../home/program-activity.tsx'
import { loadPace } from '../home/program-pace.tsx'
import { type Action, action, administrators, type Part, pageAt, reads } from '../requests/action.ts'
import { listedVersionAnswer, pageAfter, pageBefore, versionDocumentAnswer } from '../requests/answer-schemas.ts'
import { type ConsoleRequest, type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { idOf, pageAsked, pageOf, textOf } from '../requests/route-parameters.ts'
import { ComparePage } from './comparison-view.tsx'
import { basisOf, type EditRefusal, editOptions, refusalOf } from './edit-refusals.tsx'
import {
  changesOf,
  documentText,
  findVersionOf,
  findVisibleProgram,
  loadHistory,
  loadProgramInView,
  type VersionFacts,
} from './program-in-view.ts'
import { OverviewPage, ProgramsPage } from './programs-pages.tsx'
import { QuestionsPage } from './questions-pages.tsx'
import { VersionPage, VersionsPage } from './versions-pages.tsx'

const rowsMax = 50
const paging = { q: 'Text to search for.', after: 'The `next` value of the previous page.' }
const programRoute = '/programs/:slug'
const everyone = { roles: everyRole, scope: 'programs:read' } as const
const read = reads('programs')

export const programActions = (deps: Deps): Part => [
  ...overviewActions(deps),
  ...versionActions(deps),
  ...versionRoutes(deps),
]

function overviewActions(deps: Deps): Part {
  const { consoleDb: db } = deps
  const program = ({ person, params }: ConsoleRequest) => findVisibleProgram(db, person, params.slug!)
  return [
    action({
      name: 'listPrograms',
      route: 'GET /programs',
      summary: 'List programs',
      answers: 'Programs by slug, with their versions and counts, 50 per page.',
      answered: pageAfter(programOverview),
      ...everyone,
      query: { ...paging, archived: '`yes` to list archived programs. By default they appear only in searches.' },
      run: async request => {
        const archived = textOf(request, 'archived') === 'yes'
        const selection = { among: programsAmong(request.person), archived, ...pageAsked(request, rowsMax) }
        return pageOf(await readProgramOverviews(db, selection), rowsMax, ({ slug }) => slug)
      },
      page: (_, list) => <ProgramsPage {...list} />,
    }),
    action({
      name: 'readProgramOverview',
      route: `GET ${programRoute}`,
      summary: 'Read a program',
      answers: 'The program with its versions and counts.',
      answered: programOverview,
      ...everyone,
      run: program,
      page: async ({ now, context }, program) => {
        const [activity, pace] = await Promise.all([loadActivity(db, program, context), loadPace(db, program, now)])
        return <OverviewPage program={program} activity={activity} pace={pace} />
      },
    }),
    pageAt(`/admin${programRoute}/questions`, readingRoles, async ({ person, params }) => (
      <QuestionsPage view={await loadProgramInView(db, person, params.slug!)} />
    )),
  ]
}

/** A version and its predecessor. */
async function loadVersion({ consoleDb: db }: Deps, { person, params }: ConsoleRequest) {
  const program = await findVisibleProgram(db, person, params.slug!)
  const version = await findVersionOf(db, program, params.versionId!)
  const before = { before: version.program_version_id, rowsMax: 1 }
  const [previousId] = await readPublishedVersionIds(db, program.program_id, before)
  const previous = previousId === undefined ? undefined : await loadProgramVersion(db, previousId)
  return { program, version, previous }
}

const versionActions = (deps: Deps): Action[] => [
  action({
    name: 'listProgramVersions',
    route: `GET ${programRoute}/versions`,
    summary: 'List a program’s published versions',
    answers:
      'Versions, newest first, 10 per page, each with its first 20 changes and the number of further ones. Read a version for all its changes.',
    answered: pageBefore(listedVersionAnswer),
    ...read,
    query: { before: 'The `next` value of the previous page.' },
    run: async request => {
      const { items, next } = await loadHistoryPage(deps, request, 'before')
      return { items: items.map(({ version, ...changed }) => ({ ...factsOf(version), ...changed })), next }
    },
  }),
  action({
    name: 'readProgramVersion',
    route: `GET ${programRoute}/versions/:versionId`,
    summary: 'Read a program version',
    answers: 'The version as a document, and its changes since the previous version.',
    answered: versionDocumentAnswer,
    ...read,
    run: async request => {
      const { version, previous } = await loadVersion(deps, request)
      return { ...factsOf(version), changes: changesOf(previous, version), document: describeForEditing(version) }
    },
  }),
]

async function loadHistoryPage({ consoleDb: db }: Deps, request: ConsoleRequest, before: 'before' | 'after') {
  const program = await findVisibleProgram(db, request.person, request.params.slug!)
  return { program, ...(await loadHistory(db, program, idOf(textOf(request, before)) ?? Number.MAX_SAFE_INTEGER)) }
}

/** The pages of versions, and restoring an earlier one. */
function versionRoutes(deps: Deps): Part {
  const { consoleDb: db, config } = deps

  const show = async (request: PageRequest, refused?: EditRefusal): Promise<Response> => {
    const shown = await loadVersion(deps, request)
    return showPage(request, <VersionPage {...shown} refused={refused} />, refused?.status)
  }

  const take = async (request: PageRequest): Promise<Response> => {
    const program = await findVisibleProgram(db, request.person, request.params.slug!)
    const found = await findVersionOf(db, program, request.params.versionId!)
    const based_on = basisOf(request.form)
    try {
      await saveDraft(db, { ...describeVersion(found), based_on }, request.by.actor, editOptions(request, config))
      return redirect(request, `/admin/programs/${program.slug}/questions?done=taken`)
    } catch (error) {
      return show(request, refusalOf(error))
    }
  }

  const download = async (request: PageRequest): Promise<Response> => {
    const program = await findVisibleProgram(db, request.person, request.params.slug!)
    const found = await findVersionOf(db, program, request.params.versionId!)
    const name = `${program.slug}-${found.program_version_id}.json`
    return attachment(documentText(found), 'application/json; charset=utf-8', name)
  }

  /** Compares any two versions: by default the two newest, including a draft. */
  const compare = async ({ person, params, url }: PageRequest) => {
    const program = await findVisibleProgram(db, person, params.slug!)
    const versions = await readVersionIds(db, program.program_id)
    const load = async (name: string, otherwise: number) =>
      findVersionOf(
        db,
        program,
        url.searchParams.get(name) ?? String((versions[otherwise] ?? versions[0])?.program_version_id),
      )
    const [before, after] = [await load('from', 1), await load('to', 0)]
    return <ComparePage program={program} versions={versions} before={before} after={after} />
  }

  const versions = `/admin${programRoute}/versions`
  const version = `${versions}/:versionId`
  return [
    pageAt(versions, readingRoles, async request => (
      <VersionsPage {...(await loadHistoryPage(deps, request, 'after'))} />
    )),
    pageAt(`${versions}/compare`, readingRoles, compare),
    pageAt(version, readingRoles, request => show(request)),
    { method: 'POST', path: `${version}/take`, roles: administrators, editsPrograms: true, answer: take },
    pageAt(`${version}/document`, readingRoles, download),
  ]
}

/** A version without its content. */
const factsOf = (version: VersionFacts) => {
  const { program_version_id, version_number, state, based_on, created_at, created_by, published_at, published_by } =
    version
  return { program_version_id, version_number, state, based_on, created_at, created_by, published_at, published_by }
}
