// What the platform asks: is the process alive, and should it get traffic. On a port of its own, never the public one.

import { Elysia } from 'elysia'
import type { Meter } from '../metrics/meter.ts'

/** `/metrics`: what is counted, for Prometheus. `/livez`: 200 while the process can answer. `/readyz`: 200 when `isReady` says so, else 503. Neither tells anything more. */
export const health = (isReady: () => Promise<boolean>, metrics: Pick<Meter, 'exposition'>) =>
  new Elysia({ name: 'health' })
    .get('/livez', () => new Response('ok\n'))
    .get('/readyz', async () =>
      (await isReady()) ? new Response('ready\n') : new Response('not ready\n', { status: 503 }),
    )
    .get('/metrics', async () => {
      const { text, contentType } = await metrics.exposition()
      return new Response(text, { headers: { 'Content-Type': contentType } })
    })
    .onError(() => new Response('not found\n', { status: 404 }))
