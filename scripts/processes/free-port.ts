// Finds a free loopback port for programs that can't pick one themselves.

import { createServer } from 'node:net'

/** Below the ports that Linux (from 32768) and macOS (from 49152) give to outgoing connections, one of which could take it before it is used. */
const lowest = 20_000
const highest = 32_767

/** A port on which nothing was listening a moment ago, nor on the one `further` above it. */
export async function freePort({ further = 0 } = {}): Promise<number> {
  for (;;) {
    // Not from a test run's seed: concurrent runs would try ports in the same order.
    const port = lowest + Math.floor(Math.random() * (highest + 1 - lowest))
    if ((await isFree(port)) && (further === 0 || (await isFree(port + further)))) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
