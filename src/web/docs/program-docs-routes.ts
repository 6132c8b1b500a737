// Routes of the program docs: the index, a page for each program, and its downloads.

import { Elysia } from 'elysia'
import type { VNode } from 'preact'
import { Problem } from '../../base/problem.ts'
import type { GeneratedDocs, ProgramDocs } from '../../core/derived/program-docs.ts'
import { parseFields, parseQuestions, unknownFields } from '../../core/export/requests/question-choice.ts'
import { SentQuery } from '../../core/export/requests/sent-query.ts'
import { programsAmong } from '../../core/people/roles.ts'
import { findPullingKeyOf } from '../../db/keys/api-key-rows.ts'
import { loadProgramVersion, readDocumentedPrograms } from '../../db/programs/programs.ts'
import { followedShape } from '../../domain/questions/followed-shape.ts'
import { buildKeyMap, type KeyMap } from '../../domain/questions/key-map.ts'
import { findFields, visiblePart, visibleShape } from '../../domain/questions/question-view.ts'
import { inlined, responseSchema } from '../../domain/questions/response-schema.ts'
import { isSlug } from '../../domain/values/slug.ts'
import { attachment, download, json, pageResponse } from '../html/docs-response.ts'
import { readingRoles } from '../html/navigation.ts'
import { parseLanguage } from '../http/headers/accepted-languages.ts'
import { docsOperations } from '../http/openapi/docs-operations.ts'
import { programOpenApi } from '../http/openapi/program-document.ts'
import { hiddenRoute, routeDetail } from '../http/openapi/route-detail.ts'
import type { Deps } from '../http/server/deps.ts'
import { methodNotAllowed } from '../http/server/errors.ts'
import { placeOf } from '../http/server/place.ts'
import { refuseParameters, sentParameters } from '../http/server/program-request.ts'
import { codeSamples } from './code-samples/code-samples.ts'
import { freshnessOf } from './components/docs-freshness.tsx'
import { ConnectPage } from './guide/connect-page.tsx'
import type { Reader } from './guide/get-started.tsx'
import { isMarkdown, markdownResponse, wantsJson, withoutSuffix } from './markdown/markdown-response.ts'
import { ChangesPage } from './program-changes.tsx'
import { ProgramIndexPage } from './program-index-page.tsx'
import { type DocumentedPageProps, ProgramPage } from './program-page.tsx'
import {
  docsUrl,
  listedProgramsMax,
  type ShownVersion,
  type VersionView,
  viewProgram,
  viewPrograms,
} from './program-view.ts'
import { QuestionTablePage } from './question-table.tsx'
import { findFirstProgram, loadVisibleProgram, type Viewer, viewDocs } from './viewer.ts'

const program = '/docs/api/programs/:programSlug'
const version = `${program}/versions/:version`

/** Context of a handler. Path parameters are null if the router cannot decode them. */
interface Asked {
  viewer: Viewer
  request: Request
  params: Readonly<Record<string, string | null>>
}

/** `GET /docs/api/programs…`. Source: spec, "Generated program-specific docs"; contract D7. */
export const programDocsRoutes = (deps: Deps, docs: ProgramDocs) => {
  const loading = docsLoading(deps, docs)
  const { showIndex, showConnect, showProgram, showVersion, showQuestions, showChanges } = pages(deps, loading)
  const { sendSchema, sendOpenApi, sendSample } = downloads(deps, loading)
  const routes = new Elysia({ name: 'program-docs' }).use(viewDocs(deps))
  /** Pages are also available as Markdown, with `.md` at the end of their address. */
  const orMarkdown =
    (answer: (request: Asked) => Promise<Response>) =>
    async (request: Asked): Promise<Response> => {
      if (!isMarkdown(request.request)) return answer(request)
      const params = Object.fromEntries(
        Object.entries(request.params ?? {}).map(([name, text]) => [name, withoutSuffix(text)]),
      )
      const context = { ...request.viewer.context, coding: undefined }
      const page = await answer({ ...request, params, viewer: { ...request.viewer, context } })
      const language = page.headers.get('content-language')
      const fields = { ...request.viewer.fields, ...(language !== null && { 'Content-Language': language }) }
      return markdownResponse(page, request.request, context, fields)
    }
  const add = (path: string, answer: (request: Asked) => Promise<Response>, operation: object) =>
    routes
      .get(path, answer, { detail: routeDetail(operation) })
      .head(path, answer, hiddenRoute)
      .all(path, methodNotAllowed(['GET', 'HEAD']), hiddenRoute)
  const addPage = (path: string, answer: (request: Asked) => Promise<Response>, operation: object = { hide: true }) => {
    add(path, answer, operation)
    add(`${path}.md`, orMarkdown(answer), { hide: true })
  }
  addPage('/docs/api/programs', showIndex, docsOperations.index)
  addPage('/docs/api/connect', showConnect)
  // The suffix is part of the last parameter.
  add(program, orMarkdown(showProgram), docsOperations.program)
  add(version, orMarkdown(showVersion), docsOperations.version)
  addPage(`${version}/questions`, showQuestions)
  addPage(`${version}/changes`, showChanges)
  add(`${version}/response.schema.json`, sendSchema, docsOperations.schema)
  add(`${version}/openapi.json`, sendOpenApi, docsOperations.openApi)
  add(`${program}/samples/:fileName`, sendSample, docsOperations.sample)
  return routes
}

