// A process that asks for one address over and over and counts: requests a second, and how long each took.
// Takes one JSON line with a LoadRequest on standard input at a time, answers each with one line. Loopback only, keep-alive,
// one request at a time on each connection.

import { answerLines } from './answer-lines.ts'

export interface LoadRequest {
  url: string
  headers: Readonly<Record<string, string>>
  connections: number
  durationMs: number
  /** Between the answer and the next request of a connection; none unless said. */
  pauseMs?: number
  /** Whether an answer may be a refusal for want of quota; it then counts as any other. */
  mayBeRefused?: boolean
}

export interface LoadAnswer {
  requests: number
  wallMs: number
  /** How long each request took, in milliseconds, as they ended. */
  latenciesMs: readonly number[]
}

/** What is known of one connection between two arrivals. */
interface Exchange {
  askedAt: number
  /** Bytes of the answer still to come; undefined while its head is not whole. */
  left: number | undefined
  head: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')
const lengthField = /\r\ncontent-length: ([0-9]+)/i

async function load(asked: LoadRequest): Promise<LoadAnswer> {
  const { url: address, headers, connections, durationMs, pauseMs = 0, mayBeRefused = false } = asked
  const accepted = mayBeRefused ? ['HTTP/1.1 200', 'HTTP/1.1 429'] : ['HTTP/1.1 200']
  const url = new URL(address)
  if (url.hostname !== '127.0.0.1') throw new Error('only loopback may be loaded')
  const fields = Object.entries({ Host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}`)
  const request = Buffer.from([`GET ${url.pathname}${url.search} HTTP/1.1`, ...fields, '', ''].join('\r\n'))
  const latenciesMs: number[] = []
  const finished = Promise.withResolvers<void>()
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  let open = connections

  const ask = (socket: Bun.Socket<Exchange>): void => {
    if (performance.now() >= endsAt) {
      socket.end()
      return
    }
    socket.data.askedAt = performance.now()
    socket.data.left = undefined
    socket.write(request)
  }
  const take = (socket: Bun.Socket<Exchange>, arrived: Buffer): void => {
    const exchange = socket.data
    let count = arrived.length
    if (exchange.left === undefined) {
      const chunk = exchange.head.length === 0 ? arrived : Buffer.concat([exchange.head, arrived])
      const end = chunk.indexOf(headEnd)
      if (end === -1) {
        exchange.head = Buffer.from(chunk)
        return
      }
      const head = chunk.toString('latin1', 0, end)
      const length = lengthField.exec(head)?.[1]
      if (!accepted.some(status => head.startsWith(status)) || length === undefined)
        throw new Error(`an answer is not 200 with a length: ${head.slice(0, 200)}`)
      exchange.head = Buffer.alloc(0)
      exchange.left = Number(length)
      count = chunk.length - end - headEnd.length
    }
    exchange.left -= count
    if (exchange.left > 0) return
    latenciesMs.push(performance.now() - exchange.askedAt)
    if (pauseMs === 0) ask(socket)
    else setTimeout(ask, pauseMs, socket)
  }
  for (let i = 0; i < connections; i++) {
    await Bun.connect<Exchange>({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        open: socket => {
          socket.data = { askedAt: 0, left: undefined, head: Buffer.alloc(0) }
          ask(socket)
        },
        data: (socket, chunk) => {
          try {
            take(socket, chunk)
          } catch (error) {
            finished.reject(error)
            socket.end()
          }
        },
        close: () => {
          if (--open === 0) finished.resolve()
        },
        error: (_, error) => finished.reject(error),
      },
    })
  }
  await Promise.race([
    finished.promise,
    Bun.sleep(durationMs + 30_000).then(() => Promise.reject(new Error('requests were never answered'))),
  ])
  return { requests: latenciesMs.length, wallMs: performance.now() - startedAt, latenciesMs }
}

if (import.meta.main) await answerLines(load)
