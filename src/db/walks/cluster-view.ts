// What a node of a Citus cluster knows of it. A node with synchronized metadata finds applications as the coordinator does; one that was cut
// off from the cluster may know of shards that have been elsewhere since, and grown old where they were.

import type { Db } from '../client.ts'

export interface ClusterView {
  /** The same on all nodes, and on those of no other cluster; null where `distributed-functions.sql` was not run. */
  cluster: string | null
  in_recovery: boolean
  /** Where all shards are: the same text on every node that knows the same. */
  placements: string
}

/** Fails on a server that is of no cluster. */
export async function readClusterView(db: Db): Promise<ClusterView> {
  const [row] = await db<ClusterView[]>`
    select
      (
        select substr(setting, 1 + strpos(setting, '='))
        from pg_db_role_setting, unnest(setconfig) setting
        where setdatabase = (select oid from pg_database where datname = current_database())
        and setrole = 0
        and setting like 'tributary.cluster=%'
      ) as cluster,
      pg_is_in_recovery() as in_recovery,
      (
        select md5(string_agg(concat_ws(' ', s.logicalrelid, s.shardid, s.shardminvalue, p.groupid), ',' order by s.shardid, p.groupid))
        from pg_dist_shard s
        join pg_dist_placement p on p.shardid = s.shardid
      ) as placements`
  return row!
}

/** Why pages cannot be read from this node; undefined when they can. */
export function strangenessOfNode(node: ClusterView, coordinator: ClusterView): string | undefined {
  if (coordinator.cluster === null) return 'scripts/migrate --roles has not been run on the coordinator'
  if (node.cluster !== coordinator.cluster)
    return 'this server is no node of the cluster in DATABASE_URL, or scripts/migrate --roles has not been run since it is'
  if (node.in_recovery) return 'this server is a standby, and of a cluster only the nodes themselves are read'
  if (node.placements !== coordinator.placements) return 'this node knows of other shards than the coordinator'
  return undefined
}
