// A browser in miniature for the console: keeps cookies, follows forms with their hidden fields, and shows pages as text.

import { acceptInvitation, invitePerson } from '../../src/core/people/people.ts'
import type { Role } from '../../src/core/people/roles.ts'
import type { Sql } from '../../src/db/client.ts'
import type { TestService } from './service.ts'

export const testPassword = 'four plain words here'

const nowhere: Readonly<Record<string, string>> = {
  slug: 'others',
  keyId: `tribk_${'x'.repeat(20)}`,
  requestId: '00000000-0000-4000-8000-000000000000',
  token: 'x'.repeat(43),
  tokenId: `tribat_${'x'.repeat(20)}`,
}

/** An address for the pattern of a route or action: of the program `others`, and otherwise of things that don't exist. */
export const addressOf = (pattern: string): string =>
  pattern.replace('*', 'nothing-here').replaceAll(/:(\w+)/g, (_, name: string) => nowhere[name] ?? '999999')

/** A person who can sign in with `testPassword`. `programs` are for a program administrator and are ignored for other roles. */
export async function aPerson(
  sql: Sql,
  person: { role?: Role; email?: string; name?: string; programs?: readonly string[] } = {},
): Promise<{ person_id: number; email: string; name: string }> {
  const role = person.role ?? 'ADMINISTRATOR'
  const email = person.email ?? `${role.toLowerCase()}.${crypto.randomUUID().slice(0, 8)}@example.gov`
  const name = person.name ?? 'Ada Tester'
  const by = { actor: 'operator:test', now: Date.now() * 1000 }
  const programs = role === 'PROGRAM_ADMINISTRATOR' ? (person.programs ?? []) : []
  const { personId, token } = await invitePerson(sql, { email, name, role, programs }, by)
  await acceptInvitation(sql, token, testPassword, by)
  return { person_id: personId, email, name }
}

