// Puts the doors together into one HTTP application. Opens nothing: what it needs is handed in.
// It must not know what happens behind a door.

import { Elysia } from 'elysia'
import type { Config } from './config.ts'
import type { Sql } from './db/client.ts'
import type { Micros } from './domain/offset-time.ts'
import { problemResponse } from './http/errors.ts'
import { keepRecord, RequestRecord, recordOf } from './http/request-record.ts'
import type { Log } from './log.ts'
import { Problem } from './problem.ts'

export interface Deps {
  config: Config
  log: Log
  /** Connections for everything but exports. */
  db: Sql
  /** Connections for exports, so that no number of them keeps others waiting. */
  exportDb: Sql
  /** The present time. */
  now: () => Micros
}

/** What `Bun.serve` tells about a connection, as far as it is needed. */
export interface Peer {
  requestIP(request: Request): { address: string } | null
}

export interface App {
  fetch(request: Request, peer: Peer): Promise<Response>
}

export function createApp(deps: Deps): App {
  const routes = new Elysia().onError(({ error, code, request }) => {
    // Elysia's own refusal of an address it does not know.
    const known =
      code === 'NOT_FOUND' ? new Problem('not_found', { detail: 'There is nothing at this address.' }) : error
    return problemResponse(known, recordOf(request))
  })
  return {
    async fetch(request, peer) {
      const record = new RequestRecord(
        request,
        peer.requestIP(request)?.address ?? '',
        request.url.startsWith('https:'),
        deps.log,
      )
      keepRecord(record)
      let response: Response
      try {
        response = await routes.fetch(request)
      } catch (error) {
        response = problemResponse(error, record)
      }
      response.headers.set('X-Request-Id', record.id)
      if (!record.streaming) record.finish(response.status, response.status >= 500 ? 'failed' : 'complete')
      return response
    },
  }
}
