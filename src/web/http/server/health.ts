// Liveness and readiness, on a port of its own, never the public one.

import type { Meter } from '../../../core/metrics/meter.ts'
import { isForAHost, pathOf } from '../headers/host.ts'
import { bySentPath } from './sent-path.ts'

/**
 * `/metrics`: what is counted, for Prometheus. `/livez`: 200 while the process can answer. `/readyz`: 200 when `readiness` says so, else
 * 503. Any host will do, as long as it is one: probes come by address, by the name of a container, or by HTTP/1.0 without.
 */
export const health = (readiness: () => Promise<boolean>, metrics: Pick<Meter, 'exposition'>) => {
  const answers: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/livez': () => new Response('ok\n'),
    '/readyz': async () => {
      const isReady = await readiness()
      return isReady ? new Response('ready\n') : new Response('not ready\n', { status: 503 })
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