/** A text on a page as a browser has it: each line ends with a line feed. */
export const decoded = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The visible text of a part of a page, on one line. */
export const seenIn = (html: string): string =>
  decoded(
    html
      .replace(/<svg.*?<\/svg>/gs, '')
      .replace(/<wbr\/?>/g, '')
      .replace(/<[^>]*>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim()

/** The names of a page's notices, in order. */
export const noticesOf = (page: string): string[] =>
  [...page.matchAll(/ data-notice="([^"]*)"/g)].map(([, name]) => name!)

/** The errors in the summary: `field code` of each, or only the code if it belongs to no field. */
export const errorsOf = (page: string): string[] =>
  [...page.matchAll(/<(?:a href="#([^"]*)"|li) data-code="([^"]*)"/g)].map(([, field, code]) =>
    field === undefined ? code! : `${field} ${code}`,
  )

/** Whether a page has an empty list where its table would be. */
export const isEmptyList = (page: string): boolean => page.includes('class="card empty"')

/** The rows of a page's table, found by its caption: cells by column. */
export function rowsOf(page: string, caption: string): Record<string, string>[] {
  const table = page.split('<caption').find(part => part.includes(`>${caption}</caption>`)) ?? ''
  const [, ...rows] = table.split('</table>')[0]!.split('<tbody>').at(-1)!.split('<tr>')
  return rows.map(row => named(row, /<td data-head="([^"]*)"[^>]*>(.*?)<\/td>/gs))
}

/** The facts on a page, by name. */
export const factsOf = (page: string): Record<string, string> => named(page, /<dt>(.*?)<\/dt><dd[^>]*>(.*?)<\/dd>/gs)

const named = (html: string, pair: RegExp): Record<string, string> =>
  Object.fromEntries([...html.matchAll(pair)].map(([, name, value]) => [seenIn(name!), seenIn(value!)]))

/** The fields of the page's form for this address, as a browser would send them unchanged. */
export function fieldsOf(page: string, action: string): Record<string, string> {
  const form = page.split(/<form /).find(part => part.includes(`action="${action}"`))!
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input [^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(tag)?.[1]
    const ticked = !/type="(?:checkbox|radio)"/.test(tag) || / checked/.test(tag)
    if (name !== undefined && name !== 'csrf' && ticked) fields[name] = decoded(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')
  }
  for (const [, attributes, text] of form.matchAll(/<textarea ([^>]*)>([^<]*)</g))
    fields[/name="([^"]*)"/.exec(attributes!)![1]!] = decoded(text!)
  for (const [, attributes, options] of form.matchAll(/<select ([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen =
      / selected[^>]*/.exec(options!) === null ? undefined : /<option [^>]*selected[^>]*>/.exec(options!)![0]
    fields[/name="([^"]*)"/.exec(attributes!)![1]!] = decoded(/ value="([^"]*)"/.exec(chosen ?? options!)?.[1] ?? '')
  }
  return fields
}

export class ConsoleVisitor {
  /** Name → value, as a browser would send them. */
  readonly cookies = new Map<string, string>()
  /** The last Set-Cookie headers. */
  setCookies: string[] = []

  constructor(
    private readonly service: Pick<TestService, 'get' | 'baseUrl'>,
    private readonly fields: Readonly<Record<string, string>> = {},
  ) {}

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#keep(await this.service.get(path, { headers: this.#headers(headers) }))
  }

  async head(path: string): Promise<Response> {
    return this.#keep(await this.service.get(path, { method: 'HEAD', headers: this.#headers({}) }))
  }

  /** A text that must be on the page. */
  async page(path: string): Promise<string> {
    const response = await this.get(path)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 2000)}`)
    return text
  }

  /** Sends a form with the token from the session's last page, like one of our pages, with a browser's line endings. */
  async post(
    path: string,
    form: Record<string, string | readonly string[]> = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const body = new URLSearchParams()
    if (!('csrf' in form)) body.set('csrf', await this.csrf())
    for (const [name, value] of Object.entries(form))
      for (const item of typeof value === 'string' ? [value] : value)
        body.append(name, item.replaceAll(/\r?\n/g, '\r\n'))
    return this.#send(path, body, headers)
  }

  /** Sends a form with a file, like a browser without scripts: the fields, and the file in its field. */
  async upload(path: string, fields: Readonly<Record<string, string>>, name: string, file: File): Promise<Response> {
    const body = new FormData()
    for (const [field, value] of Object.entries({ csrf: await this.csrf(), ...fields })) body.append(field, value)
    body.append(name, file)
    return this.#send(path, body)
  }

  async #send(path: string, body: URLSearchParams | FormData, headers: Record<string, string> = {}): Promise<Response> {
    return this.#keep(
      await this.service.get(path, {
        method: 'POST',
        body,
        headers: this.#headers({ Origin: this.service.baseUrl, 'Sec-Fetch-Site': 'same-origin', ...headers }),
      }),
    )
  }

  /** Sends a form that must be rejected with this status, and returns the text of the page that shows it again. */
  async refused(status: number, ...sent: Parameters<ConsoleVisitor['post']>): Promise<string> {
    const response = await this.post(...sent)
    const text = await response.text()
    if (response.status !== status) throw new Error(`${sent[0]} answered ${response.status}: ${text.slice(0, 2000)}`)
    return text
  }

  /** The fields in every form of the session; empty without a session. */
  async csrf(): Promise<string> {
    const response = await this.service.get('/admin/account', { headers: this.#headers({}) })
    return /name="csrf" value="([^"]*)"/.exec(await response.text())?.[1] ?? ''
  }

  /** Signs in; throws if that fails. */
  async signIn(email: string, password = testPassword): Promise<this> {
    const response = await this.post('/admin/sign-in', { csrf: '', email, password })
    if (response.status !== 303) throw new Error(`signing in answered ${response.status}: ${await response.text()}`)
    return this
  }

  #headers(more: Record<string, string>): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { Accept: 'text/html', ...this.fields, ...(cookie === '' ? {} : { Cookie: cookie }), ...more }
  }

  #keep(response: Response): Response {
    this.setCookies = response.headers.getSetCookie()
    for (const field of this.setCookies) {
      const [pair = '', ...flags] = field.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (flags.some(flag => flag.trim() === 'Max-Age=0')) this.cookies.delete(name)
      else this.cookies.set(name, pair.slice(name.length + 1))
    }
    return response
  }
}
