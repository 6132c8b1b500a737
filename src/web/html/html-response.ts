// Turns a page into a response.

import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { codedBody } from '../http/headers/coded-body.ts'
import { type PageContext, PageProvider } from './page-context.ts'

const policyOf = (styles: string): string =>
  `default-src 'none'; style-src ${styles}; img-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** The policy of a page whose scripts create style elements: these need the nonce of the response. */
export const policyWith = (nonce: string): string => policyOf(`'self' 'nonce-${nonce}'`)

/** Fields of every page: nothing foreign is loaded, nothing is kept, nothing is framed. */
export const pageFields: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policyOf("'self'"),
  'X-Content-Type-Options': 'nosniff',
  // Not "no-referrer": a form would then be sent with an Origin of null, which is how its own origin is recognised.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Accept-Encoding, Cookie',
}

const ownAddress = /( (?:href|src|action)=")\/(?!\/)/g

/**
 * The page with what it needs to know around it, for all of its parts. Its addresses are written from the root of the service on; where
 * that is below a path, each gets the path here. Only an attribute can have a quote that is not escaped.
 */
export async function htmlResponse(
  context: PageContext,
  page: VNode,
  status = 200,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const marks = await context.loadMarks?.()
  const asked = new Set<string>()
  const render = (names?: ReadonlyMap<string, string>): string => {
    const nameOf = (email: string) => (names === undefined ? void asked.add(email) : names.get(email))
    return renderToString(h(PageProvider, { value: { ...context, marks, nameOf } }, page))
  }
  // Which people a page names is known once it is rendered: then it is rendered again, with their names.
  const nameless = render()
  const names = asked.size > 0 ? await context.loadNames?.([...asked]) : undefined
  const html = (names === undefined ? nameless : render(names)).replace(
    ownAddress,
    (_, attribute) => `${attribute}${context.root}/`,
  )
  const coded = codedBody(Buffer.from(`<!doctype html>${html}`), context.coding)
  return new Response(coded.body, { status, headers: { ...pageFields, ...fields, ...coded.fields } })
}
