// The page that says what went wrong, and what to do about it.

/** @jsxImportSource preact */

import type { PageContext } from '../shell/page-context.ts'
import { Words } from '../shell/parts.tsx'
import { PlainPage, Shell } from '../shell/shell.tsx'

const titles: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'This is not open to you',
  404: 'There is nothing here',
  409: 'Something has changed meanwhile',
  429: 'Too many tries',
  503: 'Not just now',
}

interface ProblemPageProps {
  context: PageContext
  status: number
  title: string
  detail: string
  request_id: string
  /** The page to come back to once signed in. */
  next: string | undefined
}

export function ProblemPage({ context, status, title, detail, request_id, next }: ProblemPageProps) {
  const heading = titles[status] ?? (status >= 500 ? 'Something went wrong on our side' : title)
  const body = (
    <>
      <p class="lead">
        <Words>{detail}</Words>
      </p>
      <p>
        <a href={`${context.root}/admin`}>Go to the start</a>
        {context.person === undefined && (
          <>
            {' or '}
            <a href={`${context.root}/admin/sign-in${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`}>
              sign in
            </a>
          </>
        )}
        .
      </p>
      <p class="soft">
        Request <code>{request_id}</code>: the service’s log has more under this id.
      </p>
    </>
  )
  return context.person === undefined ? (
    <PlainPage context={context} title={heading}>
      {body}
    </PlainPage>
  ) : (
    <Shell context={context} title={heading} part={undefined}>
      {body}
    </Shell>
  )
}
