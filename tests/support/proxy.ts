// The one proxy of the tests: it stands before a port of loopback and passes everything on, but for what a tap does with it.
// silent-proxy, faulty-proxy and statement-recorder are its taps.

import { connect, createServer, type Socket } from 'node:net'

export interface Connection {
  client: Socket
  upstream: Socket
}

/** Handles the bytes of one connection. Directions without a handler are forwarded. */
export interface Tap {
  /** Bytes from the client; the tap writes to `upstream` what is to be forwarded. */
  fromClient?(bytes: Buffer): void
  /** Bytes from the other side; the tap writes to `client` what is to be forwarded. */
  fromUpstream?(bytes: Buffer): void
}

export interface TapProxy {
  port: number
  /** Connections made so far. */
  made(): number
  /** Number of open connections. */
  open(): number
  /** An address of the other side, through the proxy. */
  through(url: string): string
  stop(): Promise<void>
}

export const portOf = (url: string): number => Number(new URL(url).port)

export function throughPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** `tapOf` is called for each connection, with its number from 0; `port`, too, if it is a function. Listens on a free port by default. */
export async function startProxy(
  port: number | (() => number),
  tapOf: (connection: Connection, n: number) => Tap,
  listenOn = 0,
): Promise<TapProxy> {
  const open = new Set<Connection>()
  let made = 0
  const server = createServer(client => {
    const connection: Connection = { client, upstream: connect(typeof port === 'number' ? port : port(), '127.0.0.1') }
    const { upstream } = connection
    open.add(connection)
    const { fromClient = bytes => void upstream.write(bytes), fromUpstream = bytes => void client.write(bytes) } =
      tapOf(connection, made++)
    client.on('data', bytes => fromClient(bytes as Buffer))
    upstream.on('data', bytes => fromUpstream(bytes as Buffer))
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
    }
    client.on('close', () => {
      open.delete(connection)
      upstream.destroy()
    })
    // Earlier responses still reach the client.
    upstream.on('close', () => client.end())
  })
  await new Promise<void>(resolve => server.listen(listenOn, '127.0.0.1', resolve))
  const ownPort = (server.address() as { port: number }).port
  return {
    port: ownPort,
    through: url => throughPort(url, ownPort),
    made: () => made,
    open: () => open.size,
    stop: async () => {
      for (const { client, upstream } of open) {
        client.destroy()
        upstream.destroy()
      }
      await new Promise(resolve => server.close(resolve))
    },
  }
}
