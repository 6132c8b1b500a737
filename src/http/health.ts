// What the platform asks: is the process alive, and should it get traffic. On a port of its own, never the public one.

import { Elysia } from 'elysia'
import type { StandbyState } from '../export/standbys.ts'
import type { Meter } from '../metrics/meter.ts'

/** One line on each standby, for whoever looks at readiness by hand. */
const standbyLines = (standbys: readonly StandbyState[]): string =>
  standbys
    .map(({ name, isUsed, lagSeconds }) => {
      const lag = lagSeconds === undefined ? 'lag unknown' : `at most ${lagSeconds.toFixed(1)} s behind`
      return `standby ${name}: ${isUsed ? 'used' : 'not used'}, ${lag}\n`
    })
    .join('')

/**
 * `/metrics`: what is counted, for Prometheus. `/livez`: 200 while the process can answer. `/readyz`: 200 when `isReady` says so, else
 * 503; it also tells how each standby is, which decides nothing, since the primary can serve every page.
 */
export const health = (
  isReady: () => Promise<boolean>,
  metrics: Pick<Meter, 'exposition'>,
  standbys: () => readonly StandbyState[] = () => [],
) =>
  new Elysia({ name: 'health' })
    .get('/livez', () => new Response('ok\n'))
    .get('/readyz', async () =>
      (await isReady())
        ? new Response(`ready\n${standbyLines(standbys())}`)
        : new Response(`not ready\n${standbyLines(standbys())}`, { status: 503 }),
    )
    .get('/metrics', async () => {
      const { text, contentType } = await metrics.exposition()
      return new Response(text, { headers: { 'Content-Type': contentType } })
    })
    .onError(() => new Response('not found\n', { status: 404 }))
