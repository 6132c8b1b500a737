// Reads a request's body as JSON, within bounds, to the letter.

import { invalidRequest, Problem } from '../../../base/problem.ts'
import { type Json, parseJson, placedDetail } from '../../../domain/values/json-text.ts'
import { requireText } from '../headers/sent-text.ts'
import { type BodyBounds, readBody } from './read-body.ts'

export interface BodyLimits extends BodyBounds {
  /** Deepest nesting of arrays and objects. */
  depthMax: number
  /** Most values: numbers, texts, literals, arrays and objects. */
  valuesMax: number
  /** The accepted media types; by default `application/json`. */
  types?: readonly string[]
}

/**
 * The JSON value in a request's body. Throws Problem `unsupported_media_type` unless it is sent as JSON in UTF-8 without
 * content coding, `too_large` as soon as it is known to be, `invalid_request` for one that does not arrive whole and in time, for
 * bytes that are not UTF-8, and for text that is malformed, too deep, of too many values, or has a key twice in one object; each
 * with its line and column.
 */
export async function readJsonBody(request: Request, limits: BodyLimits): Promise<Json> {
  return (await readJson(request, limits)).json
}

/**
 * The same, as what JSON.parse makes of it: for what is checked against a schema. Throws Problem `invalid_request` for strings that are not
 * text, too; in the answers of an applicant each kind of question decides about them.
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
  invalidRequest('The body of the request cannot be read.', [error])

function requireJson(headers: Headers, types: readonly string[]): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';')
  const charset = parameters.map(parameter => parameter.trim()).find(parameter => parameter.startsWith('charset='))
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (types.includes(type.trim()) && /^charset="?utf-8"?$/.test(charset ?? 'charset=utf-8') && coding === 'identity')
    return
  throw new Problem('unsupported_media_type', {
    detail: `The body must be JSON in UTF-8, without content coding: send it with Content-Type: ${types.join(' or ')}.`,
    accept: types.join(', '),
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused({ path: '', code: 'invalid_utf8', detail: 'Must be UTF-8: there are bytes that are not.' })
  }
}
