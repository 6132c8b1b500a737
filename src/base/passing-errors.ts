// Temporary errors of the database, the network or a pooler, after which the same request can succeed. Requests get 503 with Retry-After.
// A test sends each error in this table from a server.

interface PassingError {
  /** A SQLSTATE, or a code of the driver or the operating system. */
  code: string
  /** The routine of PostgreSQL or Citus that raises it, where the code alone is ambiguous. */
  routine?: string
  /** A noun phrase for messages. */
  meaning: string
  /**
   * `lost`: the server or the network, so a retry may succeed immediately on another connection. `slow`: a statement exceeded its time
   * limit. `busy`: anything else.
   */
  kind: 'lost' | 'slow' | 'busy'
  /** Whether the full waiting time has passed, so that waiting again doesn't help. */
  waited?: true
}

const all = (
  kind: PassingError['kind'],
  rows: readonly (readonly [code: string, meaning: string, routine?: string])[],
): PassingError[] =>
  rows.map(([code, meaning, routine]) => ({ kind, code, meaning, ...(routine === undefined ? {} : { routine }) }))

const postmasterDown = 'a shutdown of PostgreSQL under Citus'
const shardMoved = 'a shard that moved during planning'
const nodeLost = 'a node lost during the transaction'

export const passingErrors: readonly PassingError[] = [
  { kind: 'lost', waited: true, code: 'CONNECTION_SILENT', meaning: 'no data from the server' },
  { kind: 'lost', waited: true, code: 'CONNECTION_BUSY', meaning: 'no free connection in the pool' },
  { kind: 'lost', waited: true, code: 'CONNECT_TIMEOUT', meaning: 'connecting timed out' },
  ...all('lost', [
    ['CONNECTION_CLOSED', 'connection closed'],
    ['CONNECTION_DESTROYED', 'connection pool closed'],
    ['CONNECTION_ENDED', 'connection pool closed'],
    ['ECONNREFUSED', 'connection refused'],
    ['ECONNRESET', 'connection reset'],
    ['EPIPE', 'connection closed during a write'],
    ['ENOENT', 'socket not found'],
    ['ETIMEDOUT', 'no response from the host'],
    ['EHOSTUNREACH', 'host unreachable'],
    ['ENETUNREACH', 'network unreachable'],
    ['ENOTFOUND', 'host name not found'],
    ['EAI_AGAIN', 'no response from the name server'],
    ['08000', 'connection failure'],
    ['08001', 'connecting failed'],
    ['08003', 'connection does not exist'],
    ['08004', 'connection rejected by the server'],
    ['08006', 'connection failure'],
    ['08007', 'transaction outcome unknown'],
    ['08P01', 'protocol violation'],
    ['53300', 'too many connections'],
    ['57P01', 'server shutting down'],
    ['57P02', 'server process crashed'],
    ['57P03', 'server starting up'],
    ['57P04', 'database dropped'],
    ['57P05', 'session idle too long'],
  ]),
  { kind: 'slow', code: '57014', meaning: 'a statement timeout' },
  ...all('busy', [
    ['25006', 'a read-only server'],
    ['25P03', 'an idle transaction timeout'],
    ['25P04', 'a transaction timeout'],
    ['26000', 'a statement that the pooler sent on another connection'],
    ['42P05', 'a statement that already existed on the pooler’s connection'],
    ['28000', 'a failed sign-in'],
    ['28P01', 'a changed password'],
    ['3D000', 'a database that is being recreated'],
    ['40001', 'a conflict with another transaction'],
    ['40003', 'a statement with unknown outcome'],
    ['40P01', 'a deadlock'],
    ['53000', 'insufficient resources'],
    ['53100', 'a full disk'],
    ['53200', 'insufficient memory'],
    ['53400', 'a configured limit'],
    ['55P03', 'a lock timeout'],
    ['58000', 'a system error'],
    ['58030', 'an I/O error'],
    ['58P01', 'a missing file'],
    ['58P02', 'a duplicate file'],
    ['0A000', 'a statement planned before a migration', 'RevalidateCachedQuery'],
    // Citus reports these without a SQLSTATE of its own.
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
    // From a node: if the table didn't exist at all, the statement would fail before any node received it.
    ['42P01', shardMoved, 'ReportResultError'],
  ]),
]

const nameOf = ({ code, routine }: Pick<PassingError, 'code' | 'routine'>): string =>
  routine === undefined ? code : `${code} ${routine}`

const byName = new Map(passingErrors.map(error => [nameOf(error), error]))

/** The entry of a temporary error; undefined if a retry cannot help. */
export function findPassingError(error: unknown): PassingError | undefined {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  if (typeof code !== 'string') return undefined
  return byName.get(code) ?? (typeof routine === 'string' ? byName.get(nameOf({ code, routine })) : undefined)
}

/** Whether the server or the network was lost, so that a retry may succeed on another connection. */
export const isLostConnection = (error: unknown): boolean => findPassingError(error)?.kind === 'lost'

/** Whether a connection was lost after its full waiting time, so that waiting again doesn't help. */
export const hasWaited = (error: unknown): boolean => findPassingError(error)?.waited === true
