// The drain: that it counts what PostgreSQL sends, however it arrives, and that it is told when the server refuses.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { BlockingSocket } from '../../scripts/benchmark/blocking-socket.ts'
import {
  executeMessages,
  MessageCounter,
  prepareMessages,
  startupMessage,
} from '../../scripts/benchmark/wire-messages.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

describe('counting messages', () => {
  test('cut anywhere, the same rows, bytes and end are seen', () => {
    const rows = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 })
    fc.assert(
      fc.property(rows, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (bodies, cuts) => {
        const stream = Buffer.concat([
          message('2', Buffer.alloc(0)),
          ...bodies.map(body => message('D', Buffer.from(body))),
          message('C', Buffer.from('SELECT 1\0')),
          message('Z', Buffer.from('I')),
        ])
        const counter = new MessageCounter()
        for (let at = 0, i = 0; at < stream.length; i++) {
          const piece = stream.subarray(at, at + cuts[i % cuts.length]!)
          expect(counter.ready && at < stream.length - 1).toBe(false)
          counter.take(Buffer.from(piece), piece.length)
          at += piece.length
        }
        expect({ rows: counter.rows, bytes: counter.bytes, ready: counter.ready }).toEqual({
          rows: bodies.length,
          bytes: stream.length,
          ready: true,
        })
      }),
    )
  })

  test("a complaint is passed on in the server's words", () => {
    const counter = new MessageCounter()
    const bytes = message('E', Buffer.from('SERROR\0C42P01\0Mrelation "no" does not exist\0\0'))
    counter.take(bytes, bytes.length)
    expect(counter.error).toBe('relation "no" does not exist')
  })
})

describe.if(process.platform === 'linux')('against a real server', () => {
  test('every row of a prepared statement arrives, run after run', async () => {
    const database = await useDatabase({}, endWithTest)
    const { port, pathname, username } = new URL(database.url)
    const socket = new BlockingSocket({ port: Number(port) }, 10)
    const buffer = Buffer.alloc(4096)
    const ask = (messages: Uint8Array): MessageCounter => {
      const counter = new MessageCounter()
      socket.write(messages)
      while (!counter.ready) counter.take(buffer, socket.read(buffer))
      return counter
    }
    endWithTest(() => socket.close())
    ask(startupMessage(username, pathname.slice(1)))
    ask(prepareMessages('rows', "select repeat('x', 3000) from generate_series(1, $1::int)"))
    const counted = [1000, 0, 7].map(count => ask(executeMessages('rows', [count])))
    expect(counted.map(counter => counter.rows)).toEqual([1000, 0, 7])
    expect(counted[0]!.bytes).toBeGreaterThan(3_000_000)
    expect(counted.map(counter => counter.error)).toEqual([undefined, undefined, undefined])
    expect(ask(executeMessages('no such statement', [])).error).toContain('does not exist')
  })
})
