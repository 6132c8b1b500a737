// What every page of the docs has around it: head, skip link, header, footer; and the header fields it is sent with.
// It must not know what a page is about.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'

export interface ShellProps {
  title: string
  /** The part of the site the page belongs to. */
  current: 'programs' | 'service'
  /** Path under which the service is reached, without a slash at the end: mostly empty. */
  root: string
  /** Scripts of our own, by path. Pages are complete without any. */
  scripts?: readonly string[]
  stylesheets?: readonly string[]
  children: ComponentChildren
}

export function DocsShell({ title, current, root, scripts = [], stylesheets = [], children }: ShellProps): VNode {
  const link = (part: ShellProps['current'], path: string, text: string): VNode => (
    <li>
      <a href={root + path} aria-current={part === current ? 'true' : undefined}>
        {text}
      </a>
    </li>
  )
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · API docs`}</title>
        <link rel="icon" href="data:," />
        {[...stylesheets, '/docs/assets/docs.css'].map(path => (
          <link rel="stylesheet" href={root + path} />
        ))}
        {scripts.map(path => (
          <script src={root + path} defer />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <header class="top">
          <p class="brand">API docs</p>
          <nav aria-label="Docs">
            <ul>
              {link('programs', '/docs/api/programs', 'Programs')}
              {link('service', '/docs/api', 'Service')}
            </ul>
          </nav>
        </header>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </body>
    </html>
  )
}

/** Code or a table too wide for its place: it scrolls in a box of its own, which the keyboard can reach. */
export function ScrollBox({ label, tall, children }: { label: string; tall?: boolean; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class={tall ? 'scroll tall' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

const basePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const scriptedPolicy = `${basePolicy}; script-src 'self'; connect-src 'self'`

export type Fields = Readonly<Record<string, string>>

/** Sent with everything in the docs that depends on who asks. */
export const common = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

/** What a page shows, for programs. */
export function json(value: unknown, fields: Fields): Response {
  return Response.json(value, { headers: { ...common, Vary: 'Accept', ...fields } })
}

/** A page as a response that lets nothing foreign in. `scripted` allows scripts of our own origin. */
export function pageResponse(page: VNode, fields: Fields, scripted = false): Response {
  return new Response(`<!doctype html>${renderToString(page)}`, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': scripted ? scriptedPolicy : basePolicy,
      ...common,
      'Referrer-Policy': 'no-referrer',
      Vary: 'Accept',
      ...fields,
    },
  })
}
