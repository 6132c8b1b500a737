// The list beside a docs page: everything on the page by name, with a search field.

/** @jsxImportSource preact */

import type { VNode } from 'preact'

export interface FindEntry {
  text: string
  /** Language of the text, if it isn't that of the page. */
  lang?: string
  /** An anchor on the page, or a whole path. */
  href: string
  /** Text that is also searched, and shown on hover. */
  about?: string
  /** A name from a definition, shown as code. */
  name?: boolean
  current?: boolean
  within?: readonly FindEntry[]
}

export interface FindGroup {
  title: string
  lang?: string
  /** Link target of the title. */
  href?: string
  entries: readonly FindEntry[]
}

export function FindList({ groups, what }: { groups: readonly FindGroup[]; what: string }): VNode {
  return (
    <nav class="find" id="find" aria-label="On this page">
      <a class="opener button plain" href="#find">
        On this page
      </a>
      <div class="field" hidden>
        <label class="unseen" for="find-field">
          Find {what}
        </label>
        <input type="search" id="find-field" data-find placeholder={`Find ${what}`} autocomplete="off" />
        <kbd title="Press / to search">/</kbd>
        <p class="unseen" role="status" data-found />
      </div>
      <div class="list">
        {groups
          .filter(({ entries }) => entries.length > 0)
          .map(({ title, lang, href, entries }) => (
            <div data-group>
              <h2>
                {href === undefined ? (
                  <bdi lang={lang}>{title}</bdi>
                ) : (
                  <a href={href}>
                    <bdi lang={lang}>{title}</bdi>
                  </a>
                )}
              </h2>
              <Entries entries={entries} />
            </div>
          ))}
      </div>
    </nav>
  )
}

function Entries({ entries }: { entries: readonly FindEntry[] }): VNode {
  return (
    <ul>
      {entries.map(({ text, lang, href, about, name, current, within = [] }) => (
        <li>
          <a href={href} title={about} class={name ? 'mono' : undefined} aria-current={current ? 'page' : undefined}>
            <span lang={lang} dir="auto">
              {text}
            </span>
          </a>
          {within.length > 0 && <Entries entries={within} />}
        </li>
      ))}
    </ul>
  )
}
