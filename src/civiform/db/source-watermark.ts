// Reads what the watermark is computed from: CiviForm's open transactions, from the two views that list them.

import type { Micros } from '../../domain/values/offset-time.ts'
import type { Source } from './source.ts'

/**
 * The roles that may submit: the owner of the applications, roles it allows to write, and their members. Transactions of other roles, such as a
 * backup's, don't delay anything.
 */
export async function readWriters(source: Source): Promise<string[]> {
  const rows = await source<{ name: string }[]>`
    with recursive writer as (
      select c.relowner as oid
      from pg_class c
      where c.oid = 'applications'::regclass
      union
      select granted.grantee
      from pg_class c
      cross join lateral aclexplode(c.relacl) granted
      where c.oid = 'applications'::regclass
      and granted.privilege_type in ('INSERT', 'UPDATE')
      union
      select m.member
      from writer w
      join pg_auth_members m on m.roleid = w.oid
    )
    select r.rolname::text as name
    from writer w
    join pg_roles r on r.oid = w.oid
    order by 1`
  return rows.map(row => row.name)
}

/** Whether the start times of other sessions' transactions are visible. Without that right they read as null, as if there were none. */
export async function maySeeTransactions(source: Source): Promise<boolean> {
  const [row] = await source<{ may: boolean }[]>`
    select pg_has_role(current_user, 'pg_read_all_stats', 'usage') as may`
  return row!.may
}

export interface OpenTransactions {
  now: Micros
  /** When the oldest open transaction of a writer began; null when none is open. */
  oldest: Micros | null
  /** Process ID of its session. */
  pid: number | null
  role: string | null
  /** Number of writers' sessions whose state is hidden, so that `oldest` is unreliable. */
  unreported: number
  /** Prepared transactions: no session shows them. */
  prepared: number
}

/** In one statement, and so one transaction, within which the views do not change. `now` is its start, before it read them. */
export async function readOpenTransactions(source: Source, writers: readonly string[]): Promise<OpenTransactions> {
  const [row] = await source<OpenTransactions[]>`
    select
      statement_timestamp() as now,
      min(xact_start) as oldest,
      (array_agg(pid order by xact_start) filter (where xact_start is not null))[1] as pid,
      (array_agg(usename::text order by xact_start) filter (where xact_start is not null))[1] as role,
      count(*) filter (where state is null or state = 'disabled') as unreported,
      (select count(*) from pg_prepared_xacts where database = current_database()) as prepared
    from pg_stat_activity
    where usename = any(${writers as string[]}::name[])
    and datname = current_database()
    -- Null for a session whose state is hidden.
    and (backend_type = 'client backend' or backend_type is null)
    and pid <> pg_backend_pid()`
  return row!
}

export interface TransactionSample {
  now: Micros
  /** Virtual IDs of the writers' open transactions. Each transaction holds a lock on its own ID, which every role can see. */
  open: { virtualxid: string; pid: number; role: string }[]
  prepared: number
}

export async function readTransactionSample(source: Source, writers: readonly string[]): Promise<TransactionSample> {
  const [row] = await source<TransactionSample[]>`
    select
      statement_timestamp() as now,
      coalesce(jsonb_agg(jsonb_build_object('virtualxid', l.virtualxid, 'pid', a.pid, 'role', a.usename))
        filter (where a.pid is not null), '[]') as open,
      (select count(*) from pg_prepared_xacts where database = current_database()) as prepared
    from pg_locks l
    left join pg_stat_activity a on a.pid = l.pid
      and a.usename = any(${writers as string[]}::name[])
      and a.datname = current_database()
      and a.pid <> pg_backend_pid()
    where l.locktype = 'virtualxid'
    and l.granted`
  return row!
}
