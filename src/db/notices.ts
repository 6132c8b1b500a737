// Hears what the database announces (LISTEN), on a connection of its own, and tells when it may have missed something.
// It must not know what a notice means.

import postgres from 'postgres'
import { reconnectPauseSeconds } from './client.ts'

/** Of a change of any API key or its programs, by whatever door; the payload is its id. Sent by triggers. */
export const apiKeyChanged = 'api_key_changed'

export interface NoticeHandlers {
  /** From now on, every notice is heard; those before were perhaps missed. */
  onListening(): void
  onNotice(payload: string): void
  /** From now on, notices are missed. May come several times in a row. */
  onDeaf(): void
}

export interface Listener {
  stop(): Promise<void>
}

const retryPauseMs = 250

/**
 * Listens on a channel until it is stopped, over and over when the connection is lost. Returns at once.
 * Behind a pooler in transaction mode it hears nothing and cannot know it: what relies on notices must also age.
 */
export function listenFor(url: string, channel: string, handlers: NoticeHandlers): Listener {
  let stopped = false
  let listening = false
  let losses = 0
  const options = {
    ...{ max: 1, idle_timeout: 0, max_lifetime: null, connect_timeout: 10, backoff: reconnectPauseSeconds },
    ...{
      prepare: false,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'tributary-notices' },
    },
    // Read by postgres.js, which uses it for its own `listen`; that one does not tell when it goes deaf.
    onnotify: (_channel: string, payload: string) => handlers.onNotice(payload),
    onclose: () => {
      losses++
      handlers.onDeaf()
      void listen()
    },
  }
  const sql = postgres(url, options)
  const listen = async (): Promise<void> => {
    if (listening) return
    listening = true
    for (let heard = false; !heard && !stopped; ) {
      const lossesBefore = losses
      try {
        await sql`listen ${sql(channel)}`
        heard = losses === lossesBefore
      } catch {
        await Bun.sleep(retryPauseMs)
      }
    }
    listening = false
    if (!stopped) handlers.onListening()
  }
  void listen()
  return {
    async stop() {
      stopped = true
      await sql.end({ timeout: 1 })
    },
  }
}
