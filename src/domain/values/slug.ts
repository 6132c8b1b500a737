// The stable name of a program, as it stands in addresses.

export const slugPattern = '^[a-z0-9]+(-[a-z0-9]+)*$'
export const slugLengthMax = 100

/** Whether a program could have this slug. */
export function isSlug(text: unknown): text is string {
  return typeof text === 'string' && text.length <= slugLengthMax && new RegExp(slugPattern).test(text)
}
