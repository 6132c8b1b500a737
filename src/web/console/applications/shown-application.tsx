// Loads everything the page of an application shows: answers, revisions, history and exports.

/** @jsxImportSource preact */

import { readListByName } from '../../../core/applications/list-by-name.ts'
import { mayReadAnswers } from '../../../core/people/roles.ts'
import {
  type ApplicationDetails,
  readNewestAnnotations,
  readRevisions,
} from '../../../db/applications/application-details.ts'
import type { ListedApplication, ListPlace } from '../../../db/applications/application-lists.ts'
import { findListPosition, readFoundApplications } from '../../../db/applications/found-applications.ts'
import { findClientCode } from '../../../db/apply/client-rows.ts'
import { readUploadedFiles } from '../../../db/apply/uploaded-files.ts'
import type { Sql } from '../../../db/client.ts'
import { applicationChanges } from '../../../domain/readable/application-changes.ts'
import { readableApplication } from '../../../domain/readable/readable-application.ts'
import type { Deps } from '../../http/server/deps.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { OwnFiles } from './answers-view.tsx'
import { ApplicationPage } from './application-page.tsx'
import { type ApplicationFiles, inColor, readSentTo } from './find-applications.ts'
import { listSearch, orderOf, readListQuery } from './list-query.ts'

/** Maximum number shown next to an application. */
const revisionsShown = 20
const statesShown = 30
/** Export pages that are searched for the application. */
const pagesSearched = 10_000

/** The page of an application, with links to its neighbours in the list the reader came from. */
export function applicationPage({ consoleDb: db, config }: Deps, files: ApplicationFiles) {
  return async (request: PageRequest) => {
    const { program, application } = await files.find(request)
    const { program_id } = program
    const offersCode = config.apply && request.person.role === 'ADMINISTRATOR'
    const [shown, earlier, revisions, states, neighbour, sent, uploaded, client] = await Promise.all([
      inColor(db, program),
      files.before(application, program_id),
      readRevisions(db, program_id, application.applicant_id, revisionsShown + 1),
      readNewestAnnotations(db, program_id, application.application_id, statesShown + 1),
      readNeighbours(db, request, program_id, application),
      readSentTo(db, program, [application.application_id], pagesSearched),
      readUploadedFiles(db, { program_id, applicant_id: application.applicant_id }),
      offersCode ? findClientCode(db, application.applicant_id) : undefined,
    ])
    const [now, then] = mayReadAnswers(request.person)
      ? await files.openAnswers(request, program_id, application.application_id, earlier?.application_id)
      : []
    const ownFiles = new Map(
      uploaded.map(({ file_id, name }) => [`/admin/programs/${program.slug}/files/${file_id}`, name]),
    )
    const page = (
      <ApplicationPage
        program={shown}
        application={application}
        earlier={earlier}
        revisions={revisions.slice(0, revisionsShown)}
        moreRevisions={revisions.length > revisionsShown}
        states={states.slice(0, statesShown)}
        moreStates={states.length > statesShown}
        sent={sent}
        {...neighbour}
        isClient={client !== undefined}
        answers={now && readableApplication(now.version, now.application, then?.application)}
        changes={now && then && applicationChanges(now, then)}
      />
    )
    return <OwnFiles.Provider value={ownFiles}>{page}</OwnFiles.Provider>
  }
}

/** Its neighbours in the list the reader came from, by name if that is sorted so and not too long. */
async function readNeighbours(db: Sql, request: ConsoleRequest, program_id: number, application: ApplicationDetails) {
  const query = readListQuery(request)
  const filter = query.errors.length > 0 ? {} : query.filter
  const search = listSearch(query.values)
  if (orderOf(query.values) === 'name') {
    const list = await readListByName(db, program_id, filter, application)
    const [newer, older] = [list?.before.at(-1), list?.after[0]]
    if (list !== undefined)
      return { newer: newer?.application_id, older: older?.application_id, search, isByName: true }
  }
  const beyond = await findListPosition(db, program_id, filter, application)
  const neighbour = (direction: ListPlace['direction']): Promise<ListedApplication | undefined> =>
    readFoundApplications(db, program_id, filter, { direction, beyond }, 1).then(([row]) => row)
  const [newer, older] = await Promise.all([neighbour('newer'), neighbour('older')])
  return { newer: newer?.application_id, older: older?.application_id, search, isByName: false }
}
