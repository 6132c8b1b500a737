// Applications as two services export them: a CiviForm's own API, and ours. For the comparison of both.

import type { Exported } from '../../src/civiform/following/compare-applications.ts'
import { Problem } from '../../src/problem.ts'

export type PagedApplication = { readonly [name: string]: Exported } & {
  application_id: number
  submit_time: string | null
}

interface Page {
  payload: PagedApplication[]
  nextPageToken: string | null
}

export interface ExportAddress {
  /** Without a slash at the end. */
  baseUrl: string
  slug: string
  /** `id:secret`. */
  key: string
}

/** The pages of an export, one after another. Throws a Problem that names the service that refused. */
export async function* readPages(address: ExportAddress, parameters: Record<string, string>): AsyncGenerator<Page> {
  let token: string | null = null
  do {
    const query = new URLSearchParams(token === null ? parameters : { nextPageToken: token, ...pageSizeOf(parameters) })
    const url = `${address.baseUrl}/api/v1/admin/programs/${encodeURIComponent(address.slug)}/applications?${query}`
    const headers = { Authorization: `Basic ${Buffer.from(address.key).toString('base64')}` }
    const response = await fetch(url, { headers, redirect: 'manual' })
    if (response.status !== 200)
      throw new Problem('unavailable', {
        detail: `${address.baseUrl} answered ${response.status} for the program ${address.slug}.`,
      })
    const page = (await response.json()) as Page
    yield page
    token = page.nextPageToken
  } while (token !== null)
}

/** CiviForm wants it with each page. */
const pageSizeOf = ({ pageSize }: Record<string, string>): Record<string, string> =>
  pageSize === undefined ? {} : { pageSize }

/** The first so many applications. */
export async function readSample(address: ExportAddress, sample: number): Promise<PagedApplication[]> {
  const found: PagedApplication[] = []
  for await (const { payload } of readPages(address, { pageSize: String(Math.min(sample, 100)) })) {
    found.push(...payload)
    if (found.length >= sample) break
  }
  return found.slice(0, sample)
}

/** These applications, by id; unknown ids are left out. Read from the earliest of their times on. */
export async function readThese(
  address: ExportAddress,
  wanted: readonly PagedApplication[],
): Promise<Map<number, PagedApplication>> {
  const ids = new Set(wanted.map(one => one.application_id))
  const times = wanted.map(one => one.submit_time)
  const earliest = times.includes(null)
    ? undefined
    : (times as string[]).map(time => Date.parse(time)).sort((a, b) => a - b)[0]
  // A second earlier: one of the two may have cut it to whole seconds.
  const from: Record<string, string> =
    earliest === undefined ? {} : { fromDate: new Date(earliest - 1000).toISOString() }
  const found = new Map<number, PagedApplication>()
  for await (const { payload } of readPages(address, from)) {
    for (const one of payload) if (ids.has(one.application_id)) found.set(one.application_id, one)
    if (found.size === ids.size) break
  }
  return found
}
