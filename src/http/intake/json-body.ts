// Reads a request's body as JSON, within bounds, to the letter.
// It must not know what the body is for.

import { type Json, parseJson, placedDetail } from '../../domain/values/json-text.ts'
import { invalidRequest, Problem } from '../../problem.ts'

export interface BodyLimits {
  bytesMax: number
  /** Deepest nesting of arrays and objects. */
  depthMax: number
  /** Most values: numbers, texts, literals, arrays and objects. */
  valuesMax: number
  /** How long the whole body may take to arrive. */
  arrivalMs: number
}

/**
 * The JSON value in a request's body. Throws Problem `unsupported_media_type` unless it is sent as JSON in UTF-8 without
 * content coding, `too_large` as soon as it is known to be, `invalid_request` for one that does not arrive whole and in time, for
 * bytes that are not UTF-8, and for text that is malformed, too deep, of too many values, or has a key twice in one object; each
 * with its line and column.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<Json> {
  requireJson(request.headers)
  const bytes = await readBytes(request, limits)
  const parsed = parseJson(decode(bytes), limits)
  if ('json' in parsed) return parsed.json
  const { path, code } = parsed.fault
  throw refused({ path, code, detail: placedDetail(parsed.fault) })
}

const refused = (fault: { path: string; code: string; detail: string }): Problem =>
  invalidRequest('The body of the request cannot be read.', [fault])

function requireJson(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map(parameter => parameter.trim()).find(parameter => parameter.startsWith('charset='))
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (
    type.trim() === 'application/json' &&
    /^charset="?utf-8"?$/.test(charset ?? 'charset=utf-8') &&
    coding === 'identity'
  )
    return
  throw new Problem('unsupported_media_type', {
    detail: 'The body must be JSON in UTF-8, without content coding: send it with Content-Type: application/json.',
    headers: { Accept: 'application/json' },
  })
}

async function readBytes(request: Request, { bytesMax, arrivalMs }: BodyLimits): Promise<Buffer> {
  // Said beforehand, it need not be read at all.
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
    throw new Problem('invalid_request', { detail: 'The body of the request did not arrive whole.', cause: error })
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

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused({ path: '', code: 'invalid_utf8', detail: 'Must be UTF-8: there are bytes that are not.' })
  }
}
