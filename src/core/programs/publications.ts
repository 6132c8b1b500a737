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
 * Notes that a draft is to be published in the background, and returns the id of that publication, or of the one of this program that is under
 * way. Undefined, with nothing noted, where a request can do it itself: few programs are affected, or it would be refused immediately.
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
 * Makes a publication, unless it has ended or another process has it. What refuses it is kept with it. Where the database is away, or the
 * process ends, nothing has happened, and `resumePublications` does it again. Never rejects.
 */
export async function makePublication(sql: Sql, publicationId: number, options: PublicationOptions): Promise<void> {
  const { enumeratorDepthMax, log } = options
  try {
    await sql.begin('isolation level read committed', async tx => {
      if (!(await takePublication(tx, publicationId))) return
      const asked = await findPublication(tx, publicationId)
      if (asked === undefined || asked.ended_at !== null) return
      await publishDraftIn(tx, asked.slug, asked.asked_by, {
        reviewed: asked.program_version_id,
        move: asked.move,
        address: asked.address ?? undefined,
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

/** Programs after which progress is noted. */
const noteEvery = 10

/**
 * On a connection of its own, because no other process sees what the transaction writes before it ends; and never waited for, because the transaction
 * holds what the others wait for who have the other connections.
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

/** Makes what was asked for and has not ended: after a restart, or because the process that had it has ended. */
export async function resumePublications(sql: Sql, options: PublicationOptions): Promise<void> {
  for (const id of await readPublicationsUnderWay(sql)) await makePublication(sql, id, options)
}
