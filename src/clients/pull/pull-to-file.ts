// A pull into files, from the first request to the final name. It can be interrupted anywhere and continued by the next pull: every
// step leaves what the next step needs, and can be repeated.
//
//   walking   pages go into the spool; the state records how many
//   placing   the output is complete and on disk; the state records that only its names are missing
//   done      the files have their names; the state records where the next pull can start

import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { TributaryClient } from '@tributary/client'
import { messageOf, RequestRefused } from '@tributary/client/tools'
import { lastingFiltersOf } from './requests/filter-options.ts'
import type { IdReceipt } from './requests/id-digest.ts'
import { CommandError, fileError } from './requests/pull-outcome.ts'
import type { PullContext, PullReport, PullRequest } from './requests/pull-request.ts'
import { AskedService, beginWalk, continueWalk } from './spool/begin-walk.ts'
import { compareReceipt } from './spool/compare-receipt.ts'
import { nextBeginning } from './spool/next-watermark.ts'
import type { OutputFormat } from './spool/output-format.ts'
import { placedFile, placeFiles, type ReadyFile, removeFile } from './spool/place-files.ts'
import { PullState } from './spool/pull-state.ts'
import type { PulledBefore, PullOrigin } from './spool/pulled-before.ts'
import { requireSameHistory } from './spool/same-history.ts'
import { loadSchema, SchemaMismatch, schemaCheck } from './spool/schema-check.ts'
import { type WalkUnderWay, walkToSpool } from './spool/walk-to-spool.ts'

interface Placing {
  files: ReadyFile[]
  /** Files to remove. */
  gone: string[]
  facts: Readonly<Record<string, unknown>>
  then: PulledBefore
  added: IdReceipt
  /** Missing in records of older releases, which placed nothing else. */
  compared?: boolean
  total?: number | undefined
  /** Whether the output now has only these IDs, or these as well; undefined if it accepts an application again. */
  placed?: 'all' | 'more' | undefined
}

export const statePath = (out: string): string => `${out}.pull`

/**
 * Pulls into the file `out`, or for a format that is no file, with its state and spool next to that name. Rejects with CommandError, or with the
 * client's error.
 */
export async function pullToFile(
  out: string,
  format: OutputFormat,
  request: PullRequest,
  client: TributaryClient,
  context: PullContext,
): Promise<PullReport> {
  const path = wherePlaced(out, format.destination === undefined ? '--out' : '--state')
  const spoolPath = format.spoolPath(path)
  const state = PullState.open(statePath(path))
  let leavesNothing = false
  try {
    return await pullWithState(state, path, spoolPath, format, request, client, context)
  } catch (error) {
    leavesNothing = state.isNew && !hasBegun(state)
    throw error
  } finally {
    if (leavesNothing) {
      removeFile(spoolPath)
      state.remove()
    } else state.close()
  }
}

/** Whether there is something to continue: a page arrived, or the output only lacks its names. */
const hasBegun = (state: PullState): boolean =>
  state.read<WalkUnderWay>('walk')?.nextPageToken !== undefined || state.read('placing') !== undefined

async function pullWithState(
  state: PullState,
  path: string,
  spoolPath: string,
  format: OutputFormat,
  request: PullRequest,
  client: TributaryClient,
  context: PullContext,
): Promise<PullReport> {
  if (request.restart) forgetWalk(state, spoolPath)
  const { program, pageSize, checkpointEveryMs, tables, csvExact } = request
  const origin = originOf(format, request, client)
  const service = new AskedService(client, context.signal)
  const begun = await continueWalk(state, origin, service, request, context)
  // Interrupted at the last moment: everything was there except the names.
  const unplaced = state.read<Placing>('placing')
  if (unplaced !== undefined) return place(state, unplaced, spoolPath, 0)
  const before = format.readDone ? await format.readDone(origin) : state.read<PulledBefore>('done')
  const takesAgain = format.readDone !== undefined
  const walk = begun ?? (await beginWalk(state, { origin, request, before, takesAgain, service }, client, context))
  await format.check?.({ program, client, state, tables, walk, context })
  // The origin with the installation, as recorded when the walk began.
  const walkOrigin = state.read<PullOrigin>('origin') ?? origin
  const check = request.verifySchema ? await checkFor(state, walk, request, client, context) : undefined
  const isOutput = !format.hasTables && format.folder === undefined && !walk.adds
  const walking = { client, program, pageSize, checkpointEveryMs, state, spoolPath, isOutput, check }
  const explained = async (error: unknown): Promise<never> => {
    throw error instanceof SchemaMismatch ? await ofOtherSchema(error, state, request, client, context) : error
  }
  const walked = await walkToSpool(walk, walking, context)
    .catch((error: unknown) => {
      throw withAdvice(error, walk)
    })
    .catch(explained)
  const compared = await compareReceipt(walked.receipt, walked.walk.token, program, client, state, context)
  const kept = walk.adds ? before : undefined
  // Including commits lost during the walk or since it was begun.
  if (!takesAgain) await requireSameHistory(client, program, kept?.followsFrom, context.signal)
  const spoolBytes = walked.walk.bytes
  const then: PulledBefore = {
    origin: { ...origin, installation: walkOrigin.installation },
    receipts: [...(kept?.receipts ?? []), walked.receipt],
    ...(await nextBeginning(walked.walk, takesAgain, request, client, context)),
    files: kept?.files ?? [],
    followsFrom: walked.walk.changeCursor,
    questionsAsOf: walked.walk.questionsAsOf,
  }
  const job = {
    out: path,
    spoolPath,
    spoolBytes,
    spoolSha256: walked.sha256,
    check,
    walk: walked.walk,
    then,
    program,
    client,
    state,
    tables,
    csvExact,
    context,
  }
  const nothingNew = !takesAgain && kept !== undefined && spoolBytes === 0
  const { files, facts = {}, total } = nothingNew ? { files: [] } : await format.prepare(job).catch(explained)
  if (!nothingNew) then.files = await Promise.all(files.map(placedFile))
  const gone = nothingNew ? [] : leftOver(path, before, files)
  const placed = takesAgain ? undefined : walk.adds ? ('more' as const) : ('all' as const)
  const placing = { files, gone, facts, then, added: walked.receipt, compared, total, placed }
  state.commit({ placing })
  return place(state, placing, spoolPath, walked.bytes)
}

