// What every page of console and docs has around it: head, skip link, navigation, who is signed in.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type Person, type Role, roleNames } from '../../access/roles.ts'
import type { Config } from '../../config/all-settings.ts'
import { Icon, type IconName } from './icon.tsx'

/** The parts of the product, as the navigation names them. */
export type Part =
  | 'programs'
  | 'questions'
  | 'applications'
  | 'keys'
  | 'documentation'
  | 'intermediaries'
  | 'people'
  | 'jobs'
  | 'audit'
  | 'settings'

/** What a page needs to know of the request it answers. */
export interface PageContext {
  /** Path under which the service is reached, without a slash at the end: mostly empty. */
  root: string
  config: Pick<Config, 'installationName' | 'environment' | 'timeZone'>
  /** Who is signed in; undefined for those with an API key, and before sign-in. */
  person: Person | undefined
  /** What forms of this session carry; empty where there is none. */
  csrf: string
  /** Whether a CiviForm is followed: then programs, statuses and its keys are changed there alone. */
  following?: boolean
}

/** Whether programs may be changed here by who is signed in. */
export const mayEditPrograms = ({ person, following }: PageContext): boolean =>
  person?.role === 'ADMINISTRATOR' && following !== true

interface Entry {
  part: Part
  path: string
  text: string
  icon: IconName
  roles: readonly Role[]
  /** Whether those with an API key, who are not signed in, may open it too. */
  keyed?: boolean
}

const all: readonly Role[] = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR']
const readers: readonly Role[] = ['ADMINISTRATOR', 'AUDITOR']

/** The navigation in its groups. A line here is a line there. */
export const navigation: readonly { title: string | undefined; entries: readonly Entry[] }[] = [
  {
    title: undefined,
    entries: [
      { part: 'programs', path: '/admin/programs', text: 'Programs', icon: 'folder-open', roles: all },
      { part: 'questions', path: '/admin/questions', text: 'Questions', icon: 'list-tree', roles: readers },
      { part: 'applications', path: '/admin/applications', text: 'Applications', icon: 'inbox', roles: all },
    ],
  },
  {
    title: 'API',
    entries: [
      { part: 'keys', path: '/admin/keys', text: 'API keys', icon: 'key-round', roles: readers },
      {
        part: 'documentation',
        path: '/docs/api/programs',
        text: 'Documentation',
        icon: 'book-open',
        roles: all,
        keyed: true,
      },
    ],
  },
  {
    title: 'Organization',
    entries: [
      {
        part: 'intermediaries',
        path: '/admin/intermediaries',
        text: 'Intermediaries',
        icon: 'handshake',
        roles: readers,
      },
      { part: 'people', path: '/admin/people', text: 'People', icon: 'users', roles: readers },
    ],
  },
  {
    title: 'System',
    entries: [
      { part: 'jobs', path: '/admin/jobs', text: 'Jobs', icon: 'activity', roles: readers },
      { part: 'audit', path: '/admin/audit', text: 'Audit', icon: 'scroll-text', roles: readers },
      { part: 'settings', path: '/admin/settings', text: 'Settings', icon: 'settings', roles: readers },
    ],
  },
]

interface ShellProps {
  context: PageContext
  title: string
  part: Part | undefined
  /** What stands as the heading, where that is not the title: what is personal is kept out of titles, which browsers remember. */
  heading?: ComponentChildren
  /** The way here from the top, each a link but for the page itself. */
  crumbs?: readonly { text: string; path?: string }[]
  /** Deeds beside the heading. */
  deeds?: ComponentChildren
  /** One sentence under the heading. */
  lead?: ComponentChildren
  /** Scripts of our own, by path. Pages are complete without any. */
  scripts?: readonly string[]
  /** Style sheets of our own beside the one that all pages have. */
  styles?: readonly string[]
  children?: ComponentChildren
}

export function Shell({ children, ...props }: ShellProps): VNode {
  const { context, title, part, scripts = [], styles } = props
  return (
    <Page context={context} title={title} scripts={['/assets/comfort.js', ...scripts]} styles={styles}>
      <div class="frame">
        <Side context={context} part={part} />
        <main id="content" tabIndex={-1}>
          <Top {...props} />
          {children}
          <p class="foot">All times in {context.config.timeZone}.</p>
        </main>
      </div>
    </Page>
  )
}

/** What a page begins with: the way here, its heading, a sentence. */
function Top({ context: { root }, title, heading = title, crumbs = [], deeds, lead }: ShellProps) {
  return (
    <>
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Where you are">
          {crumbs.map(({ text, path }) => (
            <span>{path === undefined ? text : <a href={root + path}>{text}</a>}</span>
          ))}
        </nav>
      )}
      <div class="heading">
        <h1>{heading}</h1>
        {deeds !== undefined && <div class="deeds">{deeds}</div>}
      </div>
      {lead !== undefined && <p class="lead">{lead}</p>}
    </>
  )
}

