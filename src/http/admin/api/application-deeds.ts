// Applications as JSON: found, read as they are exported, given a status and a note.

import { Type } from 'typebox'
import { readNewestAnnotations, readRevisions } from '../../../db/application-lists.ts'
import { invalidRequest } from '../../../problem.ts'
import { annotate } from '../../../upkeep/annotate.ts'
import { openApplications } from '../../../upkeep/open-application.ts'
import type { Deps } from '../../deps.ts'
import { everyRole } from '../../shell/navigation.ts'
import { exportedObjects, findSeenProgram, loadDetails, readListPage } from '../applications/find-applications.ts'
import { readListQuery } from '../applications/list-query.ts'
import { applicationAnswer, applicationsAnswer, detailsAnswer, historyAnswer } from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed } from './api-deeds.ts'
import { closed, id, nullableText } from './schemas.ts'

const historyMax = 200
const readers = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR'] as const

const annotation = Type.Object(
  {
    based_on: id(
      '`annotation_id` of the application as you read it: if it is another by now, nothing is changed (409).',
      0,
    ),
    status: Type.Optional(nullableText('One of the statuses of the program, or null for none.')),
    note: Type.Optional(nullableText('Any text of at most 10,000 characters, or null for none.')),
  },
  closed,
)

export function applicationDeeds(deps: Deps): ApiDeed[] {
  const { consoleDb: db, config } = deps
  const program = ({ person, params }: ApiVisit) => findSeenProgram(db, person, params.slug!)
  const found = async (visit: ApiVisit) => {
    const { program_id } = await program(visit)
    const { head, ...details } = await loadDetails(db, program_id, visit.params.applicationId!)
    return { program_id, details }
  }
  const all = '/programs/:slug/applications'
  const one = `${all}/:applicationId`

  return [
    deed({
      name: 'listApplications',
      method: 'GET',
      path: all,
      summary: 'Find applications of a program',
      answers: 'Applications without their answers, newest first, 50 a page.',
      answered: applicationsAnswer,
      roles: everyRole,
      scope: 'applications:read',
      query: {
        from: 'Submitted on or after this day of the instance’s zone.',
        to: 'Submitted before this day.',
        status: '`is:` and a status, or none.',
        revision: 'CURRENT or OBSOLETE.',
        applicant: 'The id of an applicant.',
        application: 'The id of an application.',
        older: '`older` of the page before.',
      },
      answer: async visit => {
        const { program_id } = await program(visit)
        const query = readListQuery(visit.url.searchParams, config.timeZone)
        if (query.faults.length > 0) throw invalidRequest('The filters cannot be read.', query.faults)
        const { applications, older } = await readListPage(db, program_id, query)
        const last = applications.at(-1)
        return { items: applications, older: older && last ? `${last.submit_time}-${last.submit_seq}` : null }
      },
    }),
    deed({
      name: 'readApplication',
      method: 'GET',
      path: one,
      summary: 'Read an application',
      description: 'That it was read is in the audit trail.',
      answers: 'The application exactly as it is exported, with `annotation_id` of its newest status and note.',
      answered: applicationAnswer,
      roles: readers,
      scope: 'applications:read',
      answer: async visit => {
        const { program_id, details } = await found(visit)
        const { actor } = visit.deed
        const reading = { applicationId: details.application_id, reading: 'as_exported' } as const
        const stored = await openApplications(db, { program_id, actor, address: visit.address }, [reading])
        const [bytes] = await exportedObjects(deps, program_id, stored)
        // The bytes of the export go out as they are.
        return new Response(`{"annotation_id":${details.annotation_id},"exported":${bytes!.toString()}}`, {
          headers: {
            'Content-Type': 'application/json',
            'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff',
          },
        })
      },
    }),
    deed({
      name: 'readApplicationHistory',
      method: 'GET',
      path: `${one}/history`,
      summary: 'Read what became of an application',
      answers:
        'Status and note with every earlier one, and the applicant’s other applications to the program; the newest 200 of each.',
      answered: historyAnswer,
      roles: everyRole,
      scope: 'applications:read',
      answer: async visit => {
        const { program_id, details } = await found(visit)
        const [states, revisions] = await Promise.all([
          readNewestAnnotations(db, program_id, details.application_id, historyMax),
          readRevisions(db, program_id, details.applicant_id, historyMax),
        ])
        return { ...details, states, revisions }
      },
    }),
    deed({
      name: 'annotateApplication',
      method: 'PATCH',
      path: one,
      summary: 'Set status and note of an application',
      description: 'What is left out stays.',
      answers: 'Status and note as they are now.',
      answered: detailsAnswer,
      roles: readers,
      scope: 'applications:write',
      body: annotation,
      bodyBytesMax: 256 * 1024,
      answer: async (visit, { based_on, status, note }) => {
        const { program_id, details } = await found(visit)
        const { application_id } = details
        const change = { program_id, application_id, status, note, seen: based_on }
        await annotate(db, { ...change, ...visit.deed, address: visit.address, timeZone: config.timeZone })
        return (await found(visit)).details
      },
    }),
  ]
}
