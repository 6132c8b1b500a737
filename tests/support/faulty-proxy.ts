// A proxy that stands before a service and fails now and then, on purpose: to see whether clients get over it.

import { connect, createServer, type Socket } from 'node:net'

/** What becomes of a request: passed on, answered with a status, its answer cut off after some bytes, or nothing at all. */
export type Fault = 'none' | 'hang up' | { status: number; retryAfter?: string } | { cutAfterBytes: number }

export interface FaultyProxy {
  port: number
  baseUrl: string
  /** Paths with query of all requests so far, in order, each with what became of it. */
  requests: { target: string; fault: Fault }[]
  stop(): Promise<void>
}

/** Passes requests on to the port of loopback; `faultOf` decides about each, by its number from 0. One request a connection. */
export async function startFaultyProxy(port: number, faultOf: (n: number) => Fault): Promise<FaultyProxy> {
  const requests: FaultyProxy['requests'] = []
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    sockets.add(client)
    client.on('close', () => sockets.delete(client))
    client.on('error', () => {})
    let head = ''
    const read = (chunk: Buffer): void => {
      head += chunk.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      client.off('data', read)
      const [line = '', ...fields] = head.slice(0, end).split('\r\n')
      const fault = faultOf(requests.length)
      requests.push({ target: line.split(' ')[1] ?? '', fault })
      if (fault === 'hang up') client.destroy()
      else if (typeof fault === 'object' && 'status' in fault) answer(client, fault)
      else {
        const kept = fields.filter(field => !/^connection:/i.test(field))
        const request = `${[line, ...kept, 'Connection: close'].join('\r\n')}\r\n\r\n`
        forward(client, port, request, fault === 'none' ? Number.POSITIVE_INFINITY : fault.cutAfterBytes)
      }
    }
    client.on('data', read)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as { port: number }
  return {
    port: own,
    baseUrl: `http://127.0.0.1:${own}`,
    requests,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

function answer(client: Socket, { status, retryAfter }: { status: number; retryAfter?: string }): void {
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  client.end(`HTTP/1.1 ${status} Failed\r\n${wait}Content-Length: 6\r\nConnection: close\r\n\r\nfailed`)
}

/** Passes on at most so many bytes of the answer, head and all, then drops the connection. */
function forward(client: Socket, port: number, request: string, bytesMax: number): void {
  const upstream = connect(port, '127.0.0.1', () => upstream.write(request, 'latin1'))
  let passed = 0
  upstream.on('data', (chunk: Buffer) => {
    const rest = bytesMax - passed
    if (chunk.length < rest) {
      passed += chunk.length
      client.write(chunk)
      return
    }
    upstream.destroy()
    // What was written must have left before the connection is reset, or the client would see nothing of it.
    client.write(chunk.subarray(0, rest), () => client.destroy())
  })
  upstream.on('end', () => client.end())
  upstream.on('error', () => client.destroy())
}
