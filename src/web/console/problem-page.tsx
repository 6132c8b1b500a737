// The error page: what went wrong, and where to go next.

/** @jsxImportSource preact */

import { LinkButton, Words } from '../html/components.tsx'
import { partOfPath } from '../html/navigation.ts'
import { usePage } from '../html/page-context.ts'
import { PlainPage, Shell } from '../html/shell.tsx'

const titles: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'You don’t have access',
  404: 'Page not found',
  409: 'Someone else changed this',
  429: 'Too many attempts',
  503: 'Temporarily unavailable',
}

interface ProblemPageProps {
  status: number
  detail: string
  request_id: string
  /** The requested path. */
  pathname: string
  /** The page to come back to once signed in. */
  next: string | undefined
}

export function ProblemPage({ status, detail, request_id, pathname, next }: ProblemPageProps) {
  const { person } = usePage()
  const part = person && partOfPath(pathname, person.role)
  const heading = titles[status] ?? (status >= 500 ? 'Something went wrong' : 'This request can’t be completed')
  const body = (
    <>
      <p class="lead">
        <Words>{detail}</Words>
      </p>
      <p class="actions">
        {person === undefined && (
          <LinkButton
            main
            href={`/admin/sign-in${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`}
            text="Sign in"
          />
        )}
        {part !== undefined && part.path !== pathname && (
          <LinkButton main href={part.path} text={`Go to ${part.text}`} />
        )}
        <LinkButton href="/admin" text="Go to the home page" />
      </p>
      <p class="soft">
        If you contact support, quote this request ID: <code>{request_id}</code>
      </p>
    </>
  )
  return person === undefined ? (
    <PlainPage title={heading}>{body}</PlainPage>
  ) : (
    <Shell title={heading} part={part?.part}>
      {body}
    </Shell>
  )
}
