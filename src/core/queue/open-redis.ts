// Opens a connection to the Redis, Valkey or cluster in REDIS_URL.

import { Cluster, Redis, type RedisOptions } from 'ioredis'

/** `urls`: `redis://…` or `rediss://…`; several, comma-separated, are nodes of one cluster. */
export function openRedis(urls: string, options: RedisOptions): Redis | Cluster {
  const nodes = urls.split(',').map(url => url.trim())
  return nodes.length === 1
    ? new Redis(nodes[0]!, options)
    : new Cluster(nodes, { enableOfflineQueue: options.enableOfflineQueue ?? true, redisOptions: options })
}
