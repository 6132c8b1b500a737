// A proxy before a database that falls silent, as a frozen host or a network that swallows everything does: no byte, no reset, and
// whoever connects is accepted and hears nothing.

import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  port: number
  /** Passes on this many more bytes of the database's, over all connections, and then nothing in either direction. */
  fallSilent(afterBytes?: number): void
  /** Only connections that were made up to now fall silent. */
  silenceConnected(): void
  /** Passes on what was held back, and all that follows. */
  speak(): void
  /** Connections to it made so far, and those open now. */
  made(): number
  open(): number
  stop(): Promise<void>
}

interface Pair {
  client: Socket
  upstream: Socket
  silent: boolean
  /** What would have been passed on meanwhile. */
  held: (() => void)[]
}

/** Passes connections on to the port of loopback. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const pairs = new Set<Pair>()
  let left = Number.POSITIVE_INFINITY
  let made = 0
  const pass = (pair: Pair, to: Socket, chunk: Buffer): void => {
    if (pair.silent) pair.held.push(() => to.write(chunk))
    else to.write(chunk)
  }
  const silence = (): void => {
    for (const pair of pairs) pair.silent = true
  }
  const server = createServer(client => {
    made++
    const pair: Pair = { client, upstream: connect(port, '127.0.0.1'), silent: left === 0, held: [] }
    pairs.add(pair)
    const { upstream } = pair
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', data => pass(pair, upstream, data as Buffer))
    upstream.on('data', data => {
      const chunk = data as Buffer
      const passed = pair.silent ? 0 : Math.min(left, chunk.length)
      if (passed > 0) client.write(chunk.subarray(0, passed))
      left -= passed
      if (left === 0) silence()
      if (passed < chunk.length) pass(pair, client, chunk.subarray(passed))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    fallSilent: (afterBytes = 0) => {
      left = afterBytes
      if (left === 0) silence()
    },
    silenceConnected: silence,
    speak: () => {
      left = Number.POSITIVE_INFINITY
      for (const pair of pairs) {
        pair.silent = false
        for (const pass of pair.held.splice(0)) pass()
      }
    },
    made: () => made,
    open: () => pairs.size,
    stop: async () => {
      for (const { client, upstream } of pairs) {
        client.destroy()
        upstream.destroy()
      }
      await new Promise(resolve => server.close(resolve))
    },
  }
}
