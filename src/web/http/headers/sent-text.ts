// Decodes text in URLs, forms and JSON bodies. Rejects U+0000, which the database cannot store, and lone surrogates, which UTF-8 cannot
// represent, before other code sees them.

import { isUtf8 } from 'node:buffer'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { isJsonArray, isJsonObject, type Json, pointerTo } from '../../../domain/values/json-text.ts'

/** Maximum number of errors in a response, and maximum length of a name quoted in one. */
const [errorsMax, nameLengthMax] = [50, 100]

/** Whether the database can store it, and UTF-8 represent it. */
export const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Decodes percent-encoded text; undefined for broken escapes, invalid UTF-8 and U+0000. */
export function decodeSent(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded)
    return isText(text) ? text : undefined
  } catch {
    return undefined
  }
}

interface SentPairs {
  /** In the order sent. `a` and `a=` both have an empty value. */
  pairs: readonly { name: string; value: string }[]
  /** Names, as sent, of pairs that cannot be decoded. */
  malformed: readonly string[]
}

/** Parses `application/x-www-form-urlencoded`: `+` is a space, only `&` separates, empty pieces are ignored. */
function parsePairs(raw: string): SentPairs {
  const pairs: { name: string; value: string }[] = []
  const malformed: string[] = []
  for (const piece of raw.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const sentName = equals === -1 ? piece : piece.slice(0, equals)
    const name = decodeSent(sentName.replaceAll('+', ' '))
    const value = equals === -1 ? '' : decodeSent(piece.slice(equals + 1).replaceAll('+', ' '))
    if (name === undefined || value === undefined) malformed.push(name ?? sentName)
    else pairs.push({ name, value })
  }
  return { pairs, malformed }
}

/** Maximum length of a query, ten times the longest meaningful one. */
const queryLengthMax = 8192

/** The part of a URL after `?`, or an empty string. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** Parses the result of `queryOf`. Throws Problem `invalid_request` if it is too long. */
export function parseQueryString(raw: string): SentPairs {
  if (raw.length > queryLengthMax) throw tooLong()
  return parsePairs(raw)
}

function tooLong(): Problem {
  const detail = `must have at most ${queryLengthMax} characters.`
  return invalidRequest('The query is too long.', [{ parameter: '?', code: 'query_too_long', detail }])
}

/** Parses a form body. Throws Problem `invalid_request` with the fields that are not text. */
export function readFields(body: Buffer): URLSearchParams {
  if (!isUtf8(body)) throw notText([{ path: '', code: 'invalid_utf8' }])
  return fieldsOf(body.toString())
}

/**
 * The parameters of a path by name. `parts` are those of the router, null if it cannot decode them. Throws Problem `not_found` if one is not
 * text, since nothing has such a name, and `invalid_request` if the query is not text.
 */
export function readAddress(
  { search }: Pick<URL, 'search'>,
  parts: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  fieldsOf(search.slice(1))
  const read: Record<string, string> = {}
  for (const [name, part] of Object.entries(parts)) {
    if (part === null || !isText(part))
      throw new Problem('not_found', { detail: 'No resource exists at this address.' })
    read[name] = part
  }
  return read
}

function fieldsOf(raw: string): URLSearchParams {
  const { pairs, malformed } = parsePairs(raw)
  if (malformed.length > 0)
    throw notText(malformed.map(name => ({ parameter: name.slice(0, nameLengthMax), code: 'malformed_encoding' })))
  return new URLSearchParams(pairs.map(({ name, value }): [string, string] => [name, value]))
}

/** Throws Problem `invalid_request` with the places of strings and keys in a JSON body that are not text. */
export function requireText(body: Json): void {
  const errors: { path: string; code: string }[] = []
  const check = (json: Json, path: string): void => {
    if (errors.length === errorsMax) return
    if (typeof json === 'string') {
      if (!isText(json)) errors.push({ path, code: 'unstorable_text' })
    } else if (isJsonArray(json)) for (const [i, item] of json.entries()) check(item, pointerTo(path, i))
    else if (isJsonObject(json))
      for (const [key, value] of json) {
        if (isText(key)) check(value, pointerTo(path, key))
        else errors.push({ path, code: 'unstorable_text' })
      }
  }
  check(body, '')
  if (errors.length > 0) throw notText(errors)
}

const notText = (places: readonly Omit<ProblemItem, 'detail'>[]): Problem =>
  invalidRequest(
    'The request contains invalid text.',
    places
      .slice(0, errorsMax)
      .map(place => ({ ...place, detail: 'must be valid UTF-8 without U+0000 or lone surrogates.' })),
  )
