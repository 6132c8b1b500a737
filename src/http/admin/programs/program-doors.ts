// What is read of programs, their questions and versions, and of the question bank.

import { actorOf } from '../../../access/roles.ts'
import {
  findBankEntry,
  readBankPage,
  readProgramOverviews,
  readPublishedVersionIds,
} from '../../../db/program-overviews.ts'
import { loadProgramVersion } from '../../../db/programs.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { Problem } from '../../../problem.ts'
import { saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { htmlResponse } from '../../shell/html-response.ts'
import { everyRole, readingRoles } from '../../shell/navigation.ts'
import { type ConsoleDoor, redirect, type Visit } from '../console-doors.ts'
import { BankPage, BankQuestionPage } from './bank-pages.tsx'
import { basisOf, type EditRefusal, editOptions, RefusalNotice, refusalOf } from './edit-refusals.tsx'
import {
  changesOf,
  documentText,
  findVersionOf,
  findVisibleProgram,
  loadHistory,
  loadProgramInView,
} from './program-in-view.ts'
import { OverviewPage, ProgramsPage } from './programs-pages.tsx'
import { QuestionsPage } from './questions-pages.tsx'
import { VersionPage, VersionsPage } from './versions-pages.tsx'

const rowsMax = 50

/** Rows of a page, and where the next one begins. One row more was read than is shown. */
function paged<Row>(rows: readonly Row[], shownMax: number, keyOf: (row: Row) => string): [Row[], string | undefined] {
  const shown = rows.slice(0, shownMax)
  return [shown, rows.length > shownMax ? keyOf(shown.at(-1)!) : undefined]
}

export const textOf = ({ url }: Pick<Visit, 'url'>, name: string): string =>
  (url.searchParams.get(name) ?? '').replaceAll('\0', '').slice(0, 200)

export function programDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const list = async (visit: Visit): Promise<Response> => {
    const { person, context, now, place } = visit
    const among = person.programIds === 'all' ? 'all' : [...person.programIds]
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readProgramOverviews(db, { among, search, after, rowsMax: rowsMax + 1 })
    const [programs, next] = paged(rows, rowsMax, ({ slug }) => slug)
    return htmlResponse(ProgramsPage({ context, now, baseUrl: place.baseUrl, programs, search, after, next }))
  }

  const overview = async (visit: Visit): Promise<Response> => {
    const { context, now, place } = visit
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const done = visit.url.searchParams.get('done')
    return htmlResponse(OverviewPage({ context, now, program, baseUrl: place.baseUrl, done }))
  }

  const questions = async (visit: Visit): Promise<Response> => {
    const { context, now } = visit
    const view = await loadProgramInView(db, visit.person, visit.params.slug!)
    const done = visit.url.searchParams.get('done')
    return htmlResponse(QuestionsPage({ context, now, program: view.program, view, search: textOf(visit, 'q'), done }))
  }

  const versions = async (visit: Visit): Promise<Response> => {
    const { context, now } = visit
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const before = textOf(visit, 'after')
    const from = /^[1-9]\d{0,14}$/.test(before) ? Number(before) : Number.MAX_SAFE_INTEGER
    const { history, next } = await loadHistory(db, program, from)
    return htmlResponse(VersionsPage({ context, now, program, history, before, next }))
  }

  const version = async (visit: Visit, refused?: EditRefusal): Promise<Response> => {
    const { context, now } = visit
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const found = await findVersionOf(db, program, visit.params.versionId!)
    const [previous] = await readPublishedVersionIds(db, program.program_id, {
      before: found.program_version_id,
      rowsMax: 1,
    })
    const changes = changesOf(previous === undefined ? undefined : await loadProgramVersion(db, previous), found)
    const document = documentText(found)
    const done = visit.url.searchParams.get('done')
    const page = { context, now, program, version: found, changes, document, previous, done }
    return htmlResponse(VersionPage({ ...page, refused: refused && RefusalNotice(refused) }), refused?.status)
  }

  const take = async (visit: Visit): Promise<Response> => {
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const found = await findVersionOf(db, program, visit.params.versionId!)
    const based_on = basisOf(visit.form)
    try {
      await saveDraft(db, { ...describeVersion(found), based_on }, actorOf(visit.person), editOptions(visit, config))
      return redirect(visit, `/admin/programs/${program.slug}/questions?done=taken`)
    } catch (error) {
      return version(visit, refusalOf(error))
    }
  }

  const download = async (visit: Visit): Promise<Response> => {
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const found = await findVersionOf(db, program, visit.params.versionId!)
    return new Response(documentText(found), {
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': `attachment; filename="${program.slug}-${found.program_version_id}.json"`,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      },
    })
  }

  const bank = async (visit: Visit): Promise<Response> => {
    const { context } = visit
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readBankPage(db, { search, after, rowsMax: rowsMax + 1 })
    const [shown, next] = paged(rows, rowsMax, ({ admin_name }) => admin_name)
    return htmlResponse(BankPage({ context, questions: shown, search, after, next }))
  }

  const bankQuestion = async ({ context, params }: Visit): Promise<Response> => {
    const question = /^[1-9]\d{0,14}$/.test(params.questionId!)
      ? await findBankEntry(db, Number(params.questionId))
      : undefined
    if (question === undefined) throw new Problem('not_found', { detail: 'There is no such question.' })
    return htmlResponse(BankQuestionPage({ context, question }))
  }

  const one = '/admin/programs/:slug'
  return [
    { method: 'GET', path: '/admin/programs', roles: everyRole, answer: list },
    { method: 'GET', path: one, roles: everyRole, answer: overview },
    { method: 'GET', path: `${one}/questions`, roles: readingRoles, answer: questions },
    { method: 'GET', path: `${one}/versions`, roles: readingRoles, answer: versions },
    { method: 'GET', path: `${one}/versions/:versionId`, roles: readingRoles, answer: visit => version(visit) },
    {
      method: 'POST',
      path: `${one}/versions/:versionId/take`,
      roles: ['ADMINISTRATOR'],
      editsPrograms: true,
      answer: take,
    },
    { method: 'GET', path: `${one}/versions/:versionId/document`, roles: readingRoles, answer: download },
    { method: 'GET', path: '/admin/questions', roles: readingRoles, answer: bank },
    { method: 'GET', path: '/admin/questions/:questionId', roles: readingRoles, answer: bankQuestion },
  ]
}
