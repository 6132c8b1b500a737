// A page as a response.

import { h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { codedBody } from './coded-body.ts'
import { type PageContext, PageProvider } from './page-context.ts'

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Fields of every page: nothing foreign is loaded, nothing is kept, nothing is framed. */
export const pageFields: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
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
  const value = { ...context, marks: await context.loadMarks?.() }
  const html = renderToString(h(PageProvider, { value }, page)).replace(
    ownAddress,
    (_, attribute) => `${attribute}${context.root}/`,
  )
  const coded = codedBody(Buffer.from(`<!doctype html>${html}`), context.coding)
  return new Response(coded.body, { status, headers: { ...pageFields, ...fields, ...coded.fields } })
}
