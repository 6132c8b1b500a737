// A page that is asked for on a bare socket, by a client that reads no more of it than a test lets it.

import { until } from './until.ts'

export interface BareReader {
  socket: Bun.Socket
  /** Everything received, including the header. */
  received: Buffer[]
  closed: boolean
}

interface Asked {
  port: number | string
  path: string
  authorization: string
  /** `Accept-Encoding`. */
  coding?: string
}

/** Reads everything, unless `onFirst` does something else with the socket at the first bytes. */
export async function openReader(request: Asked, onFirst: (socket: Bun.Socket) => unknown = () => {}) {
  const { port, path, authorization, coding = 'identity' } = request
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Accept-Encoding: ${coding}`]
  const reader: BareReader = { socket: undefined as never, received: [], closed: false }
  const close = (): void => {
    reader.closed = true
  }
  reader.socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      open: socket => void socket.write(`${[...lines, `Authorization: ${authorization}`].join('\r\n')}\r\n\r\n`),
      data: (socket, bytes) => {
        if (reader.received.length === 0) onFirst(socket)
        reader.received.push(Buffer.from(bytes))
      },
      close,
      error: close,
    },
  })
  return reader
}

/** Reads nothing after the first bytes, which have come. */
export async function stalledReader(request: Asked): Promise<BareReader> {
  const reader = await openReader(request, socket => socket.pause())
  await until('the first bytes', () => reader.received.length > 0)
  return reader
}
