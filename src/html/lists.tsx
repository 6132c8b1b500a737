// What stands around a list that is too long for one page: a search, and the way on.

/** @jsxImportSource preact */

import { Submit } from './fields.tsx'
import { usePage } from './page-context.ts'
import { LinkButton } from './parts.tsx'

/** Looks for a word in the list at this path. */
export function SearchForm(props: { path: string; label: string; hint: string }) {
  const { root, query } = usePage()
  return (
    <form class="filters" method="get" action={root + props.path}>
      <label class="unseen" for="q">
        {props.label}
      </label>
      <input id="q" name="q" type="search" value={query.get('q') ?? ''} placeholder={props.hint} />
      <Submit look="plain" icon="search" text="Search" />
    </form>
  )
}

/** The way on in the list at this path, and back to where it begins. `next` is where the next page begins; null on the last. */
export function Pages({ path, next, what }: { path: string; next: string | number | null; what: string }) {
  const { root, query } = usePage()
  const [search, after] = [query.get('q') ?? '', query.get('after') ?? '']
  if (after === '' && next === null) return null
  const start = `${root}${path}?${search === '' ? '' : `q=${encodeURIComponent(search)}&`}`
  return (
    <nav class="pages" aria-label={`Pages of ${what}`}>
      {after !== '' && <LinkButton href={start} icon="chevron-left" text="From the start" />}
      {next !== null && (
        <LinkButton
          rel="next"
          href={`${start}after=${encodeURIComponent(next)}`}
          icon="chevron-right"
          text={`More ${what}`}
        />
      )}
    </nav>
  )
}

/** Whether a list is searched, or is not at its start: then it may be empty without there being nothing. */
export const isPart = (query: URLSearchParams): boolean => ['q', 'after'].some(name => (query.get(name) ?? '') !== '')
