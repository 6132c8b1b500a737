// The 404 page for browsers, with links onward; programs get a problem document instead.

/** @jsxImportSource preact */

import type { Config } from '../config/all-settings.ts'
import { htmlResponse } from '../html/html-response.ts'
import { pageContext } from '../html/page-context.ts'
import { Words } from '../html/parts.tsx'
import { PlainPage } from '../html/shell.tsx'
import { placeOf } from '../http/server/place.ts'

/** The page of a refusal with 404; it has what the problem document says. */
export async function notFoundPage(config: Config, request: Request, refusal: Response): Promise<Response> {
  const { detail, request_id } = (await refusal.json()) as { detail: string; request_id: string }
  const place = placeOf(config, request)
  const page = (
    <PlainPage title="There is nothing here">
      <p class="lead">
        <Words>{detail}</Words>
      </p>
      <p>
        Continue to the <a href="/docs/api/programs">documentation</a> or to the <a href="/admin">console</a>.
      </p>
      <p class="soft">
        If you ask for help, name this request: <code>{request_id}</code>.
      </p>
    </PlainPage>
  )
  return htmlResponse(pageContext(place, config, request, Date.now() * 1000), page, 404)
}
