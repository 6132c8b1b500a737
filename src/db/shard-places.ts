// Where a distributed installation has the applications of a program: on which node, in which of its tables. Those can be read there as
// any table, batch by batch and without a way through the coordinator.

import type { Db } from './client.ts'
import { hashOfProgram } from './program-hash.ts'

/** What a node of a cluster says of itself and of the cluster. */
export interface NodeView {
  /** The same on all nodes, and on those of no other cluster; null where `distributed-functions.sql` was not run. */
  cluster: string | null
  /** Its own number among the nodes. */
  node: number
  in_recovery: boolean
  /** Every shard as this node knows of it, as text: `parseShards` reads it. */
  shards: string
}

/** The tables that a page is read from, by name. */
export interface WalkTables {
  application: string
  submissionCounter: string
  erasedApplication: string
}

/** What lies together of some programs, by the names that their tables have on the node. */
export interface Shard extends WalkTables {
  node: number
}

export interface ShardRange extends Shard {
  /** The least hash of a program that is in it. */
  from: number
}

/** Fails on a server that is of no cluster. */
export async function readNodeView(db: Db): Promise<NodeView> {
  const [row] = await db<NodeView[]>`
    select
      (
        select substr(setting, 1 + strpos(setting, '='))
        from pg_db_role_setting, unnest(setconfig) setting
        where setdatabase = (select oid from pg_database where datname = current_database())
        and setrole = 0
        and setting like 'tributary.cluster=%'
      ) as cluster,
      (select groupid from pg_dist_local_group) as node,
      pg_is_in_recovery() as in_recovery,
      coalesce(
        (
          select json_agg(
            json_build_array(
              a.shardminvalue::integer, p.groupid, shard_name(a.logicalrelid, a.shardid), shard_name(c.logicalrelid, c.shardid),
              shard_name(e.logicalrelid, e.shardid))
            order by a.shardminvalue::integer)
          from pg_dist_shard a
          join pg_dist_placement p on p.shardid = a.shardid and p.shardstate = 1
          join pg_dist_shard c on c.logicalrelid = 'submission_counter'::regclass and c.shardminvalue = a.shardminvalue
          join pg_dist_shard e on e.logicalrelid = 'erased_application'::regclass and e.shardminvalue = a.shardminvalue
          where a.logicalrelid = 'application'::regclass
        ),
        '[]'
      )::text as shards`
  return row!
}

/** In the order of the hashes. */
export function parseShards(shards: string): ShardRange[] {
  const rows = JSON.parse(shards) as [number, number, string, string, string][]
  return rows.map(([from, node, application, submissionCounter, erasedApplication]) => ({
    from,
    node,
    application,
    submissionCounter,
    erasedApplication,
  }))
}

/** The shard of a program; undefined where there are none. */
export function shardOf(ranges: readonly ShardRange[], programId: number): Shard | undefined {
  const hash = hashOfProgram(programId)
  return ranges.findLast(({ from }) => from <= hash)
}
