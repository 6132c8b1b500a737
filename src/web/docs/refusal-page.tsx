// The error page for browsers, with links onward; other clients get a problem document.

/** @jsxImportSource preact */

import type { Config } from '../../config/all-settings.ts'
import { LinkButton, Words } from '../html/components.tsx'
import { htmlResponse } from '../html/html-response.ts'
import { pageContext } from '../html/page-context.ts'
import { PlainPage } from '../html/shell.tsx'
import { placeOf } from '../http/server/place.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to view this page',
  403: 'You don’t have access',
  404: 'Page not found',
}

/** The error page for one of these statuses; other responses unchanged. */
export async function refusalPage(config: Config, request: Request, refusal: Response): Promise<Response> {
  const { status } = refusal
  const title = titles[status]
  if (title === undefined) return refusal
  const { detail, request_id } = (await refusal.json()) as { detail: string; request_id: string }
  const place = placeOf(config, request)
  const { pathname, search } = new URL(request.url)
  const page = (
    <PlainPage title={title}>
      {status === 401 ? (
        <WaysIn next={config.exportOnly ? undefined : pathname + search} />
      ) : (
        <>
          <p class="lead">
            <Words>{detail}</Words>
          </p>
          <p>
            Go to the <a href="/docs/api/programs">documentation</a> or the <a href="/admin">console</a>.
          </p>
        </>
      )}
      <p class="soft">
        When you contact support, quote this request ID: <code>{request_id}</code>.
      </p>
    </PlainPage>
  )
  const challenge = refusal.headers.get('www-authenticate')
  // Not compressed: a 401 must have the same length for every cause (contract D4), and request IDs compress differently.
  const context = { ...pageContext(place, config, request, Date.now() * 1000), coding: undefined }
  return htmlResponse(context, page, status, challenge === null ? {} : { 'WWW-Authenticate': challenge })
}

/** The same for every cause (contract D4). */
const WaysIn = ({ next }: { next: string | undefined }) => (
  <>
    <p class="lead">You need an API key{next !== undefined && ' or a console account'} to read the documentation.</p>
    <ul>
      <li>
        With an API key: reload this page and enter the key’s Username and Password when your browser asks for them.
      </li>
      {next !== undefined && <li>With an account: sign in to the console. You then return to this page.</li>}
    </ul>
    {next !== undefined && (
      <LinkButton main href={`/admin/sign-in?next=${encodeURIComponent(next)}`} text="Sign in to the console" />
    )}
  </>
)
