// Checks that a Citus node has the current shard metadata. A node that was disconnected from the cluster may still use the previous, outdated
// locations of shards that have since moved.

import type { Db } from '../client.ts'

export interface ClusterView {
  /** Identifies a cluster: the same on all of its nodes. It consists of the database's name and the addresses of the nodes. */
  cluster: string
  in_recovery: boolean
  /** The locations of all shards: the same text on all nodes with the same information. */
  placements: string
}

/** Fails on a server that belongs to no cluster. */
export async function readClusterView(db: Db): Promise<ClusterView> {
  const [row] = await db<ClusterView[]>`
    select
      (
        select concat_ws(' ', current_database(), string_agg(concat_ws(':', groupid, nodename, nodeport), ' ' order by nodeid))
        from pg_dist_node
      ) as cluster,
      pg_is_in_recovery() as in_recovery,
      (
        select md5(string_agg(concat_ws(' ', s.logicalrelid, s.shardid, s.shardminvalue, p.groupid), ',' order by s.shardid, p.groupid))
        from pg_dist_shard s
        join pg_dist_placement p on p.shardid = s.shardid
      ) as placements`
  return row!
}

/** The reason why pages cannot be read from this node; undefined if they can. */
export function strangenessOfNode(node: ClusterView, coordinator: ClusterView): string | undefined {
  if (node.cluster !== coordinator.cluster) return 'this server is not a node of the cluster in DATABASE_URL'
  if (node.in_recovery) return 'this server is a standby; on a cluster, pages are only read from nodes'
  if (node.placements !== coordinator.placements) return 'this node has different shards than the coordinator'
  return undefined
}
