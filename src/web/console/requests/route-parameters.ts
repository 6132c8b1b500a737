// Parses IDs, search text and list positions from URLs.

import type { ConsoleRequest } from './console-request.ts'

/** Parses an ID, a positive integer. Undefined for any other text. */
export const idOf = (text: string | null | undefined): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text ?? '') ? Number(text) : undefined

/** An ID in a path. An invalid text becomes 0, which is nobody's ID. */
export const idIn = ({ params }: Pick<ConsoleRequest, 'params'>, name: string): number => idOf(params[name]) ?? 0

/** A parameter, cut to more than the length of any name or email address in its sorted form. */
export const textOf = ({ url }: Pick<ConsoleRequest, 'url'>, name: string): string =>
  (url.searchParams.get(name) ?? '').slice(0, 800)

/** The page of a list requested by an address: the search text, where the page starts, and one row more than it has. */
export const pageAsked = (request: Pick<ConsoleRequest, 'url'>, shownMax: number) => ({
  search: textOf(request, 'q'),
  after: textOf(request, 'after'),
  rowsMax: shownMax + 1,
})

/** A page of a list: its rows, and where the next one starts. One more row was read than is shown. */
export function pageOf<Row, Key extends string | number>(
  rows: readonly Row[],
  shownMax: number,
  keyOf: (row: Row) => Key,
): { items: Row[]; next: Key | null } {
  const items = rows.slice(0, shownMax)
  return { items, next: rows.length > shownMax ? keyOf(items.at(-1)!) : null }
}
