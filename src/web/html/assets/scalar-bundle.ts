// Scalar, the interactive API reference, as one script for browsers, compressed. `scripts/build` replaces this file with the finished
// script (scripts/releasing/with-scripts.ts).

import type { FastifyInstance } from 'fastify'

let script: Promise<Uint8Array<ArrayBuffer>> | undefined

/** The script, compressed with zstd: a megabyte, prepared at the first call. */
export const scalarScript = (): Promise<Uint8Array<ArrayBuffer>> => (script ??= compressScript(9))

/** A higher level takes seconds and saves 8 %. */
export async function compressScript(level: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await Bun.zstdCompress(await standaloneScript(), { level }))
}

/**
 * Scalar's standalone build as its plugin for Fastify serves it. Of its packages, only this one contains the build without needing the
 * sources: 20 packages and 20 MB, where `@scalar/api-reference` brings 280 and 310 MB.
 */
async function standaloneScript(): Promise<string> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  let text = ''
  const reply = {
    header: () => reply,
    send: (body: string) => {
      text = body
    },
  }
  const route = ({ url, handler }: { url: string; handler: (request: unknown, reply: unknown) => void }) => {
    if (url.endsWith('/scalar.js')) handler({}, reply)
  }
  const server = { route, initialConfig: {} } as unknown as FastifyInstance
  plugin(server, { configuration: { url: '/' } }, () => {})
  return text
}
