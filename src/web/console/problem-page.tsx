// The page that says what went wrong, and what to do about it.

/** @jsxImportSource preact */

import { LinkButton, Words } from '../html/components.tsx'
import { partOfPath } from '../html/navigation.ts'
import { usePage } from '../html/page-context.ts'
import { PlainPage, Shell } from '../html/shell.tsx'

const titles: Readonly<Record<number, string>> = {
  401: 'You are signed out',
  403: 'This is not open to you',
  404: 'There is nothing here',
  409: 'Something has changed in the meantime',
  429: 'Too many tries',
  503: 'Not just now',
}

interface ProblemPageProps {
  status: number
  detail: string
  request_id: string
  /** What was asked for. */
  pathname: string
  /** The page to come back to once signed in. */
  next: string | undefined
}

export function ProblemPage({ status, detail, request_id, pathname, next }: ProblemPageProps) {
  const { person } = usePage()
  const part = person && partOfPath(pathname, person.role)
  const heading =
    titles[status] ?? (status >= 500 ? 'Something went wrong on our side' : 'This could not be done as it was asked')
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
        If you ask for help, name this request: <code>{request_id}</code>.
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
