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
import { attachment } from '../../docs/docs-response.ts'
import { htmlResponse } from '../../shell/html-response.ts'
import { everyRole, readingRoles } from '../../shell/navigation.ts'
import { idIn, idOf, pageOf, textOf } from '../addressed.ts'
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

export function programDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const list = async (visit: Visit): Promise<Response> => {
    const { person, context, now, place } = visit
    const among = person.programIds === 'all' ? 'all' : [...person.programIds]
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readProgramOverviews(db, { among, search, after, rowsMax: rowsMax + 1 })
    const { items: programs, next } = pageOf(rows, rowsMax, ({ slug }) => slug)
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
    const { items: history, next } = await loadHistory(db, program, idOf(before) ?? Number.MAX_SAFE_INTEGER)
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
    const name = `${program.slug}-${found.program_version_id}.json`
    return attachment(documentText(found), 'application/json; charset=utf-8', name)
  }

  const bank = async (visit: Visit): Promise<Response> => {
    const { context } = visit
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readBankPage(db, { search, after, rowsMax: rowsMax + 1 })
    const { items: questions, next } = pageOf(rows, rowsMax, ({ admin_name }) => admin_name)
    return htmlResponse(BankPage({ context, questions, search, after, next }))
  }

  const bankQuestion = async (visit: Visit): Promise<Response> => {
    const question = await findBankEntry(db, idIn(visit, 'questionId'))
    if (question === undefined) throw new Problem('not_found', { detail: 'There is no such question.' })
    return htmlResponse(BankQuestionPage({ context: visit.context, question }))
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
