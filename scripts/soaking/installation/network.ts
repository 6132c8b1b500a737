// The network between the service and its database: a proxy that can be cut, paused and throttled.

import { connect, createServer, type Socket } from 'node:net'

export interface Network {
  port: number
  /** Resets every connection. */
  cut(): void
  /** Forwards nothing until `resume`; connections stay open. */
  pause(): void
  /** Forwards about this many bytes per second, for each direction and connection. */
  throttle(bytesPerSecond: number): void
  resume(): void
  stop(): Promise<void>
}

/** How often a throttled connection forwards a chunk. */
const pieceMs = 50

/** A proxy in front of a loopback port, which may differ for each connection. */
export async function startNetwork(target: () => number): Promise<Network> {
  const sockets = new Set<Socket>()
  let pieceBytes = Number.POSITIVE_INFINITY
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (bytes: Buffer) => {
      to.write(bytes)
      if (bytes.length < pieceBytes && pieceBytes > 0) return
      from.pause()
      const goOn = (): void => {
        if (pieceBytes > 0) from.resume()
        else setTimeout(goOn, pieceMs)
      }
      setTimeout(goOn, pieceMs)
    })
  }
  const server = createServer(client => {
    const upstream = connect(target(), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    pass(client, upstream)
    pass(upstream, client)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut,
    pause: () => {
      pieceBytes = 0
    },
    throttle: bytesPerSecond => {
      pieceBytes = (bytesPerSecond * pieceMs) / 1000
    },
    resume: () => {
      pieceBytes = Number.POSITIVE_INFINITY
    },
    stop: async () => {
      cut()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