/** Loads a program that the viewer can see, and its docs. */
function docsLoading({ config, db }: Deps, docs: ProgramDocs) {
  const load = async ({ viewer, request, params }: Asked, parameters?: readonly string[]) => {
    const found = await loadVisibleProgram(db, viewer, request, params.programSlug ?? null)
    refuseParameters(request, parameters)
    return { found, place: placeOf(config, request) }
  }
  const loadDocs = (programId: number, { hidden }: Viewer) => docs.load(db, programId, hidden)
  /** The program with its docs in the requested language. */
  const loadView = async ({ viewer, request, params }: Asked) => {
    const found = await loadVisibleProgram(db, viewer, request, params.programSlug ?? null)
    const all = await docs.load(db, found.program_id, viewer.hidden, readLanguage(request))
    return { programId: found.program_id, program: viewProgram(found, all, placeOf(config, request)) }
  }
  return { load, docs, loadDocs, loadView }
}

type Loading = ReturnType<typeof docsLoading>

/** Pages, or JSON for clients that prefer it. */
function pages({ config, db, consoleDb, now }: Deps, { docs, loadView }: Loading) {
  /** Samples show a person the Username of one of their own keys. Passwords are not stored, so they cannot be shown. */
  const readerOf = async (viewer: Viewer, programId: number): Promise<Reader> => {
    const { username, mayExport, maySubmit, context } = viewer
    if (context.person === undefined) return { username, mayExport, maySubmit, isKey: true }
    const key = await findPullingKeyOf(consoleDb, `admin:${context.person.email}`, programId, now())
    return { username: key?.api_key_id, keyName: key?.name, mayExport, maySubmit, isKey: false }
  }
  const programPage = async (viewer: Viewer, programId: number, props: Omit<DocumentedPageProps, 'reader'>) =>
    pageResponse(
      inLanguageOf(viewer, props.shown),
      ProgramPage({ reader: await readerOf(viewer, programId), ...props }),
    )
  /** A page about one version besides its docs. */
  const sideOf =
    (page: (props: ShownVersion) => VNode) =>
    async (request: Asked): Promise<Response> => {
      const { program } = await loadView(request)
      const shown = pickVersion(program.versions, request.params.version)
      return pageResponse(inLanguageOf(request.viewer, shown), page({ program, shown }))
    }
  return {
    showIndex: async ({ viewer, request }: Asked): Promise<Response> => {
      const place = placeOf(config, request)
      // Reads one more than it shows, to know whether more follow.
      const rowsMax = listedProgramsMax + 1
      const listQuery = readListQuery(request)
      const programs = await readDocumentedPrograms(db, { among: programsAmong(viewer), ...listQuery, rowsMax })
      const shown = programs.slice(0, listedProgramsMax).map(program => program.program_id)
      const examples = await docs.loadShortExamples(db, shown, viewer.hidden)
      const list = viewPrograms(programs, examples, place, listQuery.search)
      if (wantsJson(request)) return json(list, viewer.fields)
      const { person } = viewer.context
      // Only administrators and auditors see why regenerating the docs failed.
      const looksAfter = person !== undefined && readingRoles.includes(person.role)
      const freshness = looksAfter ? freshnessOf(programs, examples) : undefined
      return pageResponse(viewer, ProgramIndexPage({ list, freshness, now: now() }))
    },
    showConnect: async ({ viewer, request }: Asked): Promise<Response> => {
      refuseParameters(request)
      const first = await findFirstProgram(db, viewer)
      return pageResponse(viewer, ConnectPage({ baseUrl: placeOf(config, request).baseUrl, slug: first?.slug }))
    },
    showProgram: async (request: Asked): Promise<Response> => {
      const { programId, program } = await loadView(request)
      const [shown] = program.versions
      return wantsJson(request.request)
        ? json(program, inLanguageOf(request.viewer, shown).fields)
        : programPage(request.viewer, programId, { program, shown })
    },
    showVersion: async (request: Asked): Promise<Response> => {
      const { programId, program } = await loadView(request)
      const shown = pickVersion(program.versions, request.params.version)
      return wantsJson(request.request)
        ? json(shown, inLanguageOf(request.viewer, shown).fields)
        : programPage(request.viewer, programId, { program, shown })
    },
    showQuestions: sideOf(QuestionTablePage),
    showChanges: sideOf(ChangesPage),
  }
}

