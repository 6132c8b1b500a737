// A query string, taken apart strictly: malformed pairs are found, and not repaired.

import { invalidRequest, type Problem } from '../../problem.ts'
import { parsePairs } from './sent-text.ts'

/** Longest query that is read. The longest one that means something is a tenth of it. */
const queryLengthMax = 8192

/** The part of a URL after `?`, empty when there is none. */
export function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at + 1)
}

/** Takes apart what `queryOf` returns. Throws a Problem when it is too long. */
export function parseQueryString(raw: string): ReturnType<typeof parsePairs> {
  if (raw.length > queryLengthMax) throw tooLong()
  return parsePairs(raw)
}

function tooLong(): Problem {
  const detail = `is longer than ${queryLengthMax} characters.`
  return invalidRequest('The query is too long.', [{ parameter: '?', code: 'query_too_long', detail }])
}
