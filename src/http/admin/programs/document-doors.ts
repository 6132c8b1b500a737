// Editing a draft as a document, and beginning a program.

import { actorOf } from '../../../access/roles.ts'
import { member } from '../../../domain/definitions/definition-form.ts'
import { Problem } from '../../../problem.ts'
import { compareWithVersion } from '../../../programs/compare.ts'
import { saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { idOf } from '../addressed.ts'
import { type ConsoleDoor, redirect, type Visit } from '../console-doors.ts'
import { type Conflict, DocumentPage, NewProgramPage } from './document-pages.tsx'
import { editOptions } from './edit-refusals.tsx'
import { documentText, loadProgramInView, type ProgramInView } from './program-in-view.ts'
import { type PlacedFault, placeFaults, readDocumentField } from './read-document-field.ts'

/** The longest definition as a form sends it: most of its signs take one byte, quotes and braces three. */
export const documentBytesMax = 8 * 1024 * 1024

const beginning = `${JSON.stringify(
  {
    slug: 'housing-aid-2026',
    based_on: null,
    display_name: 'Housing Aid',
    statuses: ['Approved', 'Denied'],
    questions: [{ admin_name: 'applicant name', kind: 'NAME', text: 'What is your name?' }],
    screens: [{ name: 'About you', questions: [{ question: 'applicant name' }] }],
  },
  null,
  2,
)}\n`

export function documentDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const page = (
    { context, now }: Visit,
    view: ProgramInView,
    shown: { text: string; faults?: readonly PlacedFault[]; conflict?: Conflict },
    status = 200,
  ): Response => {
    const { text, faults = [], conflict } = shown
    return htmlResponse(DocumentPage({ context, now, program: view.program, view, text, faults, conflict }), status)
  }

  const show = async (visit: Visit): Promise<Response> => {
    const view = await loadProgramInView(db, visit.person, visit.params.slug!)
    return page(visit, view, { text: documentText(view.current) })
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

  const save = async (visit: Visit): Promise<Response> => {
    const { form, person } = visit
    const slug = visit.params.slug!
    const view = await loadProgramInView(db, person, slug)
    const text = form.get('document') ?? ''
    const read = readDocumentField(text)
    if ('faults' in read) return page(visit, view, { text, faults: read.faults }, 400)
    const other = otherSlug(read.document, slug)
    if (other !== undefined) return page(visit, view, { text, faults: placeFaults(text, [other]) }, 400)
    const { document, over } = overwriting(read.document, form.get('over'))
    try {
      const { saved } = await saveDraft(db, document, actorOf(person), { ...editOptions(visit, config), over })
      return redirect(visit, `/admin/programs/${slug}/questions?done=${saved ? 'saved' : 'same'}`)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict') {
        const now = await loadProgramInView(db, person, slug)
        return page(visit, now, { text, conflict: await conflict(read.document, now) }, 409)
      }
      if (error.kind !== 'invalid_request') throw error
      return page(visit, view, { text, faults: placeFaults(text, error.errors) }, 400)
    }
  }

  const showNew = ({ context }: Visit, shown: Partial<NewShown> = {}, status = 200): Response =>
    htmlResponse(
      NewProgramPage({
        context,
        form: shown.form ?? emptyForm,
        text: shown.text ?? beginning,
        faults: shown.faults ?? [],
      }),
      status,
    )

  const begin = async (visit: Visit): Promise<Response> => {
    const { form, person } = visit
    const text = form.get('document')
    const read = text === null ? { document: emptyProgram(form) } : readDocumentField(text)
    if ('faults' in read) return showNew(visit, { text: text!, faults: read.faults }, 400)
    try {
      const { slug, saved } = await saveDraft(db, read.document, actorOf(person), editOptions(visit, config))
      return redirect(visit, `/admin/programs/${slug}/questions?done=${saved ? 'begun' : 'same'}`)
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'conflict' && error.kind !== 'invalid_request')) throw error
      const faults = error.kind === 'invalid_request' ? error.errors : [taken]
      if (text === null) return showNew(visit, { form: { values: form, faults } }, 400)
      return showNew(visit, { text, faults: placeFaults(text, faults) }, 400)
    }
  }

  const showAgain = async (visit: Visit, { values }: FormState): Promise<Response> =>
    page(visit, await loadProgramInView(db, visit.person, visit.params.slug!), { text: values.get('document') ?? '' })

  const newAgain = (visit: Visit, form: FormState): Response => {
    const text = form.values.get('document')
    return showNew(visit, text === null ? { form } : { text })
  }

  const one = '/admin/programs/:slug/document'
  const roles = ['ADMINISTRATOR'] as const
  return [
    { method: 'GET', path: one, roles, answer: show },
    { method: 'POST', path: one, roles, answer: save, bodyBytesMax: documentBytesMax, again: showAgain },
    { method: 'GET', path: '/admin/new-program', roles, answer: visit => showNew(visit) },
    {
      method: 'POST',
      path: '/admin/new-program',
      roles,
      answer: begin,
      bodyBytesMax: documentBytesMax,
      again: newAgain,
    },
  ]
}

interface NewShown {
  form: FormState
  text: string
  faults: readonly PlacedFault[]
}

const taken = {
  path: '/slug',
  code: 'taken',
  detail: 'Must be another one: there is a program of this slug already. It is edited on its own page.',
}

const emptyProgram = (form: URLSearchParams) => ({
  slug: (form.get('slug') ?? '').trim(),
  based_on: null,
  display_name: (form.get('display_name') ?? '').trim(),
  statuses: [],
  questions: [],
  screens: [{ name: 'About you', questions: [] }],
})

export function otherSlug(document: unknown, slug: string) {
  const said = member(document, 'slug')
  if (said === undefined || said === slug) return undefined
  return {
    path: '/slug',
    code: 'immutable',
    detail: `Must stay "${slug}": this is the page of that program. Another program begins under New program.`,
  }
}

/** A document in place of what its author was shown beside it, as `<active id>-<draft id>`. */
function overwriting(document: unknown, shown: string | null): { document: unknown; over?: number } {
  if (shown === null || typeof document !== 'object' || document === null) return { document }
  const [active, draft] = shown.split('-').map(idOf)
  return { document: { ...document, based_on: active ?? null }, over: draft ?? undefined }
}
