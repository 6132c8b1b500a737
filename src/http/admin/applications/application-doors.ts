// Applications in the console: which programs, a list with filters, one application, what changed in it, as it is exported, and
// status and note.

import { actorOf, mayReadAnswers } from '../../../access/roles.ts'
import {
  type ApplicationDetails,
  findRevisionBefore,
  type ListedApplication,
  type ListPlace,
  readListedApplications,
  readNewestAnnotations,
  readProgramsWithSubmissions,
  readRevisions,
} from '../../../db/application-lists.ts'
import { loadProgramVersion, type Program } from '../../../db/programs.ts'
import { applicationChanges } from '../../../domain/readable/application-changes.ts'
import type { ExportedObject } from '../../../domain/readable/exported-answers.ts'
import { readableApplication } from '../../../domain/readable/readable-application.ts'
import { Problem } from '../../../problem.ts'
import { annotate } from '../../../upkeep/annotate.ts'
import { openApplications, type Reading } from '../../../upkeep/open-application.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse, pageFields } from '../../shell/html-response.ts'
import { everyRole } from '../../shell/navigation.ts'
import { pageOf, textOf } from '../addressed.ts'
import { type ConsoleDoor, redirect, type Visit } from '../console-doors.ts'
import { ApplicationPage } from './application-page.tsx'
import { ChangesPage } from './changes-page.tsx'
import { ExportedPage } from './exported-page.tsx'
import { exportedObjects, findSeenProgram, loadDetails, readListPage } from './find-applications.ts'
import { ApplicationsPage, ProgramChoicePage } from './list-pages.tsx'
import { type ListPage, listSearch, readListQuery } from './list-query.ts'

/** Programs on a page of the choice. */
const programRows = 200
/** Shown beside an application. */
const revisionsShown = 20
const statesShown = 30
/** A note of 10,000 characters has up to nine bytes for each in a form. */
const noteFormBytesMax = 256 * 1024

