// Entity tags, and whether a client already has the current response (RFC 9110, sections 8.8.3 and 13.1.2).

/**
 * Weak tag: bodies with the same tag have the same applications but differ in details of each request, such as the page token.
 */
export const weakTag = (version: string): string => `W/"${version}"`

const anyTag = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Whether an If-None-Match header contains the tag, compared weakly, or is `*`. */
export function namesTag(field: string | null, tag: string): boolean {
  if (field === null) return false
  if (field.trim() === '*') return true
  const opaque = tag.replace(/^W\//, '').slice(1, -1)
  return field.matchAll(anyTag).some(match => match[1] === opaque)
}

/**
 * The strong tags in an If-Match header, without quotes, or `*`. Weak tags never match (RFC 9110, section 13.1.1).
 */
export function strongTags(field: string): readonly string[] | '*' {
  if (field.trim() === '*') return '*'
  return [...field.matchAll(anyTag)].filter(match => !match[0].startsWith('W/')).map(match => match[1]!)
}
