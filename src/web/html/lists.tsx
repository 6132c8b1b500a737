// Search, filters and paging for long lists, and lists of programs by name.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { Badge, LinkButton } from './components.tsx'
import { Choices, Submit } from './fields.tsx'
import { usePage } from './page-context.ts'

/** Searches the list at this path; `children` are further filters. */
export function SearchForm(props: { path: string; label: string; hint: string; children?: ComponentChildren }) {
  const { query } = usePage()
  return (
    <form class="filters" method="get" action={props.path}>
      <label class="unseen" for="q">
        {props.label}
      </label>
      <input id="q" name="q" type="search" value={query.get('q') ?? ''} placeholder={props.hint} />
      {props.children}
      <Submit look="plain" icon="search" text="Search" />
    </form>
  )
}

/**
 * Links to the next page of the list at this path with the same filters, and to its first page. `next` is where the next page starts; null on the
 * last.
 */
export function Pages({ path, next, what }: { path: string; next: string | number | null; what: string }) {
  const { query } = usePage()
  const isLater = (query.get('after') ?? '') !== ''
  if (!isLater && next === null) return null
  const address = (after: Readonly<Record<string, string>>): string => {
    const kept = [...query].filter(([name]) => name !== 'after' && name !== 'done')
    return `${path}?${new URLSearchParams([...kept, ...Object.entries(after)])}`
  }
  return (
    <nav class="pages" aria-label={`Pages of ${what}`}>
      {isLater && <LinkButton href={address({})} icon="chevron-left" text="First page" />}
      {next !== null && (
        <LinkButton rel="next" href={address({ after: String(next) })} icon="chevron-right" text={`More ${what}`} />
      )}
    </nav>
  )
}

/**
 * A list's filters: their fields next to one another, and each active filter as a link that removes it. On a narrow screen, only the first field is
 * visible, and `more` are in a fold.
 */
export function FilterBar(props: {
  /** The path of the unfiltered list from the service's root. */
  path: string
  /** The value of each filter in words, by its name in the address. */
  words: Readonly<Record<string, (value: string) => string>>
  /** The query string of the list with these filters. */
  search: (values: URLSearchParams) => string
  note?: ComponentChildren
  more: ComponentChildren
  children: ComponentChildren
}) {
  const { path, words, search, note, more, children } = props
  const { values, errors } = usePage().form
  const chips = Object.entries(words).flatMap(([name, inWords]) => {
    const value = values.get(name)?.trim() ?? ''
    if (value === '' || errors.length > 0) return []
    const others = new URLSearchParams(values)
    others.delete(name)
    return [{ text: inWords(value), href: path + search(others) }]
  })
  return (
    <search class="card">
      <form class="sieve" method="get" action={path} noValidate>
        <div class="wide">{children}</div>
        <details class="narrow-fold" open={errors.length > 0}>
          <summary>More filters</summary>
          <div>{more}</div>
        </details>
        <Submit icon="search" text="Search" />
      </form>
      {(chips.length > 0 || note !== undefined) && (
        <p class="chips">
          {chips.map(({ text, href }) => (
            <a class="badge info" href={href}>
              <span class="unseen">Remove filter </span>
              <span dir="auto">{text}</span> <span aria-hidden="true">×</span>
            </a>
          ))}
          {chips.length > 0 && <a href={path}>Clear filters</a>}
          {note !== undefined && <span class="soft">{note}</span>}
        </p>
      )}
    </search>
  )
}

/** Whether the list is filtered or not on its first page, so that it can be empty although items exist. */
export const isPart = (query: URLSearchParams): boolean => ['q', 'after'].some(name => (query.get(name) ?? '') !== '')

export interface NamedProgram {
  slug: string
  display_name: string
  intake_state?: IntakeState
}

export const intakeLabels = { OPEN: 'Open', PAUSED: 'Paused', CLOSED: 'Closed', ARCHIVED: 'Archived' } as const
type IntakeState = keyof typeof intakeLabels

/** Shown for programs that don't take applications. */
export const IntakeBadge = ({ state }: { state: IntakeState }) =>
  state === 'OPEN' ? null : <Badge tone="attention">{intakeLabels[state]}</Badge>

/** The suffix of a program that doesn't accept applications: `, archived`. */
export const intakeSuffix = ({ intake_state: state = 'OPEN' }: NamedProgram): string =>
  state === 'OPEN' ? '' : `, ${intakeLabels[state].toLowerCase()}`

/** Archived programs come last. */
export const archivedLast = <One extends NamedProgram>(programs: readonly One[]): One[] =>
  programs.toSorted((a, b) => Number(a.intake_state === 'ARCHIVED') - Number(b.intake_state === 'ARCHIVED'))

/** The name of each program, in this order; the slug if it is not in the list. */
export const programNames = (slugs: readonly string[], among: readonly NamedProgram[]): string[] =>
  slugs.map(slug => among.find(program => program.slug === slug)?.display_name ?? slug)

/** A program as a badge. */
export const ProgramBadge = ({ slug, among }: { slug: string; among: readonly NamedProgram[] }) => (
  <span class="badge" title={slug} dir="auto">
    {programNames([slug], among)}
  </span>
)

/** Checkboxes for choosing programs. */
export const ProgramChoices = (props: {
  /** `programs` by default. */
  name?: string
  programs: readonly NamedProgram[]
  chosen: readonly string[]
  legend?: string
  hint?: string
}) => (
  <Choices
    name={props.name ?? 'programs'}
    legend={props.legend ?? 'Programs'}
    choices={archivedLast(props.programs).map(program => ({
      value: program.slug,
      text: program.display_name,
      hint: program.slug + intakeSuffix(program),
    }))}
    chosen={props.chosen}
    many
    long={props.programs.length > 8}
    all={`All ${props.programs.length} programs`}
    hint={props.programs.length === 0 ? 'No programs yet. Create one under Programs first.' : props.hint}
  />
)
