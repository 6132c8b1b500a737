// Sends docs pages as Markdown: at the address of the page with `.md`.

import { common, type Fields } from '../../html/docs-response.ts'
import { codedBody, codingFor } from '../../http/headers/coded-body.ts'
import { prefersJson } from '../../http/headers/negotiation.ts'
import { markdownOf } from './markdown-of.ts'

const suffix = '.md'

/** Whether the Markdown of a page is requested. */
export const isMarkdown = (request: Request): boolean => new URL(request.url).pathname.endsWith(suffix)

export const withoutSuffix = (text: string | null): string | null =>
  text?.endsWith(suffix) ? text.slice(0, -suffix.length) : text

/** Whether JSON is requested, rather than a page or its Markdown. */
export const wantsJson = (request: Request): boolean => !isMarkdown(request) && prefersJson(request)

/** `page` is not compressed; `baseUrl` is that of the service, and `root` its path. */
export async function markdownResponse(
  page: Response,
  request: Request,
  { baseUrl, root }: { baseUrl: string; root: string },
  fields: Fields,
): Promise<Response> {
  const origin = baseUrl.slice(0, baseUrl.length - root.length)
  const { body, fields: coded } = codedBody(Buffer.from(markdownOf(await page.text(), origin)), codingFor(request))
  return new Response(body, {
    headers: {
      ...common,
      'Content-Type': 'text/markdown; charset=utf-8',
      Vary: 'Accept, Accept-Encoding, Cookie',
      ...fields,
      ...coded,
    },
  })
}
