// Pages of applications as exported by CiviForm's own API and by ours, for comparing them.

import type { Exported } from '@tributary/civiform/commands'
import { Problem } from '../../src/base/problem.ts'

export type PagedApplication = { readonly [name: string]: Exported } & {
  application_id: number
  submit_time: string | null
}

interface Page {
  payload: PagedApplication[]
  nextPageToken: string | null
}

export interface ExportAddress {
  /** Without a trailing slash. */
  baseUrl: string
  slug: string
  /** `id:secret`. */
  key: string
}

/** The pages of an export, one after another. Throws a Problem naming the service that returned an error. */
export async function* readPages(address: ExportAddress, parameters: Record<string, string>): AsyncGenerator<Page> {
  let token: string | null = null
  do {
    const query = new URLSearchParams(token === null ? parameters : { nextPageToken: token, ...pageSizeOf(parameters) })
    const url = `${address.baseUrl}/api/v1/admin/programs/${encodeURIComponent(address.slug)}/applications?${query}`
    const headers = { Authorization: `Basic ${Buffer.from(address.key).toString('base64')}` }
    const response = await fetch(url, { headers, redirect: 'manual' })
    if (response.status !== 200)
      throw new Problem('unavailable', {
        detail: `${address.baseUrl} responded with ${response.status} for the program ${address.slug}.`,
      })
    const page = (await response.json()) as Page
    yield page
    token = page.nextPageToken
  } while (token !== null)
}

/** CiviForm requires it with each page. */
const pageSizeOf = ({ pageSize }: Record<string, string>): Record<string, string> =>
  pageSize === undefined ? {} : { pageSize }

/** The first applications, up to this number. */
export async function readSample(address: ExportAddress, sample: number): Promise<PagedApplication[]> {
  const found: PagedApplication[] = []
  for await (const { payload } of readPages(address, { pageSize: String(Math.min(sample, 100)) })) {
    found.push(...payload)
    if (found.length >= sample) break
  }
  return found.slice(0, sample)
}

export interface ReadThese {
  /** By ID; unknown IDs are omitted. */
  found: Map<number, PagedApplication>
  /** IDs of others submitted between the earliest and the latest of these; from the beginning if these are all. */
  others: number[]
}

/** These applications, read from the earliest of their times on, and whatever else was submitted between that and the latest. */
export async function readThese(
  address: ExportAddress,
  wanted: readonly PagedApplication[],
  areAll: boolean,
): Promise<ReadThese> {
  const ids = new Set(wanted.map(application => application.application_id))
  const times = wanted.map(application => secondsOf(application.submit_time))
  const [earliest, latest] = [Math.min(...times), Math.max(...times)]
  const isFromBeginning = areAll || earliest === Number.NEGATIVE_INFINITY
  const from: Record<string, string> = isFromBeginning ? {} : { fromDate: new Date(earliest * 1000).toISOString() }
  // In the second of the latest, others may have been submitted after these were read, unless it is long ago.
  const upTo = latest < Date.now() / 1000 - settledSeconds ? latest : latest - 1
  const found = new Map<number, PagedApplication>()
  const others: number[] = []
  for await (const { payload } of readPages(address, from)) {
    for (const application of payload) {
      const at = secondsOf(application.submit_time)
      if (ids.has(application.application_id)) found.set(application.application_id, application)
      // If these are only some, others in the first second may come before them.
      else if ((areAll || at > earliest) && at <= upTo) others.push(application.application_id)
    }
    if (found.size === ids.size && payload.some(application => secondsOf(application.submit_time) > latest)) break
  }
  return { found, others }
}

/** More than the difference between clocks. */
const settledSeconds = 60

/** One of the two may have truncated it to whole seconds. Without a time: before all. */
const secondsOf = (time: string | null): number =>
  time === null ? Number.NEGATIVE_INFINITY : Math.floor(Date.parse(time) / 1000)
