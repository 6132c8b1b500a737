// A browser in miniature for applicants' pages: keeps cookies, fills in forms with their hidden fields, and goes where a page leads.

import { decoded } from './console.ts'
import type { TestService } from './service.ts'

export interface AppliedPage {
  status: number
  path: string
  html: string
  headers: Headers
}

export class Applicant {
  readonly cookies = new Map<string, string>()
  /** The open page. */
  page: AppliedPage = { status: 0, path: '', html: '', headers: new Headers() }

  /** `address`: as reported by a trusted proxy. `took` receives the duration of each request in ms. */
  constructor(
    private readonly service: Pick<TestService, 'get' | 'baseUrl'>,
    private readonly address?: string,
    private readonly took?: (ms: number) => void,
  ) {}

  /** Another window of the same browser. */
  window(): Applicant {
    const other = new Applicant(this.service)
    for (const [name, value] of this.cookies) other.cookies.set(name, value)
    return other
  }

  async send(path: string, init: RequestInit = {}): Promise<AppliedPage> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const forwarded: Record<string, string> =
      this.address === undefined ? {} : { 'X-Forwarded-For': this.address, 'X-Forwarded-Proto': 'https' }
    const begun = performance.now()
    const response = await this.service.get(path, {
      ...init,
      headers: { ...init.headers, ...forwarded, Cookie: cookie },
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!
      if (value === '') this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    const { status, headers } = response
    const location = headers.get('location')
    const html = await response.text()
    this.took?.(performance.now() - begun)
    if (status === 303 && location !== null) return this.send(location)
    return { status, path, html, headers }
  }

  async open(path: string): Promise<AppliedPage> {
    this.page = await this.send(path)
    return this.page
  }

  /** The fields that a form of the open page would send. `id` is a text that only this form contains. */
  fieldsOf(id = 'id="answers"'): { action: string; fields: URLSearchParams } {
    const form =
      this.page.html
        .split('<form')
        .slice(1)
        .find(part => part.includes(id)) ?? ''
    const inside = form.split('</form>')[0]!
    const action = decoded(/ action="([^"]*)"/.exec(inside)?.[1] ?? '')
    const fields = new URLSearchParams()
    for (const [tag] of inside.matchAll(/<input[^>]*>/g)) {
      const of = (name: string) => decoded(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
      if (/type="(?:radio|checkbox)"/.test(tag) && !/ checked/.test(tag)) continue
      if (/type="file"/.test(tag)) continue
      fields.append(of('name'), of('value'))
    }
    for (const [, name, text] of inside.matchAll(/<textarea[^>]* name="([^"]*)"[^>]*>([^<]*)/g))
      fields.append(decoded(name!), decoded(text!))
    for (const [, name, options] of inside.matchAll(/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      fields.append(
        decoded(name!),
        decoded(
          /<option[^>]* selected[^>]* value="([^"]*)"|<option[^>]* value="([^"]*)"[^>]* selected/.exec(options!)?.[1] ??
            /value="([^"]*)"[^>]* selected/.exec(options!)?.[1] ??
            '',
        ),
      )
    return { action, fields }
  }

  /** Fills in the form of the open page and sends it. A list of values is a selection of several. */
  async fill(
    typed: Record<string, string | string[]>,
    button: Record<string, string> = { go: 'next' },
    id = 'id="answers"',
  ) {
    const { action, fields } = this.fieldsOf(id)
    for (const [name, value] of Object.entries({ ...typed, ...button })) {
      fields.delete(name)
      for (const item of [value].flat()) fields.append(name, item)
    }
    this.page = await this.post(action, fields)
    return this.page
  }

  post(path: string, fields: URLSearchParams, headers: Record<string, string> = {}): Promise<AppliedPage> {
    const { baseUrl } = this.service
    const origin = this.address === undefined ? baseUrl : baseUrl.replace('http:', 'https:')
    const type = 'application/x-www-form-urlencoded'
    return this.send(path, {
      method: 'POST',
      body: fields.toString(),
      headers: { Origin: origin, 'Content-Type': type, ...headers },
    })
  }

  /** Sends a form with files. */
  sendForm(path: string, form: FormData, headers: Record<string, string> = {}): Promise<AppliedPage> {
    return this.send(path, { method: 'POST', body: form, headers: { Origin: this.service.baseUrl, ...headers } })
  }

  /** Leaves the page that shows a new code. */
  async passCode(): Promise<AppliedPage> {
    const next = /<a class="button" href="([^"]*)"/.exec(this.page.html)?.[1]
    return this.page.path.startsWith('/apply/-/code') ? this.open(decoded(next!)) : this.page
  }

  get code(): string {
    return /id="code">([^<]*)/.exec(this.page.html)?.[1] ?? ''
  }

  /** Names of the fields that an error summary leads to. */
  get errors(): string[] {
    const summary = this.page.html.split('class="problem"')[1]?.split('</section>')[0] ?? ''
    return [...summary.matchAll(/href="[^"#]*#([^"]*)"/g)].map(([, name]) => decoded(name!))
  }

  /** IDs of the fields of the open page that can be filled in. */
  get fieldNames(): string[] {
    return [...new Set(this.fieldsOf().fields.keys())].filter(name => name.startsWith('/'))
  }

  submit(): Promise<AppliedPage> {
    return this.fill({}, {}, 'name="key"')
  }
}
