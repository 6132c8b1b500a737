// A proxy before a database that cuts its connections, on purpose, after so many bytes have come from it.

import { startProxy, type TapProxy } from './proxy.ts'

export interface CuttingProxy extends TapProxy {
  /** Connections cut so far. */
  cuts(): number
}

/** Passes connections on to the port of loopback; `bytesOf` says after how many bytes of answers each ends, by its number from 0. */
export async function startCuttingProxy(port: number, bytesOf: (n: number) => number): Promise<CuttingProxy> {
  let cuts = 0
  const proxy = await startProxy(port, ({ client, upstream }, n) => {
    let left = bytesOf(n)
    return {
      fromUpstream: bytes => {
        if (left <= 0) return
        client.write(bytes.subarray(0, left))
        left -= bytes.length
        if (left > 0) return
        cuts++
        upstream.destroy()
      },
    }
  })
  return { ...proxy, cuts: () => cuts }
}
