// Edits a draft as a document, and creates programs.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { compareWithVersion } from '../../../core/programs/compare.ts'
import { saveDraft } from '../../../core/programs/save-draft.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import { member } from '../../../domain/definitions/definition-form.ts'
import { describeForEditing, describeVersion } from '../../../domain/definitions/version-definition.ts'
import { asciiName } from '../../../domain/values/slug.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, editing, type PageRoute, type Part, reads, showForm, writes } from '../requests/action.ts'
import { documentAnswer, draftAnswer } from '../requests/answer-schemas.ts'
import { type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'
import { type Conflict, DocumentPage, NewProgramPage, type RefusedDocument } from './document-pages.tsx'
import { editOptions } from './edit-refusals.tsx'
import { documentText, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { documentBytesMax, otherSlug, type PlacedError, placeErrors, readDocumentField } from './read-document-field.ts'

const path = '/admin/programs/:slug/document'

const definition = Type.Unsafe<unknown>({
  type: 'object',
  description:
    'The definition of a program, as returned by GET. `based_on` is the version it was created from; if something newer has been saved or published, the request fails with 409. `scripts/program schema` prints its JSON Schema.',
})

export const documentActions = (deps: Deps): Part => [...draftActions(deps), ...documentPage(deps), ...newProgram(deps)]

/** The draft as read and saved through the API. */
const draftActions = ({ consoleDb: db, config }: Deps): Action[] => [
  action({
    name: 'readDraft',
    route: 'GET /programs/:slug/draft',
    summary: 'Read a program’s draft',
    answers: 'The draft as a document, or the active version if there is no draft.',
    answered: documentAnswer,
    ...reads('programs'),
    run: async ({ person, params }) => describeForEditing((await loadProgramInView(db, person, params.slug!)).current),
  }),
  action({
    name: 'saveDraft',
    route: 'PUT /programs/:slug/draft',
    summary: 'Save a draft',
    description: 'Creates the program if there is none with this slug.',
    answers: 'The draft and its changes. `saved` is false if it equals the existing draft or the active version.',
    answered: draftAnswer,
    ...writes('programs'),
    body: definition,
    bodyBytesMax: documentBytesMax,
    run: async (request, document) => {
      const other = otherSlug(document, request.params.slug!)
      if (other !== undefined) throw invalidRequest('The definition belongs to another program.', [other])
      return saveDraft(db, document, request.by.actor, editOptions(request, config))
    },
  }),
]

function documentPage({ consoleDb: db, config }: Deps): PageRoute[] {
  const page = (
    request: PageRequest,
    view: ProgramInView,
    shown: { text: string; errors?: readonly PlacedError[]; conflict?: Conflict },
    status = 200,
  ) => showPage(request, <DocumentPage view={view} {...shown} />, status)

  const show = async (request: PageRequest): Promise<Response> => {
    const view = await loadProgramInView(db, request.person, request.params.slug!)
    const typed = request.context.form.values.get('document')
    return page(request, view, { text: typed ?? documentText(view.current) })
  }

  const conflict = async (document: unknown, view: ProgramInView): Promise<Conflict> => {
    const stored = documentText(view.current)
    try {
      return { stored, differences: await compareWithVersion(db, document, view.current, config) }
    } catch (error) {
      if (error instanceof Problem && error.kind === 'invalid_request') return { stored, differences: undefined }
      throw error
    }
  }

  const save = async (request: PageRequest): Promise<Response> => {
    const { form, person, by } = request
    const slug = request.params.slug!
    const view = await loadProgramInView(db, person, slug)
    const text = form.get('document') ?? ''
    const read = readDocumentField(text)
    if ('errors' in read) return page(request, view, { text, errors: read.errors }, 400)
    const other = otherSlug(read.document, slug)
    if (other !== undefined) return page(request, view, { text, errors: placeErrors(text, [other]) }, 400)
    const { document, over } = overwriting(read.document, form.get('over'))
    try {
      const { saved } = await saveDraft(db, document, by.actor, { ...editOptions(request, config), over })
      return redirect(request, `/admin/programs/${slug}/questions?done=${saved ? 'saved' : 'same'}`)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict') {
        const now = await loadProgramInView(db, person, slug)
        return page(request, now, { text, conflict: await conflict(read.document, now) }, 409)
      }
      if (error.kind !== 'invalid_request') throw error
      return page(request, view, { text, errors: placeErrors(text, error.errors) }, 400)
    }
  }

  return [
    editing({ method: 'GET', path, answer: show }),
    editing({ method: 'POST', path, answer: save, bodyBytesMax: documentBytesMax, again: show }),
  ]
}

function newProgram({ consoleDb: db, config }: Deps): PageRoute[] {
  const show = async (request: PageRequest, refused: RefusedDocument = { errors: [] }, status = 200) => {
    const programs = (await readPrograms(db)).filter(
      program => (program.active_version_id ?? program.draft_version_id) !== null,
    )
    return showPage(request, <NewProgramPage programs={programs} {...refused} />, status)
  }

  /** The content of a new program: an empty screen, or a copy of another program's questions. */
  const named = async ({ form, person }: PageRequest) => {
    const display_name = (form.get('display_name') ?? '').trim()
    const typed = (form.get('slug') ?? '').trim()
    const heading = { slug: typed === '' ? asciiName(display_name, '-') : typed, display_name }
    const copied = form.get('copy_of') ?? ''
    if (copied === '')
      return { statuses: [], questions: [], screens: [{ name: 'About you', questions: [] }], ...heading }
    return { ...describeVersion((await loadProgramInView(db, person, copied)).current), ...heading }
  }

  const begin = async (request: PageRequest): Promise<Response> => {
    const { form, by } = request
    const text = form.get('document')
    const read = text === null ? { document: await named(request) } : readDocumentField(text)
    if ('errors' in read) return show(request, { text: text!, errors: read.errors }, 400)
    try {
      // Whatever its source, an existing program is edited on its own page.
      const { slug, saved } = await saveDraft(db, basedOn(read.document, null), by.actor, editOptions(request, config))
      // A new program without content is opened in the editor.
      if (text === null && (request.form.get('copy_of') ?? '') === '')
        return redirect(request, `/admin/programs/${slug}/edit`)
      return redirect(request, `/admin/programs/${slug}/questions?done=${saved ? 'begun' : 'same'}`)
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'conflict' && error.kind !== 'invalid_request')) throw error
      const errors = error.kind === 'invalid_request' ? error.errors : [taken]
      if (text === null) {
        const ofForm = { values: form, errors: errorsOfNaming(form, errors) }
        return showForm(request, ofForm, () => show(request, undefined, 400))
      }
      const slug = error.kind === 'conflict' ? String(member(read.document, 'slug')) : undefined
      return show(request, { text, errors: placeErrors(text, errors), taken: slug }, 400)
    }
  }

  const showAgain = (request: PageRequest): Promise<Response> =>
    show(request, { text: request.context.form.values.get('document') ?? undefined, errors: [] })

  const path = '/admin/new-program'
  return [
    editing({ method: 'GET', path, answer: request => show(request) }),
    editing({ method: 'POST', path, answer: begin, bodyBytesMax: documentBytesMax, again: showAgain }),
  ]
}

/** A missing name is reported as such; the slug that would have been derived from it is not an error of its own. */
function errorsOfNaming(form: URLSearchParams, errors: readonly ProblemItem[]): readonly ProblemItem[] {
  const isEmpty = (field: string): boolean => (form.get(field) ?? '').trim() === ''
  if (!isEmpty('display_name')) return errors
  const others = errors.filter(({ path }) => path !== '/display_name' && !(path === '/slug' && isEmpty('slug')))
  return [{ path: '/display_name', code: 'required', detail: 'Enter a name.' }, ...others]
}

const taken = {
  path: '/slug',
  code: 'taken',
  detail: 'A program with this slug already exists. Choose another slug, or edit that program on its own page.',
}

/** Saves a document over the version displayed beside it, given as `<active id>-<draft id>`. */
function overwriting(document: unknown, shown: string | null): { document: unknown; over?: number } {
  if (shown === null) return { document }
  const [active, draft] = shown.split('-').map(idOf)
  return { document: basedOn(document, active ?? null), over: draft ?? undefined }
}

const basedOn = (document: unknown, based_on: number | null): unknown =>
  typeof document === 'object' && document !== null ? { ...document, based_on } : document
