// The sidebar of every page: product name, navigation, and the person who is signed in.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { type Person, roleNames } from '../../core/people/roles.ts'
import { figures } from './components.tsx'
import { ActionForm, Submit } from './fields.tsx'
import { Icon } from './icon.tsx'
import { everyRole, type NavigationPart, navigation } from './navigation.ts'
import { usePage } from './page-context.ts'

export function Brand() {
  const { config } = usePage()
  const installation = [config.installationName, config.environment].filter(text => text !== '').join(' · ')
  return (
    <div class="brand">
      <p class="name">
        <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M4 3c0 6 8 5 8 11M20 3c0 6-8 5-8 11v7" />
        </svg>
        Tributary
      </p>
      <p class="installation">{installation}</p>
    </div>
  )
}

/** With children, these replace the navigation, which stays folded. */
export function Side({ part, children }: { part: NavigationPart | undefined; children?: ComponentChildren }) {
  const { person, marks } = usePage()
  const mayFind = useMayFind()
  const shown = navigation
    .map(({ title, entries }) => ({
      title,
      entries: entries.filter(({ roles, keyed }) => (person === undefined ? keyed : roles.includes(person.role))),
    }))
    .filter(({ entries }) => entries.length > 0)
  const links = (isFolded: boolean) => (
    <nav aria-label="Main">
      {shown.map(({ title, entries }) => (
        <>
          {title !== undefined && <h2>{title}</h2>}
          <ul>
            {entries.map(entry => (
              <li>
                <a href={entry.path} aria-current={entry.part === part ? 'true' : undefined}>
                  {!isFolded && <Icon name={entry.icon} />}
                  {entry.text}
                  <Mark count={marks?.get(entry.part)} />
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
      <Brand />
      {/* On a phone the navigation is folded; on a wide screen the style sheet shows it regardless. */}
      <details class="menu" name="menu">
        <summary>
          <Icon name="menu" />
          Menu
        </summary>
        {mayFind && <a href="/admin/search">Search</a>}
        {links(true)}
        {person !== undefined && <Me person={person} />}
      </details>
      {children ?? (
        <div class="wide">
          {mayFind && <Search />}
          {links(false)}
          {person !== undefined && <Me person={person} />}
        </div>
      )}
    </header>
  )
}

/** Whether the visitor can search the console. */
export const useMayFind = (): boolean => {
  const { person } = usePage()
  return person !== undefined && everyRole.includes(person.role)
}

/** The search over the whole console, in a dialog that a script opens. Enter without a selected result leads to the page with all of them. */
export const Finder = () => (
  <dialog class="finder" aria-label="Search">
    <form method="get" action="/admin/search">
      <input
        name="q"
        type="text"
        role="combobox"
        aria-label="Search the console"
        aria-autocomplete="list"
        aria-controls="found"
        aria-expanded="false"
        placeholder="Name, number, key or page"
        autocomplete="off"
        maxLength={200}
        required
      />
      <button type="button" class="plain">
        Close
      </button>
    </form>
    <p class="soft" role="status" data-failed="The search failed. Press Enter to try again." />
    <div role="listbox" id="found" aria-label="Results" hidden />
  </dialog>
)

/** A link to the page of results; the script opens the dialog instead, also on Ctrl K or ⌘ K. */
const Search = () => (
  <search aria-label="Console">
    <form class="search" method="get" action="/admin/search">
      <input
        name="q"
        type="search"
        aria-label="Search the console"
        aria-keyshortcuts="Control+K Meta+K"
        placeholder="Search"
        required
      />
      <span class="shortcut" aria-hidden="true">
        Ctrl K
      </span>
    </form>
  </search>
)

const Mark = ({ count }: { count: number | undefined }) =>
  count === undefined ? null : (
    <span class="mark-count">
      {figures(count)}
      <span class="unseen"> {count === 1 ? 'needs' : 'need'} attention</span>
    </span>
  )

function Me({ person }: { person: Person }) {
  const initials = person.name
    .split(/\s+/)
    .map(word => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return (
    <div class="me">
      <a href="/admin/account">
        <span class="initials" aria-hidden="true">
          {initials}
        </span>
        <span dir="auto">
          {person.name}
          <small>{roleNames[person.role]}</small>
        </span>
      </a>
      <ActionForm action="/admin/sign-out">
        <Submit look="quiet" icon="log-out" text="Sign out" />
      </ActionForm>
    </div>
  )
}
