// Liveness, readiness and metrics, served on a separate port that is never public.

import type { Meter } from '../../../core/metrics/meter.ts'
import { isForAHost, pathOf } from '../headers/host.ts'
import { bySentPath } from './sent-path.ts'

/**
 * `/metrics`: metrics for Prometheus. `/livez`: 200 while the process responds. `/readyz`: 200 if `readiness` resolves to true, otherwise 503.
 * Any valid host is accepted, because probes use IP addresses, container names, or HTTP/1.0 without a host.
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
    if (!isAsSent) return new Response('the path contains . or .., an empty segment or a backslash\n', { status: 400 })
    if (!isForAHost(request)) return new Response('invalid host\n', { status: 400 })
    const path = pathOf(request.url)
    if (!Object.hasOwn(answers, path)) return new Response('not found\n', { status: 404 })
    if (request.method === 'GET' || request.method === 'HEAD') return answers[path]!()
    return new Response('use GET or HEAD\n', { status: 405, headers: { Allow: 'GET, HEAD' } })
  })
}
