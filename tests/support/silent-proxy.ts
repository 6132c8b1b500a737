// A proxy before a database that falls silent, as a frozen host or a network that swallows everything does: no byte, no reset, and
// a connection is accepted, and hears nothing.

import type { Socket } from 'node:net'
import { endWithTest } from './fixtures.ts'
import { portOf, startProxy, type TapProxy } from './proxy.ts'

export interface SilentProxy extends TapProxy {
  /** The database's URL, through the proxy. */
  url: string
  /** Forwards this many more of the database's bytes, over all connections, and then nothing in either direction. */
  fallSilent(afterBytes?: number): void
  /** Each connection opened from now on forwards this many of the database's bytes, and falls silent. */
  silenceEachAfter(bytes: number): void
  /** Only existing connections fall silent. */
  silenceConnected(): void
  /** Forwards what was held back, and everything after it. */
  speak(): void
}

interface Hearing {
  silent: boolean
  /** Number of the database's bytes that it still forwards. */
  left: number
  /** What has been held back meanwhile. */
  held: (() => void)[]
}

/** Forwards connections to a database, until the test ends. */
export async function useSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const hearings = new Set<Hearing>()
  let left = Number.POSITIVE_INFINITY
  let leftOfEach = Number.POSITIVE_INFINITY
  const silence = (): void => {
    for (const hearing of hearings) hearing.silent = true
  }
  const proxy = await startProxy(portOf(databaseUrl), ({ client, upstream }) => {
    const hearing: Hearing = { silent: left === 0, left: leftOfEach, held: [] }
    hearings.add(hearing)
    client.on('close', () => hearings.delete(hearing))
    const pass = (to: Socket, bytes: Buffer): void => {
      if (hearing.silent) hearing.held.push(() => to.write(bytes))
      else to.write(bytes)
    }
    return {
      fromClient: bytes => pass(upstream, bytes),
      fromUpstream: bytes => {
        const passed = hearing.silent ? 0 : Math.min(left, hearing.left, bytes.length)
        if (passed > 0) client.write(bytes.subarray(0, passed))
        left -= passed
        hearing.left -= passed
        if (left === 0) silence()
        if (hearing.left === 0) hearing.silent = true
        if (passed < bytes.length) pass(client, bytes.subarray(passed))
      },
    }
  })
  endWithTest(() => proxy.stop())
  return {
    ...proxy,
    url: proxy.through(databaseUrl),
    fallSilent: (afterBytes = 0) => {
      left = afterBytes
      if (left === 0) silence()
    },
    silenceEachAfter: bytes => {
      leftOfEach = bytes
    },
    silenceConnected: silence,
    speak: () => {
      left = leftOfEach = Number.POSITIVE_INFINITY
      for (const hearing of hearings) {
        hearing.silent = false
        hearing.left = Number.POSITIVE_INFINITY
        for (const pass of hearing.held.splice(0)) pass()
      }
    },
  }
}