const originOf = (
  { hasTables, folder, destination }: OutputFormat,
  { program, filters, tables, csvExact }: PullRequest,
  { baseUrl }: TributaryClient,
): PullOrigin => ({
  service: baseUrl,
  program,
  ...lastingFiltersOf(filters),
  fields: filters.fields,
  layout: hasTables ? { ...tables, csvExact } : null,
  // A folder contains its state, whatever its name.
  destination: folder === undefined ? (destination ?? null) : null,
})

/** Files that the previous pull created for this output and this one did not: lists of entities that were not requested. */
function leftOver(out: string, before: PulledBefore | undefined, files: readonly ReadyFile[]): string[] {
  const paths = before?.files.map(({ path }) => path) ?? []
  // A state that was copied or moved lists files that belong to another output.
  return paths.includes(out) ? paths.filter(path => files.every(({ to }) => to !== path)) : []
}

function place(state: PullState, placing: Placing, spoolPath: string, bytes: number): PullReport {
  const { files, gone, facts, then, added, compared = true } = placing
  placeFiles(files)
  for (const path of gone) removeFile(path)
  state.commit(
    { ...facts, done: then, origin: undefined, walk: undefined, schema: undefined, placing: undefined },
    { forgetIds: true, placed: placing.placed },
  )
  removeFile(spoolPath)
  const total = placing.total ?? then.receipts.reduce((sum, { count }) => sum + count, 0)
  return { added, total, bytes, compared, watermark: then.watermark }
}

/** The schema is from before the walk began: programs only gain questions, so all of it must be on every page. */
async function checkFor(
  state: PullState,
  walk: WalkUnderWay,
  { program, filters }: PullRequest,
  client: TributaryClient,
  { signal }: PullContext,
) {
  let schema = walk.nextPageToken === undefined ? undefined : state.read<unknown>('schema')
  if (schema === undefined) {
    schema = await loadSchema(client, program, signal, filters.fields)
    state.commit({ schema })
  }
  return schemaCheck(schema)
}

/** The walk may have begun with an older schema: then nothing is wrong, and another walk is needed. */
async function ofOtherSchema(
  error: SchemaMismatch,
  state: PullState,
  { program, filters }: PullRequest,
  client: TributaryClient,
  { signal }: PullContext,
): Promise<CommandError> {
  const now = await loadSchema(client, program, signal, filters.fields)
  if (isDeepStrictEqual(now, state.read('schema'))) return error
  return new CommandError(
    'failed',
    `${error.message}\nThe program's schema has changed since this pull began, for example because a question was hidden from the key. Add --restart to start over.`,
  )
}

function forgetWalk(state: PullState, spoolPath: string): void {
  state.commit({ origin: undefined, walk: undefined, schema: undefined, placing: undefined }, { forgetIds: true })
  removeFile(spoolPath)
}

/** A walk cannot continue if it was interrupted for too long or its database was restored; another one can begin. */
function withAdvice(error: unknown, { bytes }: WalkUnderWay): unknown {
  const aboutToken =
    error instanceof RequestRefused && error.problem?.errors?.some(({ parameter }) => parameter === 'nextPageToken')
  if (!aboutToken || bytes === 0) return error
  return new CommandError('failed', `${messageOf(error)}\nThe walk cannot continue. Add --restart to start over.`, {
    cause: error,
  })
}

/** If the name is a link, the file itself, so that renaming replaces the file and the link stays. */
function wherePlaced(out: string, option: string): string {
  try {
    const there = statSync(out, { throwIfNoEntry: false })
    if (there?.isDirectory()) throw new CommandError('usage', `${option} must be a file, but ${out} is a folder.`)
    return there === undefined ? join(realpathSync(dirname(out)), basename(out)) : realpathSync(out)
  } catch (error) {
    throw error instanceof CommandError ? error : fileError(error, `Cannot write ${out}`)
  }
}
