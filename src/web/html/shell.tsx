// The frame of every page of the console and docs: document head, skip link, breadcrumbs, heading.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { Notice, zoneName } from './components.tsx'
import type { NavigationPart } from './navigation.ts'
import { usePage } from './page-context.ts'
import { Brand, Finder, Side, useMayFind } from './sidebar.tsx'

interface ShellProps {
  title: string
  part: NavigationPart | undefined
  /** The heading, if it is not the title: personal details stay out of titles, which browsers remember. */
  heading?: ComponentChildren
  /** The breadcrumbs, all of them links except the page itself. */
  crumbs?: readonly { text: string; path?: string; lang?: string | undefined }[]
  /** Actions next to the heading. */
  actions?: ComponentChildren
  /** One sentence under the heading. */
  lead?: ComponentChildren
  /** Our scripts, by path. Pages are complete without any. */
  scripts?: readonly string[]
  /** Our style sheets, in addition to the one on all pages. */
  styles?: readonly string[]
  children?: ComponentChildren
}

export function Shell({ children, ...props }: ShellProps): VNode {
  const { title, part, scripts = [], styles } = props
  const { shownAgain } = usePage()
  return (
    <Page title={title} scripts={['/assets/enhance.js', ...scripts]} styles={styles} hasFrame>
      <div class="frame">
        <Side part={part} />
        <main id="content" tabIndex={-1}>
          <Top {...props} />
          {shownAgain && (
            <Notice name="shown-again" tone="attention">
              <strong>Your session expired, so this wasn’t saved.</strong> Review what you entered and submit it again.
            </Notice>
          )}
          {children}
          <ZoneNote />
        </main>
      </div>
    </Page>
  )
}

/** The top of a page: breadcrumbs, heading, actions and lead. */
function Top({ title, heading = title, crumbs = [], actions, lead }: ShellProps) {
  return (
    <>
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Breadcrumb">
          {crumbs.map(({ text, path, lang }) => (
            <span>
              {path === undefined ? (
                <bdi lang={lang}>{text}</bdi>
              ) : (
                <a href={path} lang={lang} dir="auto">
                  {text}
                </a>
              )}
            </span>
          ))}
        </nav>
      )}
      <div class="heading">
        <h1 dir="auto">{heading}</h1>
        {actions ? <div class="actions">{actions}</div> : null}
      </div>
      {lead !== undefined && (
        <p class="lead" dir="auto">
          {lead}
        </p>
      )}
    </>
  )
}

/**
 * A page for reference: a list of its content in place of the navigation, which is folded; the text; and next to it, if there is any, what readers
 * copy. On a narrow screen they follow one another, and the list opens on request.
 */
export function ThreeColumns(
  props: ShellProps & {
    find: ComponentChildren
    /** Content to read before the content that is copied. */
    first?: ComponentChildren
    copy?: ComponentChildren
  },
): VNode {
  const { title, part, scripts = [], styles, find, first, copy, children } = props
  return (
    <Page title={title} scripts={['/assets/enhance.js', ...scripts]} styles={styles} hasFrame>
      <div class="frame finding">
        <Side part={part}>{find}</Side>
        <main id="content" class={copy === undefined ? undefined : 'alongside'} tabIndex={-1}>
          <div class="top">
            <Top {...props} />
            {first}
          </div>
          {copy !== undefined && <div class="copying">{copy}</div>}
          <div class="rest">
            {children}
            <ZoneNote />
          </div>
        </main>
      </div>
    </Page>
  )
}

/** The time zone of the page's times, and a link to choose another. */
function ZoneNote() {
  const { timeZone, person } = usePage()
  const canChoose = person !== undefined && person.role !== 'INTERMEDIARY'
  return (
    <p class="foot" id="zone">
      All dates and times, including those you enter, are in{' '}
      {canChoose ? <a href="/admin/account#time-zone">{zoneName(timeZone)}</a> : zoneName(timeZone)}.
    </p>
  )
}

/** A page with only the product's name: signing in, choosing a password. */
export function PlainPage({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <Page title={title} scripts={[]}>
      <main id="content" class="plain" tabIndex={-1}>
        <Brand />
        <h1>{title}</h1>
        {children}
      </main>
    </Page>
  )
}

/** A page that its content fills, without navigation: the editor. */
export const WholePage = ({
  children,
  ...props
}: Pick<ShellProps, 'title' | 'styles' | 'children'> & { scripts: readonly string[] }): VNode => (
  <Page {...props}>{children}</Page>
)

function Page(props: {
  title: string
  scripts: readonly string[]
  styles?: readonly string[]
  /** Whether the page has the console’s navigation, which includes the search. */
  hasFrame?: boolean
  children: ComponentChildren
}) {
  const { form, isRefused } = usePage()
  const hasFinder = useMayFind() && props.hasFrame === true
  const scripts = [...props.scripts, ...(hasFinder ? ['/assets/search.js'] : [])]
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${form.errors.length > 0 || isRefused ? 'Error: ' : ''}${props.title} · Tributary`}</title>
        <link rel="icon" type="image/svg+xml" href="/assets/mark.svg" />
        {['/assets/console.css', ...(props.styles ?? [])].map(path => (
          <link rel="stylesheet" href={path} />
        ))}
        {scripts.map(path => (
          <script src={path} defer />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {props.children}
        {hasFinder && <Finder />}
      </body>
    </html>
  )
}