function downloads({ config, db }: Deps, { load, loadDocs }: Loading) {
  return {
    sendSchema: async (request: Asked): Promise<Response> => {
      const { found, place } = await load(request, schemaParameters)
      const described = describedVersions(await loadDocs(found.program_id, request.viewer))
      const { program_version_id, key_map } = pickVersion(described, request.params.version)
      const { part, isInline } = await wantedSchema(key_map, request.request, async () =>
        buildKeyMap([await loadProgramVersion(db, program_version_id)]),
      )
      const id = `${docsUrl(place, found.slug)}/versions/${program_version_id}/response.schema.json`
      const document = responseSchema(part, {
        slug: found.slug,
        id: isInline ? `${id}?inline=1` : id,
        followed: followedShape(found, config.exportProfile),
      })
      return download(
        isInline ? inlined(document) : document,
        `${found.slug}-${program_version_id}.schema.json`,
        request.viewer.fields,
      )
    },
    sendOpenApi: async (request: Asked): Promise<Response> => {
      const { found, place } = await load(request)
      const described = describedVersions(await loadDocs(found.program_id, request.viewer))
      const {
        slug,
        display_name,
        program_version_id,
        key_map: keyMap,
        ...rest
      } = pickVersion(described, request.params.version)
      const example: unknown = JSON.parse(rest.example)
      const document = programOpenApi({
        slug,
        display_name,
        program_version_id,
        keyMap,
        example,
        baseUrl: place.baseUrl,
        followed: followedShape(found, config.exportProfile),
      })
      return download(document, `${slug}-${program_version_id}.openapi.json`, request.viewer.fields)
    },
    sendSample: async (request: Asked): Promise<Response> => {
      const { found, place } = await load(request)
      const wanted = codeSamples(place.baseUrl, found.slug).find(
        codeSample => codeSample.file_name === request.params.fileName,
      )
      if (wanted === undefined) throw new Problem('not_found', { detail: 'No code sample has this file name.' })
      return attachment(wanted.code, 'text/plain; charset=utf-8', wanted.file_name, request.viewer.fields)
    },
  }
}

const schemaParameters = ['fields', 'questions', 'inline'] as const

/**
 * The questions in `fields` or `questions`, for clients that validate an export with the same parameters; and whether to inline referenced
 * definitions. `loadCurrent` loads the questions that the version itself asks.
 */
async function wantedSchema(
  everAsked: KeyMap,
  request: Request,
  loadCurrent: () => Promise<KeyMap>,
): Promise<{ part: KeyMap; isInline: boolean }> {
  const query = new SentQuery(sentParameters(request), schemaParameters)
  const inline = query.read('inline', (text, error) =>
    text === '1' ? true : error('bad_inline', 'must be 1 or omitted.'),
  )
  const names = query.read('fields', parseFields)
  const questions = query.read('questions', parseQuestions)
  const keyMap = questions === undefined ? everAsked : visibleShape(everAsked, await loadCurrent())
  const found = findFields(keyMap, names ?? [])
  if (found.unknown.length > 0) query.errors.push(unknownFields(found.unknown, keyMap))
  if (query.errors.length > 0) throw query.problem()
  const part = names === undefined ? keyMap : visiblePart(keyMap, { hidden: new Set(), chosen: found.chosen })
  return { part, isInline: inline === true }
}

/** The language of the docs of a program, if one is requested. */
function readLanguage(request: Request): string | undefined {
  const query = new SentQuery(sentParameters(request), ['language'])
  const language = query.read('language', parseLanguage)
  if (query.errors.length > 0) throw query.problem()
  return language
}

/** The viewer with headers for a response in the language of this version. */
const inLanguageOf = <Seen extends Pick<Viewer, 'fields'>>(viewer: Seen, shown: VersionView | undefined): Seen =>
  shown === undefined ? viewer : { ...viewer, fields: { ...viewer.fields, 'Content-Language': shown.language } }

/** `after`, the slug after which the list continues, or empty; and `q`, the search text, or empty. */
function readListQuery(request: Request): { after: string; search: string } {
  const query = new SentQuery(sentParameters(request), ['after', 'q'])
  const search = query.read('q', text => text.trim())
  const after = query.read('after', (slug, error) =>
    isSlug(slug) ? slug : error('bad_slug', 'must be a program slug. Use the `next_url` of the previous page.'),
  )
  if (query.errors.length > 0) throw query.problem()
  return { after: after ?? '', search: search ?? '' }
}

const describedVersions = (versions: readonly GeneratedDocs[]) =>
  versions.map(({ docs, state }) => ({ ...docs, state }))

/** Finds a version by its ID, or as `active` or `draft`. */
function pickVersion<Version extends { program_version_id: number; state: string }>(
  versions: readonly Version[],
  wanted: string | null | undefined,
): Version {
  const found = versions.find(
    ({ program_version_id, state }) => String(program_version_id) === wanted || state.toLowerCase() === wanted,
  )
  if (found !== undefined) return found
  throw new Problem('not_found', { detail: 'The program has no active version or draft with this ID.' })
}
