// Text as a client sent it, in an address, a form or a body of JSON. Refuses what the database cannot hold (U+0000) and what UTF-8 cannot
// say (half of a surrogate pair), before other code sees it.

import { isUtf8 } from 'node:buffer'
import { invalidRequest, Problem, type ProblemItem } from '../../../base/problem.ts'
import { isJsonArray, isJsonObject, type Json, pointerTo } from '../../../domain/values/json-text.ts'

/** Most errors that a refusal names, and most characters of a name that it repeats. */
const [errorsMax, nameLengthMax] = [50, 100]

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** What a percent-encoded text says; undefined when that is no text: broken escapes, bytes that are not UTF-8, U+0000. */
export function decodeSent(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded)
    return isText(text) ? text : undefined
  } catch {
    return undefined
  }
}

interface SentPairs {
  /** In the order they were sent. `a` and `a=` are both an empty value. */
  pairs: readonly { name: string; value: string }[]
  /** Names, as sent, of pairs that are not text. */
  malformed: readonly string[]
}

/** Takes apart `application/x-www-form-urlencoded`: `+` is a space, only `&` separates, empty pieces are ignored. */
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

/** Longest query that is read. The longest one that means something is a tenth of it. */
const queryLengthMax = 8192

/** The part of a URL after `?`, empty without one. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** Takes apart what `queryOf` returns. Throws a Problem when it is too long. */
export function parseQueryString(raw: string): SentPairs {
  if (raw.length > queryLengthMax) throw tooLong()
  return parsePairs(raw)
}

function tooLong(): Problem {
  const detail = `is longer than ${queryLengthMax} characters.`
  return invalidRequest('The query is too long.', [{ parameter: '?', code: 'query_too_long', detail }])
}

/** The fields of a form that was sent. Throws Problem `invalid_request` that names those that are not text. */
export function readFields(body: Buffer): URLSearchParams {
  if (!isUtf8(body)) throw notText([{ path: '', code: 'invalid_utf8' }])
  return fieldsOf(body.toString())
}

/**
 * The parts of the path of an address, by name; `parts` is what the router made of them, null for what it cannot decode. Throws Problem
 * `not_found` when one is not text, since nothing is named so, and `invalid_request` when the query is not.
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

/** Throws Problem `invalid_request` that names the places of a JSON body with a string or a key that is not text. */
export function requireText(body: Json): void {
  const errors: { path: string; code: string }[] = []
  const look = (json: Json, path: string): void => {
    if (errors.length === errorsMax) return
    if (typeof json === 'string') {
      if (!isText(json)) errors.push({ path, code: 'unstorable_text' })
    } else if (isJsonArray(json)) for (const [i, item] of json.entries()) look(item, pointerTo(path, i))
    else if (isJsonObject(json))
      for (const [key, value] of json) {
        if (isText(key)) look(value, pointerTo(path, key))
        else errors.push({ path, code: 'unstorable_text' })
      }
  }
  look(body, '')
  if (errors.length > 0) throw notText(errors)
}

const notText = (places: readonly Omit<ProblemItem, 'detail'>[]): Problem =>
  invalidRequest(
    'The request has what is not text.',
    places
      .slice(0, errorsMax)
      .map(place => ({ ...place, detail: 'must be UTF-8 without U+0000 and without lone surrogates.' })),
  )
