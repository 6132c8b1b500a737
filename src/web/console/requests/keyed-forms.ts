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

/** The instant of an expiry; undefined for none. Throws an error if it cannot be parsed. */
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

/** The error at the form field that corresponds to its path. Errors of a list item name the item. */
export function onField({ path = '', code, detail }: ProblemItem): ProblemItem {
  const member = path.split('/')[1] ?? ''
  return { parameter: fieldNames[member] ?? member, code, detail: `${detail[0]!.toUpperCase()}${detail.slice(1)}.` }
}

type ShownSecret = (request: PageRequest, secret: string | undefined) => VNode | Promise<VNode>

/** A secret on its way to the page that shows it: in a sealed cookie, so that reloading that page shows that the secret is gone. */
export class ShownOnce {
  constructor(
    private readonly cookie: string,
    private readonly config: Pick<Config, 'apiKeyPepper'>,
  ) {}

  /** Redirects the visitor to the page. */
  send(request: PageRequest, path: string, secret: string): Response {
    const setting = { path: request.place.root + path, https: request.https, ...this.#sealing(request) }
    return redirect(request, path, { 'Set-Cookie': sealCookie(this.cookie, secret, setting) })
  }

  /** The page itself, which removes the cookie. `page` receives undefined if the secret was already shown. */
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
