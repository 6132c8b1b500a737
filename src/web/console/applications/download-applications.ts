// Streams the matching applications as CSV in the export's format: the file is complete, or the download visibly fails.

import { invalidRequest } from '../../../base/problem.ts'
import { openMany } from '../../../core/applications/open-application.ts'
import { csvPage } from '../../../core/export/framings/csv-page.ts'
import { framedRow } from '../../../core/export/pages/exported-object.ts'
import { readLastPublication } from '../../../db/applications/application-details.ts'
import { type ListedApplication, readListedApplications } from '../../../db/applications/application-lists.ts'
import type { Deps } from '../../http/server/deps.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { csvDownload, type FilePart } from '../requests/download.ts'
import { findSeenProgram } from './find-applications.ts'
import { readListQuery } from './list-query.ts'

/** Applications read, audited and sent together. */
const batchRows = 200

/** The file. Each batch is recorded in the audit log, application by application, before it is sent. */
export async function downloadApplications(deps: Deps, visit: ConsoleRequest): Promise<Response> {
  const program = await findSeenProgram(deps.consoleDb, visit.person, visit.params.slug!)
  const { filter, values, errors } = readListQuery(visit, deps.config.timeZone)
  if (errors.length > 0) throw invalidRequest('Some filters are invalid.', errors)
  const { consoleDb: db, keyMaps } = deps
  const { program_id, slug } = program
  const { actor, address } = visit.by
  const reading = { action: 'applications_downloaded', slug, filters: [...values.keys()] } as const

  const listed = (last: ListedApplication | undefined) =>
    readListedApplications(db, program_id, filter, { direction: 'older', beyond: last }, batchRows)
  return csvDownload(deps, visit.request, `${slug}.csv`, async () => {
    // Applications submitted from now on are newer than the first one, so no batch contains them.
    const first = await listed(undefined)
    const questions = await keyMaps.load(db, program_id, await readLastPublication(db, program_id))

    async function* parts(): AsyncGenerator<FilePart> {
      const framing = csvPage(questions)
      let bytes = framing.opening
      let [batch, applications, isLast] = [first, 0, false]
      while (!isLast) {
        const ids = batch.map(({ application_id }) => application_id)
        const stored = await openMany(db, { program_id, actor, address }, ids, reading)
        const records = stored.map(application => framedRow(application, questions, framing.rows))
        applications += stored.length
        batch = batch.length < batchRows ? [] : await listed(batch.at(-1))
        isLast = batch.length === 0
        const end = isLast ? [Buffer.from(framing.end(null, applications, () => ''))] : []
        yield { bytes: Buffer.concat([bytes, ...records, ...end]), isLast }
        bytes = Buffer.alloc(0)
      }
    }
    return parts()
  })
}
