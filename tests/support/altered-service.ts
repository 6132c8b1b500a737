// A service that is not to be trusted: the real one, with its answers altered on purpose.

import { createHash } from 'node:crypto'
import { endWithFile } from './fixtures.ts'
import type { TestService } from './service.ts'

/**
 * Responds like the service, with the text of each response changed by `change`, or with a response from `change`. Until the file ends; resolves with
 * its address.
 */
export function useAlteredService(
  service: TestService,
  change: (text: string, path: string) => string | Response,
): string {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const sent = (name: string) => request.headers.get(name) ?? ''
      const headers = { Authorization: sent('Authorization'), Accept: sent('Accept'), 'Accept-Encoding': 'identity' }
      const answer = await service.get(pathname + search, { headers })
      for (const name of ['Content-Length', 'Connection', 'Date']) answer.headers.delete(name)
      const changed = change(await answer.text(), pathname)
      if (changed instanceof Response) return changed
      return new Response(digested(changed), { status: answer.status, headers: answer.headers })
    },
  })
  endWithFile(() => server.stop(true))
  return `http://127.0.0.1:${server.port}`
}

/** With count and SHA-256 in the last line, if the text is a page of lines, as the service would compute them for these lines. */
function digested(text: string): string {
  const last = text.lastIndexOf('\n', text.length - 2) + 1
  if (!/^\{.*"count":\d+,"sha256":/.test(text.slice(last))) return text
  const lines = text.slice(0, last)
  const { count: _, sha256: __, ...end } = JSON.parse(text.slice(last))
  return `${lines}${endOfLines(lines, end)}`
}

/** The last line of a page with these lines. */
export function endOfLines(lines: string, end: object): string {
  const sha256 = createHash('sha256').update(lines).digest('hex')
  return `${JSON.stringify({ ...end, count: lines.split('\n').length - 1, sha256 })}\n`
}
