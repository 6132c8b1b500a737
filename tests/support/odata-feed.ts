// An OData feed as those read it who follow its links, and its tables in the form of those of `tributary pull`.

import { expect } from 'bun:test'
import { inOrder } from '../as-shipped/pulled-tables.ts'

export type FeedRow = Record<string, unknown>

export interface FeedPage {
  '@odata.context': string
  '@odata.count'?: number
  '@odata.nextLink'?: string
  value: FeedRow[]
}

/** All rows of a table, page after page; `ask` receives paths. */
export async function walkFeed(ask: (path: string) => Promise<string>, first: string): Promise<FeedRow[]> {
  const rows: FeedRow[] = []
  for (let path: string | undefined = first; path !== undefined; ) {
    const page = JSON.parse(await ask(path)) as FeedPage
    rows.push(...page.value)
    const link: string | undefined = page['@odata.nextLink']
    path = link === undefined ? undefined : link.slice(new URL(link).origin.length)
  }
  return rows
}

/** Names with dots, keys as paths, without the columns that only the feed repeats in each row of an entity. */
export const asPulled = (rows: readonly FeedRow[]): FeedRow[] =>
  inOrder(
    rows.map(({ entity_key, parent_key, ...row }) => {
      if (entity_key !== undefined) {
        expect(entity_key).toBe(`${row.application_id}:${row.entity_path}`)
        expect([parent_key, row.entity_path]).toEqual(placesOf(row))
        row.parent_path = parent_key === null ? null : String(parent_key).split(':')[1]!
        delete row.submit_time
        delete row.revision_state
      }
      return Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name.replaceAll('__', '.'), cellOf(name, cell)]),
      )
    }),
  )

function placesOf({ application_id, entity_path, entity_index }: FeedRow): unknown[] {
  const parent = String(entity_path).split('.').slice(0, -1).join('.')
  const place = parent === '' ? String(entity_index) : `${parent}.${entity_index}`
  return [parent === '' ? null : `${application_id}:${parent}`, place]
}

/** An empty list is an empty text, even from a version that did not ask for it. A zero byte has a symbol when tables are compared. */
function cellOf(name: string, cell: unknown): unknown {
  const isList = /__(selections|file_urls)$/.test(name)
  if (isList) expect(cell).toBeString()
  if (isList && cell === '') return null
  return typeof cell === 'string' ? cell.replaceAll('\0', '␀') : cell
}

/** The names and types of each table, from a simple parse of the metadata. */
export function declaredIn(metadata: string): Map<string, Map<string, string>> {
  const types = [...metadata.matchAll(/<EntityType Name="([^"]+)">(.*?)<\/EntityType>/g)]
  return new Map(
    types.map(([, name, body]) => [
      name!,
      new Map(
        [...body!.matchAll(/<Property Name="([^"]+)" Type="([^"]+)"/g)].map(([, column, type]) => [column!, type!]),
      ),
    ]),
  )
}
