// Reads a request's body, within bounds of size and time.

import { Problem } from '../../../base/problem.ts'
import { whileArriving } from './in-time.ts'

export interface BodyBounds {
  bytesMax: number
  /** How long the whole body may take to arrive. */
  arrivalMs: number
}

/**
 * The bytes of a request's body. Throws Problem `too_large` as soon as it is known to be, `invalid_request` for one that does not
 * arrive whole and in time.
 */
export const readBody = (request: Request, bounds: BodyBounds): Promise<Buffer> =>
  whileArriving(request, () => {
    requireComing(request)
    return read(request, bounds)
  })

/**
 * Throws Problem `expectation_failed` where the client withholds the body until it hears `100 Continue`, in letters to which Bun says nothing
 * (oven-sh/bun#30248): Java writes `100-Continue`. No code of ours can say it in Bun's place, and waiting would last as long as both
 * have patience.
 */
function requireComing({ headers }: Request): void {
  const expected = headers.get('expect')
  if (expected === null || expected === '100-continue') return
  const detail =
    'can only be 100-continue, in small letters. Send the request without it (in Java, HttpRequest.Builder.expectContinue(false)).'
  throw new Problem('expectation_failed', {
    detail: 'The request waits for an answer that this service cannot give.',
    errors: [{ parameter: 'Expect', code: 'expectation_failed', detail }],
  })
}

async function read(request: Request, { bytesMax, arrivalMs }: BodyBounds): Promise<Buffer> {
  // A length that is declared need not be read at all.
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  const reader = request.body?.getReader()
  if (reader === undefined) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let bytes = 0
  let late = false
  // Cancelled, the reader finds the body at its end.
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
    // The client has gone, or its chunks are malformed.
    throw new Problem('invalid_request', { detail: 'The request body is incomplete.', cause: error })
  } finally {
    clearTimeout(timer)
  }
  if (late)
    throw new Problem('invalid_request', {
      detail: `The body of a request has ${arrivalMs} ms to arrive; this one took longer.`,
    })
  return Buffer.concat(chunks, bytes)
}

const tooLarge = (bytesMax: number): Problem =>
  new Problem('too_large', { detail: `The body of a request may have ${bytesMax} bytes; this one has more.` })
