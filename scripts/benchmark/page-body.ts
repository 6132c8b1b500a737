// A page as text and as what it says, for checks before and beside measurements; nothing here is ever timed.

import { isDeepStrictEqual } from 'node:util'

export interface PageBody {
  text: string
  nextPageToken: string | null
}

/** Fetches a page whole. Throws unless it is a 200 that ends as a page ends. */
export async function readPageBody(url: string, headers: Readonly<Record<string, string>>): Promise<PageBody> {
  const response = await fetch(url, { headers })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}: ${text.slice(0, 500)}`)
  return { text, nextPageToken: tokenOf(text) }
}

/** The token at the end of a page, which is found without reading the page. */
export function tokenOf(page: string): string | null {
  const match = /\],"nextPageToken":(?:null|"([0-9A-Za-z]+)")\}$/.exec(page.slice(-4096))
  if (match === null) throw new Error(`a page does not end as pages do: …${page.slice(-100)}`)
  return match[1] ?? null
}

/** How two pages differ, in a sentence; undefined when they hold the same applications, in the same order, with the same answers. */
export function differenceOf(one: string, other: string): string | undefined {
  const [a, b] = [payloadOf(one), payloadOf(other)]
  if (a.length !== b.length) return `${a.length} applications against ${b.length}`
  const at = a.findIndex((application, i) => !isDeepStrictEqual(application, b[i]))
  if (at === -1) return undefined
  return `application ${at} differs: ${JSON.stringify(a[at]).slice(0, 200)} against ${JSON.stringify(b[at]).slice(0, 200)}`
}

function payloadOf(page: string): unknown[] {
  const { payload } = JSON.parse(page) as { payload?: unknown }
  if (!Array.isArray(payload)) throw new Error('a page has no payload')
  return payload
}
