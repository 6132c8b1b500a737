// Liveness and readiness, on a port of its own, never the public one.

import type { StandbyState } from '../../export/servers/standbys.ts'
import type { Meter } from '../../metrics/meter.ts'
import { isForAHost, pathOf } from '../headers/host.ts'
import { bySentPath } from './sent-path.ts'

/** One line on each standby, or node of a cluster, for people who look at readiness by hand. */
export const standbyLines = (standbys: readonly StandbyState[]): string[] =>
  standbys.map(({ name, isUsed, lagSeconds, strangeness }) => {
    if (strangeness !== undefined) return `standby ${name}: not used, ${strangeness}`
    const lag = lagSeconds === undefined ? 'lag unknown' : `lag at most ${lagSeconds.toFixed(1)} s`
    return `standby ${name}: ${isUsed ? 'used' : 'not used'}, ${lag}`
  })

/**
 * `/metrics`: what is counted, for Prometheus. `/livez`: 200 while the process can answer. `/readyz`: 200 when `readiness` says so, else
 * 503. Its further lines are for people: a standby that is not used, for example, makes nothing unready, because the primary can serve
 * every page. Any host will do, as long as it is one: probes come by address, by the name of a container, or by HTTP/1.0 without.
 */
export const health = (
  readiness: () => Promise<{ ready: boolean; lines?: readonly string[] }>,
  metrics: Pick<Meter, 'exposition'>,
) => {
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/livez': () => new Response('ok\n'),
    '/readyz': async () => {
      const { ready, lines = [] } = await readiness()
      const text = [ready ? 'ready' : 'not ready', ...lines, ''].join('\n')
      return ready ? new Response(text) : new Response(text, { status: 503 })
    },
    '/metrics': async () => {
      const { text, contentType } = await metrics.exposition()
      return new Response(text, { headers: { 'Content-Type': contentType } })
    },
  }
  return bySentPath((request, _, isAsSent) => {
    if (!isAsSent) return new Response('the path has . or .. or an empty segment, or a backslash\n', { status: 400 })
    if (!isForAHost(request)) return new Response('no such host\n', { status: 400 })
    const path = pathOf(request.url)
    if (!Object.hasOwn(answers, path)) return new Response('not found\n', { status: 404 })
    if (request.method === 'GET' || request.method === 'HEAD') return answers[path]!()
    return new Response('only GET and HEAD\n', { status: 405, headers: { Allow: 'GET, HEAD' } })
  })
}
