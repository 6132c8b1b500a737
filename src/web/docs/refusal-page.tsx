// The page of a refusal for browsers, with ways onward; programs get a problem document instead.

/** @jsxImportSource preact */

import type { Config } from '../../config/all-settings.ts'
import { LinkButton, Words } from '../html/components.tsx'
import { htmlResponse } from '../html/html-response.ts'
import { pageContext } from '../html/page-context.ts'
import { PlainPage } from '../html/shell.tsx'
import { placeOf } from '../http/server/place.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in to see this',
  403: 'You don’t have access',
  404: 'There is nothing here',
}

/** The page of a refusal with one of these statuses; any other as it is. */
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
            Continue to the <a href="/docs/api/programs">documentation</a> or to the <a href="/admin">console</a>.
          </p>
        </>
      )}
      <p class="soft">
        If you ask for help, name this request: <code>{request_id}</code>.
      </p>
    </PlainPage>
  )
  const challenge = refusal.headers.get('www-authenticate')
  // Not compressed: the length of the 401 must be the same for every cause (contract D4), and the id of the request is not.
  const context = { ...pageContext(place, config, request, Date.now() * 1000), coding: undefined }
  return htmlResponse(context, page, status, challenge === null ? {} : { 'WWW-Authenticate': challenge })
}

/** The same for every cause (contract D4). */
const WaysIn = ({ next }: { next: string | undefined }) => (
  <>
    <p class="lead">The documentation opens with an API key{next !== undefined && ' or a console account'}.</p>
    <ul>
      <li>
        With an API key: reload this page, and enter the key’s Username and Password when your browser asks for them.
      </li>
      {next !== undefined && <li>With an account: sign in to the console, which brings you back here.</li>}
    </ul>
    {next !== undefined && (
      <LinkButton main href={`/admin/sign-in?next=${encodeURIComponent(next)}`} text="Sign in to the console" />
    )}
  </>
)