/**
 * A page to find one's way in: a list of what is on it in place of the navigation, which folds; what one reads; and beside it, where
 * there is anything, what one copies. On a narrow screen they follow one another, and the list opens when it is asked for.
 */
export function ThreeColumns(props: ShellProps & { find: ComponentChildren; copy?: ComponentChildren }): VNode {
  const { context, title, part, scripts = [], styles, find, copy, children } = props
  return (
    <Page context={context} title={title} scripts={['/assets/comfort.js', ...scripts]} styles={styles}>
      <div class="frame finding">
        <Side context={context} part={part}>
          {find}
        </Side>
        <main id="content" class={copy === undefined ? undefined : 'beside'} tabIndex={-1}>
          <div class="top">
            <Top {...props} />
          </div>
          {copy !== undefined && <div class="copying">{copy}</div>}
          <div class="rest">
            {children}
            <p class="foot">All times in {context.config.timeZone}.</p>
          </div>
        </main>
      </div>
    </Page>
  )
}

/** A page with nothing around it but the product's name: signing in, choosing a password. */
export function PlainPage(props: { context: PageContext; title: string; children: ComponentChildren }): VNode {
  return (
    <Page context={props.context} title={props.title} scripts={[]}>
      <main id="content" class="plain" tabIndex={-1}>
        <Brand context={props.context} />
        <h1>{props.title}</h1>
        {props.children}
      </main>
    </Page>
  )
}

function Page(props: {
  context: PageContext
  title: string
  scripts: readonly string[]
  styles?: readonly string[]
  children: ComponentChildren
}) {
  const { root } = props.context
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${props.title} · Tributary`}</title>
        <link rel="icon" type="image/svg+xml" href={`${root}/assets/mark.svg`} />
        {['/assets/console.css', ...(props.styles ?? [])].map(path => (
          <link rel="stylesheet" href={root + path} />
        ))}
        {props.scripts.map(path => (
          <script src={root + path} defer />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {props.children}
      </body>
    </html>
  )
}

function Brand({ context: { config } }: { context: PageContext }) {
  const installation = [config.installationName, config.environment].filter(text => text !== '').join(' · ')
  return (
    <div class="brand">
      <p class="name">
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d="M4 3c0 6 8 5 8 11M20 3c0 6-8 5-8 11v7" />
        </svg>
        Tributary
      </p>
      <p class="installation">{installation}</p>
    </div>
  )
}

/** With children, these stand in place of the navigation, which stays folded. */
function Side({
  context,
  part,
  children,
}: {
  context: PageContext
  part: Part | undefined
  children?: ComponentChildren
}) {
  const { person, root } = context
  const shown = navigation
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ roles, keyed }) => (person === undefined ? keyed : roles.includes(person.role))),
    }))
    .filter(({ entries }) => entries.length > 0)
  const links = (
    <nav aria-label="Main">
      {shown.map(({ title, entries }) => (
        <>
          {title !== undefined && <h2>{title}</h2>}
          <ul>
            {entries.map(entry => (
              <li>
                <a href={root + entry.path} aria-current={entry.part === part ? 'true' : undefined}>
                  <Icon name={entry.icon} />
                  {entry.text}
                </a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  )
  return (
    <header class="side">
      <Brand context={context} />
      {/* On a phone the navigation folds; on a wide screen the style sheet shows it whatever is folded. */}
      <details class="menu">
        <summary>
          <Icon name="menu" />
          Menu
        </summary>
        {links}
        {person !== undefined && <Me context={context} person={person} />}
      </details>
      {children ?? (
        <div class="wide">
          {links}
          {person !== undefined && <Me context={context} person={person} />}
        </div>
      )}
    </header>
  )
}

function Me({ context, person }: { context: PageContext; person: Person }) {
  const initials = person.name
    .split(/\s+/)
    .map(word => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return (
    <div class="me">
      <a href={`${context.root}/admin/account`}>
        <span class="initials" aria-hidden="true">
          {initials}
        </span>
        <span>
          {person.name}
          <small>{roleNames[person.role]}</small>
        </span>
      </a>
      <form method="post" action={`${context.root}/admin/sign-out`}>
        <input type="hidden" name="csrf" value={context.csrf} />
        <button class="quiet" type="submit">
          <Icon name="log-out" />
          Sign out
        </button>
      </form>
    </div>
  )
}

export { all as everyRole, readers as readingRoles }

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Fields of every page: nothing foreign is loaded, nothing is kept, nothing is framed. */
export const pageFields: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  // Not "no-referrer": a form would then be sent with an Origin of null, which is how its own origin is recognised.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept, Cookie',
}

/** A page as a response. */
export function htmlResponse(page: VNode, status = 200, fields: Readonly<Record<string, string>> = {}): Response {
  return new Response(`<!doctype html>${renderToString(page)}`, { status, headers: { ...pageFields, ...fields } })
}
