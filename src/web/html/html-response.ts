// Turns a page into a response.

import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { codedBody } from '../http/headers/coded-body.ts'
import { type PageContext, PageProvider } from './page-context.ts'

const policyOf = (styles: string): string =>
  `default-src 'none'; style-src ${styles}; img-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** The policy of a page whose scripts create style elements: these need the nonce of the response. */
export const policyWith = (nonce: string): string => policyOf(`'self' 'nonce-${nonce}'`)

/** Headers of every page: nothing is loaded from other sites, cached or framed. */
export const pageFields: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policyOf("'self'"),
  'X-Content-Type-Options': 'nosniff',
  // Not "no-referrer": the form would then be sent with an Origin of null, and the Origin is how our own forms are recognized.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Accept-Encoding, Cookie',
}

const ownAddress = /( (?:href|src|action)=")\/(?!\/)/g

/**
 * The page, with the context for all of its parts. Its addresses start at the service's root; if the service runs below a path, each gets the path
 * here. Only attributes contain quotes that are not escaped.
 */
export async function htmlResponse(
  context: PageContext,
  page: VNode,
  status = 200,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const marks = await context.loadMarks?.()
  const emails = new Set<string>()
  const render = (names?: ReadonlyMap<string, string>): string => {
    const nameOf = (email: string) => (names === undefined ? void emails.add(email) : names.get(email))
    return renderToString(h(PageProvider, { value: { ...context, marks, nameOf } }, page))
  }
  // The people named on a page are only known once it is rendered, so it is then rendered again with their names.
  const nameless = render()
  const names = emails.size > 0 ? await context.loadNames?.([...emails]) : undefined
  const html = (names === undefined ? nameless : render(names)).replace(
    ownAddress,
    (_, attribute) => `${attribute}${context.root}/`,
  )
  const coded = codedBody(Buffer.from(`<!doctype html>${html}`), context.coding)
  return new Response(coded.body, { status, headers: { ...pageFields, ...fields, ...coded.fields } })
}
