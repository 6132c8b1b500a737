// Sends docs as a page, as JSON, or as a file.

import type { VNode } from 'preact'
import { htmlResponse } from './html-response.ts'
import type { PageContext } from './page-context.ts'

export type Fields = Readonly<Record<string, string>>

/** Sent with everything in the docs that depends on the reader. */
export const common = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/** The content of a page, for software. */
export function json(value: unknown, fields: Fields): Response {
  return Response.json(value, { headers: { ...common, Vary: 'Accept, Accept-Encoding, Cookie', ...fields } })
}

export const pageResponse = ({ context, fields }: { context: PageContext; fields: Fields }, page: VNode) =>
  htmlResponse(context, page, 200, fields)

/** An indented document to save. */
export function download(document: unknown, fileName: string, fields: Fields): Response {
  return attachment(`${JSON.stringify(document, null, 2)}\n`, 'application/json', fileName, fields)
}

/** File names consist of slugs and numbers, so nothing needs escaping. */
export function attachment(text: string, type: string, fileName: string, fields: Fields = {}): Response {
  const disposition = `attachment; filename="${fileName}"`
  return new Response(text, {
    headers: { ...common, 'Content-Type': type, 'Content-Disposition': disposition, ...fields },
  })
}
