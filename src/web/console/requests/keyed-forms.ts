// Shared by the forms of API keys and tokens: expiry, errors next to fields, and secrets that are shown once.

import type { VNode } from 'preact'
import { invalidRequest, type ProblemItem } from '../../../base/problem.ts'
import type { Config } from '../../../config/all-settings.ts'
import { parseExpiry } from '../../../core/keys/expiry.ts'
import type { Role } from '../../../core/people/roles.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { type GuardedRoute, pageAt } from './action.ts'
import { type PageRequest, redirect, showPage } from './console-request.ts'
import { clearCookie, openCookie, sealCookie } from './sealed-cookie.ts'

/** The instant that an expiry means; undefined for none. Throws the error of one that cannot be read. */
export function expiryOf(text: string, now: Micros, timeZone: string): Micros | undefined {
  const parsed = text === '' ? undefined : parseExpiry(text, now, timeZone)
  if (typeof parsed !== 'object') return parsed
  const error = { path: '/expires_at', code: 'bad_expiry', detail: parsed.error }
  throw invalidRequest('The expiry is invalid.', [error])
}

const fieldNames: Readonly<Record<string, string>> = {
  expires_at: 'expiry',
  may_export: 'may',
  may_submit: 'may',
  may_annotate: 'may',
}

/** The error at the field of the form that its path means. Errors of one item of a list say which. */
export function onField({ path = '', code, detail }: ProblemItem): ProblemItem {
  const member = path.split('/')[1] ?? ''
  return { parameter: fieldNames[member] ?? member, code, detail: `${detail[0]!.toUpperCase()}${detail.slice(1)}.` }
}

type ShownSecret = (request: PageRequest, secret: string | undefined) => VNode | Promise<VNode>

/** A secret on its way to the page that shows it: in a sealed cookie, so that loading that page again shows that it is gone. */
export class ShownOnce {
  constructor(
    private readonly cookie: string,
    private readonly config: Pick<Config, 'apiKeyPepper'>,
  ) {}

  /** Sends the visitor on to the page. */
  send(request: PageRequest, path: string, secret: string): Response {
    const setting = { path: request.place.root + path, https: request.https, ...this.#sealing(request) }
    return redirect(request, path, { 'Set-Cookie': sealCookie(this.cookie, secret, setting) })
  }

  /** That page, which takes the cookie away. `page` gets undefined where the secret was shown before. */
  route = (path: string, roles: readonly Role[], page: ShownSecret): GuardedRoute =>
    pageAt(path, roles, async request => {
      const cleared = clearCookie(this.cookie, {
        path: request.place.root + request.url.pathname,
        https: request.https,
      })
      const shown = await page(request, openCookie(request.request, this.cookie, this.#sealing(request)))
      return showPage(request, shown, 200, { 'Set-Cookie': cleared })
    })

  #sealing = (request: PageRequest) => ({ pepper: this.config.apiKeyPepper, binding: request.session.tokenHash })
}
