// A client of the export endpoint: pages and whole walks, over HTTP.

import type { TestKey } from './keys.ts'
import { expectDocumentedPage } from './response-schema.ts'
import type { TestService } from './service.ts'

/** An application as a client sees it. */
export interface ExportedApplication {
  applicant_id: number
  application_id: number
  create_time: string
  language: string
  program_name: string
  program_version_id: number
  revision_state: string
  status: string | null
  status_last_modified_time: string | null
  application_note: string | null
  submit_time: string
  submitter_type: string
  ti_email: string | null
  ti_organization: string | null
  application: Record<string, Record<string, unknown>>
}

export interface ExportPage {
  payload: ExportedApplication[]
  nextPageToken: string | null
}

export interface Fetched {
  response: Response
  text: string
  page: ExportPage
}

export class ExportClient {
  constructor(
    private readonly service: Pick<TestService, 'get' | 'config' | 'foundation'>,
    private readonly key: Pick<TestKey, 'authorization'>,
    private readonly slug: string,
  ) {}

  /** One request, with any response. Parameters are escaped; a string is sent unchanged as the query. */
  async request(
    parameters: Record<string, string> | string = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const query = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString()
    return this.service.get(`/api/v1/admin/programs/${this.slug}/applications${query === '' ? '' : `?${query}`}`, {
      headers: { Authorization: this.key.authorization, ...headers },
    })
  }

  /** One page, which must be a 200 that matches the docs of its program. */
  async page(parameters: Record<string, string> | string = {}, headers?: Record<string, string>): Promise<Fetched> {
    const response = await this.request(parameters, headers)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
    const page = JSON.parse(text) as ExportPage
    await expectDocumentedPage(this.service, this.slug, page)
    return { response, text, page }
  }

  /** The expected error response: status, problem body, and the codes by parameter. */
  async refusal(parameters: Record<string, string> | string, headers?: Record<string, string>) {
    const response = await this.request(parameters, headers)
    const body = (await response.json()) as {
      status: number
      errors: { parameter: string; code: string; detail: string }[]
    }
    return { status: response.status, body, codes: Object.fromEntries(body.errors.map(e => [e.parameter, e.code])) }
  }

  /** Every page of a walk, first to last. `between` runs before each page but the first. */
  async *walk(parameters: Record<string, string> = {}, between?: () => Promise<unknown>): AsyncGenerator<Fetched> {
    let fetched = await this.page(parameters)
    yield fetched
    while (fetched.page.nextPageToken !== null) {
      await between?.()
      fetched = await this.page({ nextPageToken: fetched.page.nextPageToken })
      yield fetched
    }
  }

  async walkAll(parameters: Record<string, string> = {}): Promise<ExportedApplication[]> {
    const all: ExportedApplication[] = []
    for await (const { page } of this.walk(parameters)) all.push(...page.payload)
    return all
  }
}

/** The IDs of a walk in any form of pages: each is requested by its query, of which the first is given. */
export async function walkIds(ask: (query: string) => Promise<Response>, query: string): Promise<number[]> {
  const ids: number[] = []
  while (query !== '') {
    const response = await ask(query)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
    const page = JSON.parse(text) as ExportPage
    ids.push(...page.payload.map(application => application.application_id))
    query = page.nextPageToken === null ? '' : `nextPageToken=${page.nextPageToken}`
  }
  return ids
}

/** The text of a page without its token, which is sealed differently each time. */
export const withoutToken = (text: string): string =>
  text.replace(/"nextPageToken":"[0-9A-Za-z]+"/, '"nextPageToken":"…"')