export function applicationDoors(deps: Deps): ConsoleDoor[] {
  const { consoleDb: db, config } = deps

  const program = ({ params, person }: Visit): Promise<Program> => findSeenProgram(db, person, params.slug!)

  const details = ({ params }: Visit, { program_id }: Pick<Program, 'program_id'>): Promise<ApplicationDetails> =>
    loadDetails(db, program_id, params.applicationId!)

  const choose = async (visit: Visit): Promise<Response> => {
    const { context, person } = visit
    const among = person.programIds === 'all' ? 'all' : [...person.programIds]
    const after = textOf(visit, 'after')
    const rows = await readProgramsWithSubmissions(db, { among, after, rowsMax: programRows + 1 })
    const { items: programs, next } = pageOf(rows, programRows, ({ slug }) => slug)
    return htmlResponse(ProgramChoicePage({ context, programs, next }))
  }

  const list = async (visit: Visit): Promise<Response> => {
    const shown = await program(visit)
    const query = readListQuery(visit.url.searchParams, config.timeZone)
    const found = query.faults.length > 0 ? nothing : await readListPage(db, shown.program_id, query)
    const page = ApplicationsPage({ context: visit.context, program: shown, query, ...found })
    return htmlResponse(page, query.faults.length > 0 ? 400 : 200)
  }

  const open = (visit: Visit, programId: number, readings: readonly { applicationId: number; reading: Reading }[]) =>
    openApplications(db, { program_id: programId, actor: actorOf(visit.person), address: visit.address }, readings)

  /** What was answered in this application, and in the one it is compared with. */
  const openAnswers = async (visit: Visit, programId: number, applicationId: number, beforeId: number | undefined) => {
    const readings = [{ applicationId, reading: 'shown' as const }]
    const stored = await open(visit, programId, [
      ...readings,
      ...(beforeId === undefined ? [] : [{ applicationId: beforeId, reading: 'compared' as const }]),
    ])
    const objects = await exportedObjects(deps, programId, stored)
    const opened = []
    for (const [i, { program_version_id }] of stored.entries()) {
      const { application } = JSON.parse(objects[i]!.toString()) as { application: ExportedObject }
      opened.push({ version: await loadProgramVersion(db, program_version_id), application })
    }
    return opened
  }

  const before = (application: ApplicationDetails, programId: number) =>
    findRevisionBefore(db, programId, application.applicant_id, application)

  const show = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> => {
    const shown = await program(visit)
    const { program_id } = shown
    const application = await details(visit, shown)
    const query = readListQuery(visit.url.searchParams, config.timeZone)
    const filter = query.faults.length > 0 ? {} : query.filter
    const beside = (direction: ListPlace['direction']): Promise<ListedApplication | undefined> =>
      readListedApplications(db, program_id, filter, { direction, beyond: application }, 1).then(([row]) => row)
    const [earlier, revisions, states, newer, older] = await Promise.all([
      before(application, program_id),
      readRevisions(db, program_id, application.applicant_id, revisionsShown + 1),
      readNewestAnnotations(db, program_id, application.application_id, statesShown + 1),
      beside('newer'),
      beside('older'),
    ])
    const opened = mayReadAnswers(visit.person)
      ? await openAnswers(visit, program_id, application.application_id, earlier?.application_id)
      : []
    const [now, then] = opened
    return htmlResponse(
      ApplicationPage({
        context: visit.context,
        program: shown,
        application,
        earlier,
        revisions: revisions.slice(0, revisionsShown),
        moreRevisions: revisions.length > revisionsShown,
        states: states.slice(0, statesShown),
        moreStates: states.length > statesShown,
        newer: newer?.application_id,
        older: older?.application_id,
        search: listSearch(query.values),
        answers: now && readableApplication(now.version, now.application, then?.application),
        changes: now && then && applicationChanges(now, then),
        form,
        done: visit.url.searchParams.get('done'),
      }),
      status,
    )
  }

  const save = async (visit: Visit): Promise<Response> => {
    const { program_id, slug } = await program(visit)
    const { application_id, status, application_note } = await details(visit, { program_id })
    const { form } = visit
    const chosen = form.get('status') || null
    // Browsers end the lines of a field with CR and LF, even where they were sent with LF.
    const note = lines(form.get('note') ?? '') || null
    try {
      await annotate(db, {
        program_id,
        application_id,
        // What was not touched is not set again: that would give it a new time (contract D30).
        status: chosen === status ? undefined : chosen,
        note: note === lines(application_note ?? '') ? undefined : note,
        seen: Number(form.get('seen')),
        actor: actorOf(visit.person),
        address: visit.address,
        now: visit.now,
        timeZone: config.timeZone,
      })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict' && error.internal === 'seen_is_old')
        return show(visit, { values: form, faults: [conflictFault] }, 409)
      if (error.kind === 'invalid_request' && error.errors.length > 0)
        return show(visit, { values: form, faults: error.errors }, 400)
      throw error
    }
    const query = readListQuery(visit.url.searchParams, config.timeZone)
    query.values.set('done', 'saved')
    return redirect(visit, `/admin/programs/${slug}/applications/${application_id}?${query.values}`)
  }

  const changes = async (visit: Visit): Promise<Response> => {
    const shown = await program(visit)
    const application = await details(visit, shown)
    const earlier = await before(application, shown.program_id)
    if (earlier === undefined)
      throw new Problem('not_found', { detail: 'There is no application of this applicant before this one.' })
    const [now, then] = await openAnswers(visit, shown.program_id, application.application_id, earlier.application_id)
    return htmlResponse(
      ChangesPage({
        context: visit.context,
        program: shown,
        application,
        earlier,
        ...applicationChanges(now!, then!),
      }),
    )
  }

  const asExported = async (visit: Visit, reading: Reading) => {
    const shown = await program(visit)
    const application = await details(visit, shown)
    const stored = await open(visit, shown.program_id, [{ applicationId: application.application_id, reading }])
    const [bytes] = await exportedObjects(deps, shown.program_id, stored)
    return { program: shown, application, bytes: bytes! }
  }

  const showExported = async (visit: Visit): Promise<Response> => {
    const { program, application, bytes } = await asExported(visit, 'as_exported')
    return htmlResponse(ExportedPage({ context: visit.context, program, application, bytes }))
  }

  const download = async (visit: Visit): Promise<Response> => {
    const { application, bytes } = await asExported(visit, 'downloaded')
    return new Response(new Uint8Array(bytes), {
      headers: {
        ...pageFields,
        'Content-Type': 'application/json',
        'Content-Disposition': `attachment; filename="application-${application.application_id}.json"`,
      },
    })
  }

  const all = '/admin/programs/:slug/applications'
  const one = `${all}/:applicationId`
  const readers = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR'] as const
  return [
    { method: 'GET', path: '/admin/applications', roles: everyRole, answer: choose },
    { method: 'GET', path: all, roles: everyRole, answer: list },
    { method: 'GET', path: one, roles: everyRole, answer: visit => show(visit) },
    { method: 'POST', path: one, roles: readers, bodyBytesMax: noteFormBytesMax, answer: save, again: show },
    { method: 'GET', path: `${one}/changes`, roles: readers, answer: changes },
    { method: 'GET', path: `${one}/exported`, roles: readers, answer: showExported },
    { method: 'GET', path: `${one}/download`, roles: readers, answer: download },
  ]
}

const nothing: ListPage = { applications: [], older: false, newer: false }

const lines = (text: string): string => text.replaceAll('\r\n', '\n')

const conflictFault = {
  parameter: 'note',
  code: 'changed_meanwhile',
  detail: 'Somebody changed status or note while you were typing, so nothing was saved.',
}
