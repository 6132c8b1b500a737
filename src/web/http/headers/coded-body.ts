// Compresses the body of a page or an asset for clients that accept it.

import { type Coding, preferredCoding } from './negotiation.ts'

/** A shorter body fits into one packet uncompressed. */
const codedBytesMin = 1000

export const codingFor = (request: Request): Coding | undefined =>
  preferredCoding(request.headers.get('accept-encoding'))

/** The body in this coding, and the headers for it. */
export function codedBody(
  body: Buffer<ArrayBuffer>,
  coding: Coding | undefined,
): { body: Uint8Array<ArrayBuffer>; fields: Readonly<Record<string, string>> } {
  if (coding === undefined || body.length < codedBytesMin) return { body, fields: {} }
  const coded = coding === 'zstd' ? Bun.zstdCompressSync(body) : Bun.gzipSync(body)
  return { body: new Uint8Array(coded), fields: { 'Content-Encoding': coding } }
}
