// Reads a request body as strict JSON, within limits.

import { invalidRequest, Problem } from '../../../base/problem.ts'
import { type Json, parseJson, placedDetail } from '../../../domain/values/json-text.ts'
import { requireText } from '../headers/sent-text.ts'
import { type BodyBounds, readBody } from './read-body.ts'

export interface BodyLimits extends BodyBounds {
  /** Maximum nesting depth of arrays and objects. */
  depthMax: number
  /** Maximum number of values: numbers, strings, literals, arrays and objects. */
  valuesMax: number
  /** Accepted media types; `application/json` by default. */
  types?: readonly string[]
}

/**
 * The JSON value in a request body. Throws Problem `unsupported_media_type` unless it is sent as JSON in UTF-8 without content coding;
 * `too_large` as soon as that is known; and `invalid_request` if it is incomplete or late, is not UTF-8, is malformed or too deep, has
 * too many values, or repeats a key within an object, with line and column.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<Json> {
  return (await readJson(request, limits)).json
}

/**
 * Like `readJsonBody`, but returns the value of JSON.parse, for validation against a schema. Also throws Problem `invalid_request` for
 * strings that are not text, which in applicants' answers is up to each question type.
 */
export async function readPlainJsonBody(request: Request, limits: BodyLimits): Promise<unknown> {
  const { text, json } = await readJson(request, limits)
  requireText(json)
  return JSON.parse(text)
}

async function readJson(request: Request, limits: BodyLimits): Promise<{ text: string; json: Json }> {
  requireJson(request.headers, limits.types ?? ['application/json'])
  const text = decode(await readBody(request, limits))
  const parsed = parseJson(text, limits)
  if ('json' in parsed) return { text, json: parsed.json }
  const { path, code } = parsed.error
  throw refused({ path, code, detail: placedDetail(parsed.error) })
}

const refused = (error: { path: string; code: string; detail: string }): Problem =>
  invalidRequest('The request body is not valid JSON.', [error])

function requireJson(headers: Headers, types: readonly string[]): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map(parameter => parameter.trim()).find(parameter => parameter.startsWith('charset='))
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (types.includes(type.trim()) && /^charset="?utf-8"?$/.test(charset ?? 'charset=utf-8') && coding === 'identity')
    return
  throw new Problem('unsupported_media_type', {
    detail: `Send the body as JSON in UTF-8, uncompressed, with Content-Type: ${types.join(' or ')}.`,
    accept: types.join(', '),
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused({ path: '', code: 'invalid_utf8', detail: 'Must be encoded in UTF-8.' })
  }
}
