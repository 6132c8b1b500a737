// Publications that change many other programs: requested through the console or the API, and carried out by the service in the background,
// without a request deadline or a queue. Each is one transaction; if its process is killed, another process repeats it.

import type { Log } from '../../base/log.ts'
import { findPassingError } from '../../base/passing-errors.ts'
import { Problem } from '../../base/problem.ts'
import type { Sql } from '../../db/client.ts'
import { readProgramsUsingOthers, readQuestionReleases } from '../../db/programs/program-versions.ts'
import { findDraftVersion, findProgram } from '../../db/programs/programs.ts'
import {
  endPublication,
  findPublication,
  insertPublication,
  noteProgress,
  readPublicationsUnderWay,
  takePublication,
} from '../../db/programs/publication-rows.ts'
import type { EditOptions } from './edit.ts'
import { publishDraftIn } from './publish.ts'

/** Maximum number of other programs published within a request. Each takes about 10 ms, and all must fit well within RESPONSE_TIMEOUT. */
export const withinRequestMax = 25

interface PublicationOrder {
  /** The draft that was reviewed. */
  reviewed: number
  /** Slugs of the other programs that may get a new version. */
  move: readonly string[]
  actor: string
  address: string | undefined
}

/**
 * Schedules the publication of a draft in the background, and returns its ID, or that of the program's publication in progress. Undefined, without
 * scheduling anything, if a request can do it itself: few programs are affected, or it would be rejected immediately.
 */
export async function askForPublication(sql: Sql, slug: string, order: PublicationOrder): Promise<number | undefined> {
  const program = await findProgram(sql, slug)
  const draft = program && (await findDraftVersion(sql, program.program_id))
  if (program === undefined || draft?.program_version_id !== order.reviewed) return undefined
  const releases = await readQuestionReleases(sql, order.reviewed)
  const others = (await readProgramsUsingOthers(sql, releases, ['ACTIVE', 'DRAFT'])).filter(
    ({ program_id }) => program_id !== program.program_id,
  )
  const named = new Set(order.move)
  if (others.length <= withinRequestMax || others.some(({ slug, is_active }) => is_active && !named.has(slug)))
    return undefined
  return insertPublication(sql, {
    program_id: program.program_id,
    program_version_id: order.reviewed,
    move: [...order.move],
    asked_by: order.actor,
    address: order.address,
    programs: others.length,
  })
}

type PublicationOptions = Pick<EditOptions, 'enumeratorDepthMax'> & { log: Log }

/**
 * Carries out a publication, unless it has ended or another process is doing it. A rejection is stored with it. If the database is unreachable or the
 * process ends, nothing has happened, and `resumePublications` repeats it. Never rejects.
 */
export async function makePublication(sql: Sql, publicationId: number, options: PublicationOptions): Promise<void> {
  const { enumeratorDepthMax, log } = options
  try {
    await sql.begin('isolation level read committed', async tx => {
      if (!(await takePublication(tx, publicationId))) return
      const publication = await findPublication(tx, publicationId)
      if (publication === undefined || publication.ended_at !== null) return
      await publishDraftIn(tx, publication.slug, publication.asked_by, {
        reviewed: publication.program_version_id,
        move: publication.move,
        address: publication.address ?? undefined,
        ...(enumeratorDepthMax !== undefined && { enumeratorDepthMax }),
        onMoved: progressOf(sql, publicationId, log),
      })
      await endPublication(tx, publicationId, null)
    })
  } catch (error) {
    await endRefused(sql, publicationId, error, log).catch(err =>
      log.error({ err }, 'a publication could not be marked as ended'),
    )
  }
}

async function endRefused(sql: Sql, publicationId: number, error: unknown, log: Log): Promise<void> {
  const problem = error instanceof Problem ? error : undefined
  if (problem === undefined && findPassingError(error) !== undefined) return
  if (problem === undefined) log.error({ err: error, publication_id: publicationId }, 'a publication failed')
  await endPublication(sql, publicationId, {
    detail: problem?.detail ?? 'Something went wrong, and nothing was published. Try again, or contact the operator.',
    errors: (problem?.errors ?? []).map(({ path, code, detail }) => ({
      ...(path !== undefined && { path }),
      code,
      detail,
    })),
  })
}

/** Number of programs after which progress is recorded. */
const noteEvery = 10

/**
 * On a separate connection, because other processes see a transaction's changes only after it ends. Never awaited, because those who use the other
 * connections may be waiting for this transaction.
 */
function progressOf(sql: Sql, publicationId: number, log: Log): (programsDone: number) => void {
  let isNoting = false
  return programsDone => {
    if (programsDone % noteEvery !== 0 || isNoting) return
    isNoting = true
    void noteProgress(sql, publicationId, programsDone)
      .catch(err => log.debug({ err }, 'the progress of a publication could not be recorded'))
      .finally(() => {
        isNoting = false
      })
  }
}

/** Carries out unfinished publications: after a restart, or because their process has ended. */
export async function resumePublications(sql: Sql, options: PublicationOptions): Promise<void> {
  for (const id of await readPublicationsUnderWay(sql)) await makePublication(sql, id, options)
}
