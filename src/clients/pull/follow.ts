// `tributary pull --follow`: keeps an output up to date for as long as it runs, from the change feed with its applications.
//
// The applications and the cursor are written in one step, so it may stop at any point and continue from there, as does an output
// restored from a backup. What the change feed doesn't report needs a walk over everything: the first pull, a publication (its questions
// are in every application), and a service that has lost changes already pulled.

import type { TributaryClient } from '@tributary/client'
import { messageOf, RequestRefused } from '@tributary/client/tools'
import { NoColumn } from '../../base/tables/table-rows.ts'
import { isPassing } from './postgres/database-errors.ts'
import { pullToFile, statePath } from './pull-to-file.ts'
import { lastingFiltersOf } from './requests/filter-options.ts'
import { CommandError } from './requests/pull-outcome.ts'
import type { PullContext, PullRequest } from './requests/pull-request.ts'
import type { ApplyPage, OutputFormat } from './spool/output-format.ts'
import { PullState } from './spool/pull-state.ts'
import { differencesOf, type PulledBefore, type PullOrigin } from './spool/pulled-before.ts'
import { loadSchema, schemaCheck } from './spool/schema-check.ts'

/** Seconds that one request waits for changes: the service's maximum. */
const waitSeconds = 30
/** Waits while a database is unreachable. */
const waitMsMax = 10_000

/** Never resolves: it ends when the signal is aborted, or when something must be fixed first. */
export async function follow(
  out: string,
  format: OutputFormat,
  request: PullRequest,
  client: TributaryClient,
  context: PullContext,
): Promise<void> {
  const { signal, say } = context
  let { restart } = request
  let walkFirst = restart
  let failed = 0
  const filled = (): void => {
    if (failed > 0) say('The output can be written again.')
    failed = 0
  }
  for (;;) {
    try {
      if (walkFirst) {
        await pullToFile(out, format, { ...request, restart }, client, context)
        filled()
      }
      walkFirst = restart = false
      const found = await beginning(format, request, client, signal)
      if (found === undefined) walkFirst = true
      else
        await whileHeld(out, format, async () => {
          for await (const _ of applied(found, format, request, client, context)) filled()
        })
    } catch (error) {
      signal.throwIfAborted()
      const reason = reasonToWalk(error)
      if (reason !== undefined) {
        say(`${reason} Everything is pulled again.`)
        walkFirst = true
        restart = !(error instanceof NewQuestions)
      } else if (error instanceof CommandError && isPassing(error.cause)) {
        // `--restart` is carried out before any database is contacted; the walk that was begun since is kept.
        restart = false
        if (failed === 0) say(`${messageOf(error)} Retrying until it succeeds.`)
        await pause(Math.min(waitMsMax, 500 * 2 ** failed++), signal)
      } else throw error
    }
  }
}

/** Files in a folder are written by one pull at a time, like other files; a database ensures that by itself. */
async function whileHeld(out: string, { folder }: OutputFormat, work: () => Promise<void>): Promise<void> {
  const held = folder === undefined ? undefined : PullState.open(statePath(out))
  try {
    await work()
  } finally {
    held?.close()
  }
}

interface Beginning {
  cursor: string
  questionsAsOf: string | null
}

/** Where following can start; undefined if everything must be pulled first. */
async function beginning(
  format: OutputFormat,
  request: PullRequest,
  client: TributaryClient,
  signal: AbortSignal,
): Promise<Beginning | undefined> {
  const { program, tables, csvExact, filters } = request
  const origin: PullOrigin = {
    service: client.baseUrl,
    program,
    ...lastingFiltersOf(filters),
    ...(filters.fields === undefined ? {} : { fields: filters.fields }),
    layout: format.hasTables ? { ...tables, csvExact } : null,
    destination: format.destination ?? null,
  }
  const before: PulledBefore | undefined = await format.readDone?.(origin)
  if (before?.followsFrom === undefined) return undefined
  if (before.origin.service !== origin.service) origin.installation = (await client.programs(signal)).installation_id
  const differing = differencesOf(before.origin, origin)
  if (differing.length > 0)
    throw new CommandError(
      'usage',
      `The output was pulled ${differing.join(', and ')}. Pull everything into it without --follow, or choose another output.`,
    )
  return { cursor: before.followsFrom, questionsAsOf: before.questionsAsOf ?? null }
}

/** Applies page after page, and yields after each. Ends if the output is not as the last page left it. */
async function* applied(
  { cursor, questionsAsOf }: Beginning,
  format: OutputFormat,
  { program, tables, filters: { fields }, pageSize, verifySchema }: PullRequest,
  client: TributaryClient,
  context: PullContext,
): AsyncGenerator<void, void, undefined> {
  const { signal } = context
  const options = { include: 'application', waitSeconds, pageSize, fields, signal } as const
  const check = verifySchema ? schemaCheck(await loadSchema(client, program, signal, fields)) : undefined
  const apply: ApplyPage = await format.follow!({ program, client, tables, fields, context })
  let after = cursor
  for await (const page of client.changes(program, after, options)) {
    if (page.questionsAsOf !== questionsAsOf) throw new NewQuestions()
    for (const { application } of page.payload) if (application !== undefined) check?.(application)
    if (!(await apply(page, after))) return
    after = page.nextCursor
    yield
  }
}

/** The program's questions have changed since everything was pulled. */
class NewQuestions extends Error {}

/** Why a walk over everything is needed, in a sentence; undefined if it would not help. */
function reasonToWalk(error: unknown): string | undefined {
  const cause = error instanceof CommandError ? error.cause : error
  if (cause instanceof NewQuestions || cause instanceof NoColumn) return "The program's questions have changed."
  if (!(cause instanceof RequestRefused)) return undefined
  if (cause.codes.includes('cursor_of_another_history'))
    return 'The service was restored to a point before the last pull.'
  const isAboutToken = cause.problem?.errors?.some(({ parameter }) => parameter === 'nextPageToken')
  return isAboutToken ? 'The walk cannot continue.' : undefined
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
