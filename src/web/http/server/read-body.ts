// Reads a request body within limits of size and time.

import { Problem } from '../../../base/problem.ts'
import { whileArriving } from './in-time.ts'

export interface BodyBounds {
  bytesMax: number
  /** How long the whole body may take to arrive. */
  arrivalMs: number
}

/**
 * The bytes of a request body. Throws Problem `too_large` as soon as that is known, and `invalid_request` if it is incomplete or late.
 */
export const readBody = (request: Request, bounds: BodyBounds): Promise<Buffer> =>
  whileArriving(request, () => {
    requireComing(request)
    return read(request, bounds)
  })

/**
 * Throws Problem `expectation_failed` if the client waits for `100 Continue` with an `Expect` that Bun ignores because of its capitals
 * (oven-sh/bun#30248), such as Java's `100-Continue`. Our code cannot send it instead, so both sides would wait for a timeout.
 */
function requireComing({ headers }: Request): void {
  const expected = headers.get('expect')
  if (expected === null || expected === '100-continue') return
  const detail =
    'must be 100-continue in lower case. Otherwise send the request without it (in Java, HttpRequest.Builder.expectContinue(false)).'
  throw new Problem('expectation_failed', {
    detail: 'The request has an Expect header that this service does not support.',
    errors: [{ parameter: 'Expect', code: 'expectation_failed', detail }],
  })
}

async function read(request: Request, { bytesMax, arrivalMs }: BodyBounds): Promise<Buffer> {
  // A declared length is checked without reading the body.
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const reader = request.body?.getReader()
  if (reader === undefined) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  let late = false
  // Cancelling ends the read loop.
  const cancel = (): Promise<void> => reader.cancel().catch(() => {})
  const timer = setTimeout(() => {
    late = true
    void cancel()
  }, arrivalMs)
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      bytes += chunk.value.length
      if (bytes > bytesMax) {
        await cancel()
        throw tooLarge(bytesMax)
      }
      chunks.push(chunk.value)
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    // The client has disconnected, or its chunks are malformed.
    throw new Problem('invalid_request', { detail: 'The request body is incomplete.', cause: error })
  } finally {
    clearTimeout(timer)
  }
  if (late)
    throw new Problem('invalid_request', {
      detail: `The request body took longer than ${arrivalMs} ms to arrive.`,
    })
  return Buffer.concat(chunks, bytes)
}

const tooLarge = (bytesMax: number): Problem =>
  new Problem('too_large', { detail: `The request body must have at most ${bytesMax} bytes.` })
