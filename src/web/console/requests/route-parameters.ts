// Parses IDs, search text and list positions from URLs.

import type { ConsoleRequest } from './console-request.ts'

/** The id that a text is: a positive whole number. Undefined for any other text. */
export const idOf = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : undefined

/** An id in a path. For a text that is none it is 0, which is the id of nothing. */
export const idIn = ({ params }: Pick<ConsoleRequest, 'params'>, name: string): number => idOf(params[name]) ?? 0

/** A parameter, cut to what is longer than any name or email in the form it is sorted by. */
export const textOf = ({ url }: Pick<ConsoleRequest, 'url'>, name: string): string =>
  (url.searchParams.get(name) ?? '').slice(0, 800)

/** The page of a list that an address names: the word to look for, where it begins, and one row more than it has. */
export const pageAsked = (request: Pick<ConsoleRequest, 'url'>, shownMax: number) => ({
  search: textOf(request, 'q'),
  after: textOf(request, 'after'),
  rowsMax: shownMax + 1,
})

/** A page of a list: what is on it, and where the next one begins. One row more was read than is shown. */
export function pageOf<Row, Key extends string | number>(
  rows: readonly Row[],
  shownMax: number,
  keyOf: (row: Row) => Key,
): { items: Row[]; next: Key | null } {
  const items = rows.slice(0, shownMax)
  return { items, next: rows.length > shownMax ? keyOf(items.at(-1)!) : null }
}
