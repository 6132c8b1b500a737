// Reads all applications in a list, as they were when the first one was read, in its order. A list by status is read newest first, because
// statuses change while it is read; so is one that is too long for the order by name.

import { readListByName } from '../../../core/applications/list-by-name.ts'
import { openMany } from '../../../core/applications/open-application.ts'
import { readStoredApplications, type StoredApplication } from '../../../db/applications/application-details.ts'
import type { ListedApplication } from '../../../db/applications/application-lists.ts'
import { readFoundApplications } from '../../../db/applications/found-applications.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { readWalkStart } from '../../../db/walks/walk-start.ts'
import { earliest } from '../../../domain/values/offset-time.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type ListQuery, orderOf } from '../applications/list-query.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'

/** Applications read, audited and sent together. */
const batchRows = 200

/** The list from its first application, with the questions of every application in it. */
export async function openList(
  { consoleDb: db, keyMaps }: Pick<Deps, 'consoleDb' | 'keyMaps'>,
  { by: { actor, address } }: Pick<ConsoleRequest, 'by'>,
  { program_id, slug }: Program,
  { filter: chosen, values }: Pick<ListQuery, 'filter' | 'values'>,
) {
  const start = await readWalkStart(db, program_id)
  const { horizon, last_published_at: asOf = null } = start
  const filter = { ...chosen, asOf: horizon }
  const reading = { action: 'applications_downloaded', slug, filters: [...values.keys()] } as const
  const questions = await keyMaps.load(db, program_id, asOf ?? earliest)
  const ids: number[] = []
  const order = orderOf(values)
  const direction = order === 'oldest' ? 'newer' : 'older'
  const byName = order === 'name' ? (await readListByName(db, program_id, filter))?.after : undefined
  const listed = (beyond: ListedApplication | undefined) => {
    if (byName === undefined) return readFoundApplications(db, program_id, filter, { direction, beyond }, batchRows)
    const from = beyond === undefined ? 0 : byName.indexOf(beyond) + 1
    return byName.slice(from, from + batchRows)
  }

  return {
    questions,
    asOf: asOf ?? earliest,
    /** Reads applications in batches. Each is recorded in the audit log before it is returned. */
    async *applications(): AsyncGenerator<StoredApplication[], void, undefined> {
      for (let batch = await listed(undefined); batch.length > 0; batch = await listed(batch.at(-1))) {
        const wanted = batch.map(({ application_id }) => application_id)
        const stored = await openMany(db, { program_id, actor, address }, wanted, reading, horizon)
        for (const { application_id } of stored) ids.push(application_id)
        yield stored
      }
    },
    /** The applications that `applications` has already returned and recorded, without any erased since. */
    async *again(): AsyncGenerator<StoredApplication[], void, undefined> {
      for (let at = 0; at < ids.length; at += batchRows)
        yield readStoredApplications(db, program_id, ids.slice(at, at + batchRows), horizon)
    },
  }
}

export type OpenedList = Awaited<ReturnType<typeof openList>>
