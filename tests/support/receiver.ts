// A receiver of webhooks: an https server on loopback that keeps what it got, and answers as a test says.

import { testCertificate } from './certificate.ts'
import { endWithFile } from './fixtures.ts'

export interface Received {
  path: string
  host: string | null
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  /** `https://127.0.0.1:<port>/hooks`, and the same with a name that is not in its certificate. */
  url: string
  port: number
  /** Every request, oldest first. */
  received: Received[]
  /** How requests are answered from now on; initially with 204. */
  answer: (request: Request) => Response | Promise<Response>
}

/** Until the file ends. Its certificate is `testCertificate`. */
export function useReceiver(): Receiver {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    development: false,
    tls: testCertificate,
    fetch: async request => {
      const { pathname } = new URL(request.url)
      const headers = Object.fromEntries(request.headers)
      received.push({ path: pathname, host: request.headers.get('host'), headers, body: await request.text() })
      return receiver.answer(request)
    },
  })
  endWithFile(() => server.stop(true))
  const receiver: Receiver = {
    url: `https://127.0.0.1:${server.port}/hooks`,
    port: server.port!,
    received,
    answer: () => new Response(null, { status: 204 }),
  }
  return receiver
}
