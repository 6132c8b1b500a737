// A query string, taken apart strictly: malformed pairs are found here, and not repaired.

import { invalidRequest, type Problem } from '../problem.ts'

/** Longest query that is read. The longest one that means something is a tenth of it. */
const queryLengthMax = 8192

interface QueryString {
  /** In the order they were sent. `a` and `a=` are both an empty value. */
  pairs: readonly { name: string; value: string }[]
  /** Names, as sent, of malformed pairs: with broken escapes, or escapes that are not UTF-8. */
  malformed: readonly string[]
}

/** The part of a URL after `?`, empty when there is none. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** Takes apart what `queryOf` returns: `+` is a space, only `&` separates, empty pieces are ignored. Throws a Problem when it is too long. */
export function parseQueryString(raw: string): QueryString {
  if (raw.length > queryLengthMax) throw tooLong()
  const pairs: { name: string; value: string }[] = []
  const malformed: string[] = []
  for (const piece of raw.split('&')) {
    if (piece === '') continue
    const equals = piece.indexOf('=')
    const name = equals === -1 ? piece : piece.slice(0, equals)
    const value = equals === -1 ? '' : piece.slice(equals + 1)
    const decodedName = decode(name)
    const decodedValue = decode(value)
    if (decodedName === undefined || decodedValue === undefined) malformed.push(decodedName ?? name)
    else pairs.push({ name: decodedName, value: decodedValue })
  }
  return { pairs, malformed }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function tooLong(): Problem {
  const detail = `is longer than ${queryLengthMax} characters.`
  return invalidRequest('The query is too long.', [{ parameter: '?', code: 'query_too_long', detail }])
}
