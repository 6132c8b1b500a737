// Entity tags and the question whether a client has what it would get (RFC 9110, sections 8.8.3 and 13.1.2).

/**
 * A weak tag: two bodies under it have the same applications, and differ only in what is made for each request, such as the next token.
 */
export const weakTag = (version: string): string => `W/"${version}"`

const anyTag = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Whether an If-None-Match field names the tag, compared weakly, or any at all. */
export function namesTag(field: string | null, tag: string): boolean {
  if (field === null) return false
  if (field.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '').slice(1, -1)
  return field.matchAll(anyTag).some(match => match[1] === opaque)
}

/**
 * The strong tags in an If-Match field, without their quotes; `*` for any tag. Weak ones never match (RFC 9110, section 13.1.1).
 */
export function strongTags(field: string): readonly string[] | '*' {
  if (field.trim() === '*') return '*'
  return [...field.matchAll(anyTag)].filter(match => !match[0].startsWith('W/')).map(match => match[1]!)
}
