// A proxy that stands before a service and fails now and then, on purpose: to see whether clients get over it.

import type { Socket } from 'node:net'
import { integerFrom, pick, seededRandom } from '../../src/domain/random/seeded-random.ts'
import { endWithFile } from './fixtures.ts'
import { startProxy, type TapProxy } from './proxy.ts'

/**
 * What happens to a request: forwarded, answered with a status or with a different 200, its response cut off, silent after some bytes, or changed, or
 * no response at all.
 */
export type Fault =
  | 'none'
  | 'hang up'
  | { status: number; retryAfter?: string }
  | { fields: Readonly<Record<string, string>>; body: string }
  | { replace: string; by: string }
  | { cutAfterBytes: number }
  | { silentAfterBytes: number }

/** Mostly faults, of every kind, determined by the seed: cut off or silent after at most this many bytes. */
export function randomFaults(seed: number, bytesMax: number): (n: number) => Fault {
  const next = seededRandom(seed)
  return () =>
    pick<() => Fault>(next, [
      () => 'none',
      () => 'none',
      () => 'hang up',
      () => ({ status: 503 }),
      () => ({ status: 429, retryAfter: '0' }),
      () => ({ cutAfterBytes: integerFrom(next, 0, bytesMax) }),
      () => ({ silentAfterBytes: integerFrom(next, 0, bytesMax) }),
    ])()
}

export interface FaultyProxy extends TapProxy {
  baseUrl: string
  /** Paths with query of all requests so far, in order, each with its outcome. */
  requests: { target: string; fault: Fault }[]
}

/**
 * Forwards requests to the loopback port until the file ends; `faultOf` decides about each, by its number from 0 and its path. One request per
 * connection; `saysClose` sends the client that header.
 */
export async function useFaultyProxy(
  port: number,
  faultOf: (n: number, target: string) => Fault,
  saysClose = false,
): Promise<FaultyProxy> {
  const requests: FaultyProxy['requests'] = []
  const proxy = await startProxy(port, ({ client, upstream }) => {
    let head = ''
    let left = Number.POSITIVE_INFINITY
    let silent = false
    let answered = false
    let replaced: { replace: string; by: string } | undefined
    return {
      fromClient: bytes => {
        head += bytes.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end === -1) return
        const [line = '', ...fields] = head.slice(0, end).split('\r\n')
        head = ''
        const target = line.split(' ')[1] ?? ''
        const fault = faultOf(requests.length, target)
        requests.push({ target, fault })
        if (fault === 'hang up') client.destroy()
        else if (typeof fault === 'object' && 'status' in fault) answer(client, fault)
        else if (typeof fault === 'object' && 'body' in fault) answerOther(client, fault)
        else {
          if (typeof fault === 'object' && 'replace' in fault) replaced = fault
          else if (fault !== 'none') {
            silent = 'silentAfterBytes' in fault
            left = 'silentAfterBytes' in fault ? fault.silentAfterBytes : fault.cutAfterBytes
            if (left === 0 && !silent) return client.destroy()
          }
          const ours = replaced === undefined ? /^connection:/i : /^(connection|accept-encoding):/i
          const kept = fields.filter(field => !ours.test(field))
          upstream.write(`${[line, ...kept, 'Connection: close'].join('\r\n')}\r\n\r\n`, 'latin1')
        }
      },
      fromUpstream: sent => {
        const answer = saysClose && !answered ? closing(sent) : sent
        answered = true
        const bytes = replaced === undefined ? answer : replacedIn(answer, replaced)
        const passed = bytes.subarray(0, left)
        left -= passed.length
        if (silent && left === 0) {
          if (passed.length > 0) client.write(passed)
          return
        }
        // Written bytes must have left before the connection is reset, or the client would never receive them.
        client.write(passed, () => {
          if (left === 0) client.destroy()
        })
      },
    }
  })
  endWithFile(() => proxy.stop())
  return { ...proxy, baseUrl: `http://127.0.0.1:${proxy.port}`, requests }
}

/** Bun would reuse the connection, find it closed, and repeat the request automatically. Node.js 24 then fails on an assertion of its own. */
function closing(head: Buffer): Buffer {
  const statusLine = head.indexOf('\r\n') + 2
  return Buffer.concat([head.subarray(0, statusLine), Buffer.from('Connection: close\r\n'), head.subarray(statusLine)])
}

/** Replaced if it is complete in one chunk, with as many bytes, so that the length stays the same. */
const replacedIn = (bytes: Buffer, { replace, by }: { replace: string; by: string }): Buffer =>
  Buffer.from(bytes.toString('latin1').replace(replace, by), 'latin1')

function answerOther(
  client: Socket,
  { fields, body }: { fields: Readonly<Record<string, string>>; body: string },
): void {
  const all = { ...fields, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  client.end(`HTTP/1.1 200 OK\r\n${head.join('')}\r\n${body}`)
}

function answer(client: Socket, { status, retryAfter }: { status: number; retryAfter?: string }): void {
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  client.end(`HTTP/1.1 ${status} Failed\r\n${wait}Content-Length: 6\r\nConnection: close\r\n\r\nfailed`)
}
