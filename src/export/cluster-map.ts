// Of a distributed installation: where the applications of each program are, as the coordinator said last, and which servers are its nodes.
//
// Why a walk may begin on the coordinator and be read on a node. All that a walk needs of a program, its counter, applications and
// tombstones, is in one shard on one node, and the coordinator asks there too. So the walk's horizon was seen on this very node, and a
// later cursor sees no less. What a submission prepared there and has not committed is in neither; while it is not, it holds the counter, so that
// no later submission has a number. And what rows refer to, versions and key maps, was committed on the coordinator before.
//
// A shard that was moved may still lie where it was, and grow old there. A cursor reads it by its own name, and asks the counter and the
// tombstones beside it, in one snapshot and on that node: it refuses when they have not come as far as the walk (G13), and says nothing
// older than that. Whether it is still the shard is looked up once a second, which is how old a status on a page can be.

import { type NodeView, parseShards, type Shard, type ShardRange, shardOf } from '../db/shard-places.ts'

export class ClusterMap {
  #coordinator: NodeView | undefined
  #ranges: readonly ShardRange[] = []

  note(coordinator: NodeView): void {
    if (this.#coordinator?.shards !== coordinator.shards) this.#ranges = parseShards(coordinator.shards)
    this.#coordinator = coordinator
  }

  shardOf(programId: number): Shard | undefined {
    return shardOf(this.#ranges, programId)
  }

  /** Why this is no node that pages can be read from; undefined for one that is. */
  strangeness(node: NodeView): Error | undefined {
    const coordinator = this.#coordinator
    if (coordinator?.cluster == null) return new Error('scripts/migrate --roles has not been run on the coordinator')
    if (node.cluster !== coordinator.cluster)
      return new Error(
        'this server is no node of the cluster in DATABASE_URL, or scripts/migrate --roles has not been run since it is',
      )
    if (node.in_recovery)
      return new Error('this server is a standby, and of a cluster only the nodes themselves are read')
    if (node.shards !== coordinator.shards) return new Error('this node knows of other shards than the coordinator')
    return undefined
  }
}
