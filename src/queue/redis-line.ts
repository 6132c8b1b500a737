// A connection to Redis for single commands, on the way of requests: by Bun's own client, which takes a third of the processor time that
// ioredis does. That knows no clusters, so for the nodes of one it is ioredis.

import { openRedis } from './open-redis.ts'

export interface RedisLine {
  readonly connected: boolean
  /** Rejects when there is no connection; it never waits for one. */
  send(command: string, sent: readonly (string | number)[]): Promise<unknown>
  close(): void
}

/** Resolves once it is connected. It does not connect again by itself: `lost` is called, once, and another has to be opened. */
export async function openRedisLine(urls: string, lost: () => void): Promise<RedisLine> {
  return urls.includes(',') ? openClusterLine(urls, lost) : openServerLine(urls, lost)
}

const connectMs = 5000

async function openServerLine(url: string, lost: () => void): Promise<RedisLine> {
  const options = { autoReconnect: false, enableOfflineQueue: false, connectionTimeout: connectMs }
  const client = new Bun.RedisClient(url.trim(), options)
  client.onclose = lost
  await client.connect()
  return {
    get connected() {
      return client.connected
    },
    send: (command, sent) => client.send(command, sent.map(String)),
    close: () => client.close(),
  }
}

async function openClusterLine(urls: string, lost: () => void): Promise<RedisLine> {
  const cluster = openRedis(urls, { enableOfflineQueue: false, connectTimeout: connectMs, maxRetriesPerRequest: 0 })
  await new Promise<void>((resolve, reject) => {
    cluster.once('ready', resolve)
    cluster.once('error', (error: unknown) => {
      cluster.disconnect()
      reject(error)
    })
  })
  cluster.on('error', lost)
  return {
    get connected() {
      return cluster.status === 'ready'
    },
    send: (command, sent) => cluster.call(command, ...sent),
    close: () => cluster.disconnect(),
  }
}
