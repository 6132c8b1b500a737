// Begins a pull: continues the walk of an interrupted run of the same command, or records a new walk before its first request.

import { isDeepStrictEqual } from 'node:util'
import type { ReadablePrograms, TributaryClient } from '@tributary/client'
import { RequestRefused } from '@tributary/client/tools'
import { filterOptions, namesOf } from '../requests/filter-options.ts'
import { CommandError } from '../requests/pull-outcome.ts'
import type { PullContext, PullRequest } from '../requests/pull-request.ts'
import { askSnapshotTime } from './next-watermark.ts'
import type { PullState } from './pull-state.ts'
import { differencesOf, type PulledBefore, type PullOrigin, sinceLast } from './pulled-before.ts'
import { requireSameHistory } from './same-history.ts'
import type { WalkUnderWay } from './walk-to-spool.ts'

/** The walk begun by an earlier run of the same command. */
export async function continueWalk(
  state: PullState,
  origin: PullOrigin,
  service: AskedService,
  request: PullRequest,
  { say }: PullContext,
): Promise<WalkUnderWay | undefined> {
  const walk = state.read<WalkUnderWay>('walk')
  if (walk === undefined) return undefined
  const filters = { ...request.filters, fromDate: request.sinceLast ? walk.filters.fromDate : request.filters.fromDate }
  const was = state.read<PullOrigin>('origin')
  const moved = was?.service !== origin.service
  const { installation_id: installation } = (moved ? await service.programs() : undefined) ?? {}
  const differing = [
    ...(was === undefined ? [] : differencesOf(was, { ...origin, installation })),
    ...(origin.destination === null || was?.destination === origin.destination
      ? []
      : [`into ${was?.destination}, not ${origin.destination}`]),
    ...(request.sinceLast === walk.sinceLast ? [] : [`${walk.sinceLast ? 'with' : 'without'} --since-last`]),
    ...(isDeepStrictEqual(asStored(filters), walk.filters)
      ? []
      : [`with another ${namesOf(filterOptions, 'or', '--fields')}`]),
  ]
  // Nothing has arrived yet, perhaps because the service rejected an option.
  if (differing.length > 0 && walk.nextPageToken === undefined) return undefined
  if (differing.length > 0)
    throw new CommandError(
      'usage',
      `An earlier pull with other options is incomplete: it was started ${differing.join(', and ')}. Finish it with its original options, or add --restart to discard it.`,
    )
  if (walk.bytes > 0) say('Continuing where the last run stopped.')
  return walk
}

/** As the state returns it: without undefined members. */
const asStored = (value: object): unknown => JSON.parse(JSON.stringify(value))

/** What the service reports about itself and its programs, requested once, when it is needed. */
export class AskedService {
  #programs: Promise<ReadablePrograms | undefined> | undefined

  constructor(
    private readonly client: TributaryClient,
    private readonly signal: AbortSignal,
  ) {}

  /** Undefined if the key may not request it. */
  programs(): Promise<ReadablePrograms | undefined> {
    this.#programs ??= this.client.programs(this.signal).catch((error: unknown) => {
      if (error instanceof RequestRefused) return undefined
      throw error
    })
    return this.#programs
  }
}

/** The number of applications, for showing progress; undefined if the pull is partial or the service does not report it. */
function countOf(programs: ReadablePrograms | undefined, { program, filters }: PullRequest): number | undefined {
  const { fields: _, ...limits } = filters
  if (Object.values(limits).some(limit => limit !== undefined)) return undefined
  return programs?.payload.find(item => item.program_name === program)?.applications
}

interface Beginning {
  origin: PullOrigin
  request: PullRequest
  before: PulledBefore | undefined
  takesAgain: boolean
  service: AskedService
}

/** A new walk, recorded before its first request. */
export async function beginWalk(
  state: PullState,
  { origin: { ...origin }, request, before, takesAgain, service }: Beginning,
  client: TributaryClient,
  context: PullContext,
): Promise<WalkUnderWay> {
  const programs = await service.programs()
  const total = countOf(programs, request)
  origin.installation = programs?.installation_id
  const from = request.sinceLast && before !== undefined ? sinceLast(before, origin, request) : undefined
  const adds = from !== undefined
  if (adds && !takesAgain) await requireSameHistory(client, request.program, before?.followsFrom, context.signal)
  const filters = adds ? { ...request.filters, fromDate: from } : request.filters
  if (request.sinceLast && before?.hasLater)
    context.say('The last pull ran during a bulk load, so its output cannot be extended. Everything is pulled again.')
  const bounded = request.sinceLast && !takesAgain
  const walk: WalkUnderWay = {
    filters,
    adds,
    sinceLast: request.sinceLast,
    until: bounded ? await askSnapshotTime(client, request, filters.fromDate, context) : undefined,
    bytes: 0,
    total: adds ? undefined : total,
    changesAfter: before?.changeCursor,
  }
  // Columns keep their positions while the layout stays the same.
  const sameColumns = isDeepStrictEqual(before?.origin.layout, origin.layout) && before?.origin.fields === origin.fields
  const columns = sameColumns ? state.read('columns') : undefined
  state.commit({ origin, walk, columns, schema: undefined }, { forgetIds: true })
  return walk
}
