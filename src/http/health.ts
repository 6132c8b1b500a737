// What the platform asks: is the process alive, and should it get traffic. On a port of its own, never the public one.
// It must not know how readiness is found out.

import { Elysia } from 'elysia'

/** `/livez`: 200 while the process can answer. `/readyz`: 200 when `isReady` says so, else 503. Neither tells anything more. */
export const health = (isReady: () => Promise<boolean>) =>
  new Elysia({ name: 'health' })
    .get('/livez', () => new Response('ok\n'))
    .get('/readyz', async () =>
      (await isReady()) ? new Response('ready\n') : new Response('not ready\n', { status: 503 }),
    )
    .onError(() => new Response('not found\n', { status: 404 }))
