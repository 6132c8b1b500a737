// What a browser is shown where there is nothing: a page with ways on, and not the document that programs get.

/** @jsxImportSource preact */

import type { Config } from '../../config/all-settings.ts'
import { placeOf } from '../place.ts'
import { htmlResponse } from '../shell/html-response.ts'
import { Words } from '../shell/parts.tsx'
import { PlainPage } from '../shell/shell.tsx'

/** The page of a refusal with 404; it has what the problem document says. */
export async function notFoundPage(config: Config, request: Request, refusal: Response): Promise<Response> {
  const { detail, request_id } = (await refusal.json()) as { detail: string; request_id: string }
  const { root } = placeOf(config, request)
  const page = (
    <PlainPage context={{ root, config, person: undefined, csrf: '' }} title="There is nothing here">
      <p class="lead">
        <Words>{detail}</Words>
      </p>
      <p>
        Go on to the <a href={`${root}/docs/api/programs`}>documentation</a> or to the{' '}
        <a href={`${root}/admin`}>console</a>.
      </p>
      <p class="soft">
        Request <code>{request_id}</code>: the service’s log has more under this id.
      </p>
    </PlainPage>
  )
  return htmlResponse(page, 404)
}
