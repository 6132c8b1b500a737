// The `Prefer` header (RFC 7240), as far as a request is asked to be read strictly.

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const quoted = '"(?:[^"\\\\]|\\\\.)*"'
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?`
const preference = new RegExp(`^[ \\t]*${pair}[ \\t]*(?:;[ \\t]*(?:${pair})?[ \\t]*)*$`)
/** Splits at commas that are not within a quoted string. An unclosed quote takes in the rest. */
const listItem = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g

/**
 * Whether `handling=strict` is asked for, in a `Prefer` header's value or several joined by commas; null for none.
 * Names and values are compared without case, parameters are passed over, of two handlings the first counts, and a
 * preference that is not well-formed is as if it were not there: a preference is never a reason to refuse a request.
 */
export function prefersStrictHandling(header: string | null): boolean {
  for (const item of (header ?? '').match(listItem) ?? []) {
    const match = preference.exec(item)
    if (match?.[1]?.toLowerCase() !== 'handling') continue
    const value = (match[2] ?? '').replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1')
    return value.toLowerCase() === 'strict'
  }
  return false
}
