// Temporary errors of the database, the network or a pooler, after which the same request can succeed. Requests get 503 with Retry-After.
// A test sends each error in this table from a server.

interface PassingError {
  /** A SQLSTATE, or what the driver and the operating system call it. */
  code: string
  /** Where PostgreSQL or Citus raises it; wherever that is, unless given. For codes that say too little. */
  routine?: string
  /** What is so for a while. */
  meaning: string
  /**
   * `lost`: the server or the way to it, so that the same may succeed immediately on another connection. `slow`: a statement took longer than
   * it may. `busy`: anything else.
   */
  is: 'lost' | 'slow' | 'busy'
  /** Whether the time to wait is used up by it: waiting that long once more does not help. */
  waited?: true
}

const all = (
  is: PassingError['is'],
  rows: readonly (readonly [code: string, meaning: string, routine?: string])[],
): PassingError[] =>
  rows.map(([code, meaning, routine]) => ({ is, code, meaning, ...(routine === undefined ? {} : { routine }) }))

const postmasterDown = 'PostgreSQL was shut down under Citus'
const shardMoved = 'a shard that moved while the statement was planned'
const nodeLost = 'a node that was lost in the midst of a transaction'

export const passingErrors: readonly PassingError[] = [
  { is: 'lost', waited: true, code: 'CONNECTION_SILENT', meaning: 'a server that says nothing' },
  { is: 'lost', waited: true, code: 'CONNECTION_BUSY', meaning: 'no connection of the pool was free in time' },
  { is: 'lost', waited: true, code: 'CONNECT_TIMEOUT', meaning: 'a server that does not accept a connection' },
  ...all('lost', [
    ['CONNECTION_CLOSED', 'a connection that closed'],
    ['CONNECTION_DESTROYED', 'a pool that is being closed'],
    ['CONNECTION_ENDED', 'a pool that is being closed'],
    ['ECONNREFUSED', 'nothing listens'],
    ['ECONNRESET', 'a connection that was reset'],
    ['EPIPE', 'a connection that was closed while written to'],
    ['ENOENT', 'a socket that is not there yet'],
    ['ETIMEDOUT', 'a host that does not answer'],
    ['EHOSTUNREACH', 'a host that is not reached'],
    ['ENETUNREACH', 'a network that is not reached'],
    ['ENOTFOUND', 'a name that is not resolved'],
    ['EAI_AGAIN', 'a name server that does not answer'],
    ['08000', 'a connection that failed'],
    ['08001', 'a connection that could not be made'],
    ['08003', 'a connection that is not there'],
    ['08004', 'a connection that was refused'],
    ['08006', 'a connection that failed'],
    ['08007', 'a transaction whose end is not known'],
    ['08P01', 'a message that was not understood'],
    ['53300', 'too many connections'],
    ['57P01', 'a server that is stopped'],
    ['57P02', 'a server whose process crashed'],
    ['57P03', 'a server that is starting'],
    ['57P04', 'a database that was dropped'],
    ['57P05', 'a session that was idle too long'],
  ]),
  { is: 'slow', code: '57014', meaning: 'a statement that took too long' },
  ...all('busy', [
    ['25006', 'a standby, or a server that is read-only'],
    ['25P03', 'a transaction that was idle too long'],
    ['25P04', 'a transaction that took too long'],
    ['26000', 'a pooler that gave the next statement another connection'],
    ['42P05', 'a pooler that gave the statement a connection which has it already'],
    ['28000', 'no login for now'],
    ['28P01', 'a password that was changed'],
    ['3D000', 'a database that is being made again'],
    ['40001', 'another transaction that came first'],
    ['40003', 'a statement of which it is not known whether it was completed'],
    ['40P01', 'a deadlock'],
    ['53000', 'something that has run out'],
    ['53100', 'no room on the disk'],
    ['53200', 'no memory'],
    ['53400', 'a limit of the server that is reached'],
    ['55P03', 'a lock'],
    ['58000', 'a failure of the system'],
    ['58030', 'a disk that fails'],
    ['58P01', 'a file that is not there'],
    ['58P02', 'a file that is there already'],
    ['0A000', 'a statement that was planned before a migration', 'RevalidateCachedQuery'],
    // What Citus says without a SQLSTATE of its own.
    ['XX000', nodeLost, 'MarkRemoteTransactionFailed'],
    ['XX000', nodeLost, 'ReportResultError'],
    ['XX000', nodeLost, 'CheckRemoteTransactionsHealth'],
    ['XX000', nodeLost, 'FinishRemoteTransactionPrepare'],
    ['XX000', nodeLost, 'ErrorIfPostCommitFailedShardPlacements'],
    ['XX000', nodeLost, 'ScheduleNextPlacementExecution'],
    ['XX000', nodeLost, 'FetchRemoteIntermediateResult'],
    ['XX000', postmasterDown, 'ProcessWaitEvents'],
    ['XX000', postmasterDown, 'ProcessWaitEventsForSocketClosed'],
    ['XX000', postmasterDown, 'FinishConnectionListEstablishment'],
    ['XX000', postmasterDown, 'FinishConnectionIO'],
    ['XX000', postmasterDown, 'WaitForAllConnections'],
    ['XX000', shardMoved, 'LookupShardRelationFromCatalog'],
    ['XX000', shardMoved, 'LoadGroupShardPlacement'],
    ['XX000', shardMoved, 'LookupNodeForGroup'],
    ['XX000', shardMoved, 'relation_open'],
    // Of a node: a table that is not there at all fails before any node gets the statement.
    ['42P01', shardMoved, 'ReportResultError'],
  ]),
]

const nameOf = ({ code, routine }: Pick<PassingError, 'code' | 'routine'>): string =>
  routine === undefined ? code : `${code} ${routine}`

const byName = new Map(passingErrors.map(one => [nameOf(one), one]))

/** What passes about an error; undefined where trying the same again cannot help. */
export function findPassingError(error: unknown): PassingError | undefined {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  if (typeof code !== 'string') return undefined
  return byName.get(code) ?? (typeof routine === 'string' ? byName.get(nameOf({ code, routine })) : undefined)
}

/** Whether an error says that the server or the way to it was lost, so that the same may succeed on another connection. */
export const isLostConnection = (error: unknown): boolean => findPassingError(error)?.is === 'lost'

/** Whether a connection was lost because its time was up: waiting that long once more does not help. */
export const hasWaited = (error: unknown): boolean => findPassingError(error)?.waited === true
