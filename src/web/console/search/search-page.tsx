// The search across the console: one field, and results by relevance, each with its kind and the reason for the match.

/** @jsxImportSource preact */

import { counted } from '../../html/components.tsx'
import { SearchForm } from '../../html/lists.tsx'
import { everyRole } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { type PageRoute, pageAt } from '../requests/action.ts'
import { findResults, type ResultKind, type Results } from './find-results.ts'

/** Longer search texts are cut here. In UTF-16 units. */
const lengthMax = 200

export const searchPage = (deps: Deps): PageRoute =>
  pageAt('/admin/search', everyRole, async request => {
    const text = (request.url.searchParams.get('q') ?? '').slice(0, lengthMax)
    const withApplicants = request.url.searchParams.get('applicants') !== 'no'
    return <SearchPage {...(await findResults(deps, request, text, withApplicants))} />
  })

const kindTexts: Readonly<Record<ResultKind, string>> = {
  application: 'Application',
  page: 'Page',
  program: 'Program',
  key: 'API key',
  person: 'Person',
  question: 'Question',
  applicant: 'Applicant',
  list: 'Applications',
}

function SearchPage({ items, searched }: Results) {
  const sought = (usePage().query.get('q') ?? '').trim()
  const found = items.filter(({ kind }) => kind !== 'list')
  return (
    <Shell title="Search" part={undefined}>
      <SearchForm path="/admin/search" label="Search the console" hint="Name, number, key or page" />
      {sought !== '' && (
        <p class="soft" role="status">
          {found.length < items.length && 'First '}
          {counted(found.length, 'result')}
          {items.length === 0 && '. Check the spelling, or enter at least three letters of a name'}
          {searched?.all === false &&
            `. Applicants were searched only in the ${counted(searched.programs, 'program')} with the newest applications. To find applicants of other programs, search each program’s applications`}
          {(items.length === 0 || searched?.all === false) && '.'}
        </p>
      )}
      {items.length > 0 && (
        <ol class="card results">
          {items.map(({ kind, name, path, reason }) => (
            <li data-kind={kind}>
              <a class="strong" href={path} dir="auto">
                {name}
              </a>
              <small>
                {kindTexts[kind]}
                {reason !== '' && (
                  <>
                    {' · '}
                    <bdi>{reason}</bdi>
                  </>
                )}
              </small>
            </li>
          ))}
        </ol>
      )}
    </Shell>
  )
}
