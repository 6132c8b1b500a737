// What the platform asks: is the process alive, and should it get traffic. On a port of its own, never the public one.

import { Elysia } from 'elysia'
import type { StandbyState } from '../export/standbys.ts'
import type { Meter } from '../metrics/meter.ts'

/** One line on each standby or node, for people who look at readiness by hand. */
export const standbyLines = (standbys: readonly StandbyState[]): string[] =>
  standbys.map(({ name, isUsed, lagSeconds, node }) => {
    if (node !== undefined) return `node ${name}: ${isUsed ? 'used' : 'not used'}`
    const lag = lagSeconds === undefined ? 'lag unknown' : `at most ${lagSeconds.toFixed(1)} s behind`
    return `standby ${name}: ${isUsed ? 'used' : 'not used'}, ${lag}`
  })

/**
 * `/metrics`: what is counted, for Prometheus. `/livez`: 200 while the process can answer. `/readyz`: 200 when `readiness` says so, else
 * 503. Its further lines are for people: a standby that is not used, for example, makes nothing unready, because the primary can serve
 * every page.
 */
export const health = (
  readiness: () => Promise<{ ready: boolean; lines?: readonly string[] }>,
  metrics: Pick<Meter, 'exposition'>,
) =>
  new Elysia({ name: 'health' })
    .get('/livez', () => new Response('ok\n'))
    .get('/readyz', async () => {
      const { ready, lines = [] } = await readiness()
      const text = [ready ? 'ready' : 'not ready', ...lines, ''].join('\n')
      return ready ? new Response(text) : new Response(text, { status: 503 })
    })
    .get('/metrics', async () => {
      const { text, contentType } = await metrics.exposition()
      return new Response(text, { headers: { 'Content-Type': contentType } })
    })
    .onError(() => new Response('not found\n', { status: 404 }))
