// Reads a handwritten JSON document and reports syntax errors with their position.

import { invalidRequest, Problem } from '../../src/base/problem.ts'
import { parseJson, placedDetail } from '../../src/domain/values/json-text.ts'

/** Deeper than any real document; the allowed depth is checked where the document is interpreted. */
const depthMax = 1000

/**
 * The JSON value in a file, or on standard input for `-`. Throws a Problem for bytes that are not UTF-8, text that
 * is not JSON with its line and column, and a key that occurs twice in one object, of which JSON.parse would silently keep the last.
 */
export async function readDocument(file: string): Promise<unknown> {
  const name = file === '-' ? 'Standard input' : file
  const text = decode(name, await (file === '-' ? Bun.stdin : Bun.file(file)).bytes())
  const parsed = parseJson(text, { depthMax })
  if ('json' in parsed) return JSON.parse(text) as unknown
  const { path, code } = parsed.error
  throw invalidRequest(`${name} ${code === 'malformed_json' ? 'is not JSON' : 'cannot be read without loss'}:`, [
    { path, code, detail: placedDetail(parsed.error) },
  ])
}

/** Skips a byte order mark, which some editors write. */
function decode(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Problem('invalid_request', { detail: `${name} is not UTF-8 text. Save it as UTF-8.` })
  }
}
