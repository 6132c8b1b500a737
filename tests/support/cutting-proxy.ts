// A proxy before a database that cuts its connections, on purpose, after so many bytes have come from it.

import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  port: number
  /** Connections cut so far. */
  cuts(): number
  stop(): Promise<void>
}

/** Passes connections on to the port of loopback; `bytesOf` says after how many bytes of answers each ends, by its number from 0. */
export async function startCuttingProxy(port: number, bytesOf: (n: number) => number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let [connections, cuts] = [0, 0]
  const server = createServer(client => {
    let left = bytesOf(connections++)
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', chunk => upstream.write(chunk))
    upstream.on('data', (chunk: Buffer) => {
      client.write(chunk.subarray(0, left))
      left -= chunk.length
      if (left > 0) return
      cuts++
      upstream.destroy()
      client.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    cuts: () => cuts,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
