// The connection to the Redis in which processes count limits together. While it is unreachable, slow or failing, nothing waits for it:
// each process counts separately until it responds again.

import type { Cluster, Redis } from 'ioredis'
import type { Log } from '../../base/log.ts'
import { openRedis } from './open-redis.ts'

/** Timeout of a response. A page waits for it only if its first rows are ready sooner. */
const answerMs = 250
const connectMs = 5000
const tryAgainMs = 1000

export class CountingRedis {
  readonly client: Redis | Cluster
  #logged = false
  #closed = false
  #lastError = new Error('the connection was lost')

  constructor(
    urls: string,
    private readonly log: Log,
  ) {
    this.client = openRedis(urls, {
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectMs,
      // The connection may be dead without notice: then it is reopened, and it is not `ready` before Redis has responded.
      socketTimeout: answerMs,
      // Where responses to other commands still arrive.
      commandTimeout: 2 * answerMs,
      retryStrategy: () => tryAgainMs,
    })
    this.client.on('error', (error: Error) => {
      this.#lastError = error
    })
    this.client.on('close', () => this.#lose())
    this.client.on('ready', () => this.#return())
  }

  /** While true, no commands are sent. */
  get away(): boolean {
    return this.client.status !== 'ready'
  }

  close(): void {
    this.#closed = true
    this.client.disconnect()
  }

  #lose(): void {
    if (this.#closed || this.#logged) return
    this.#logged = true
    this.log.warn({ err: this.#lastError }, 'Redis is unreachable: each process counts separately')
  }

  #return(): void {
    if (this.#logged) this.log.info('Redis is reachable again: all processes count together')
    this.#logged = false
  }
}
