// Freshness of each program's docs, for administrators and auditors, who regenerate them on the jobs page.

/** @jsxImportSource preact */

import type { DocsFreshness, ListedVersion } from '../../core/derived/program-docs.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { Badge, type Column, distance, When } from '../html/components.tsx'
import { navigation } from '../html/navigation.ts'
import { usePage } from '../html/page-context.ts'
import type { ListedProgram } from './program-view.ts'

/** By slug: each version's freshness. */
export type Freshness = ReadonlyMap<string, readonly (DocsFreshness & { state: ListedVersion['state'] })[]>

export const freshnessOf = (
  programs: readonly { program_id: number; slug: string }[],
  examples: ReadonlyMap<number, readonly ListedVersion[]>,
): Freshness =>
  new Map(
    programs.map(({ program_id, slug }) => [
      slug,
      (examples.get(program_id) ?? []).map(({ state, freshness }) => ({
        ...freshness,
        state,
      })),
    ]),
  )

export const freshnessColumn = (freshness: Freshness, now: Micros): Column<ListedProgram> => ({
  head: 'Docs made',
  cell: ({ slug }) =>
    (freshness.get(slug) ?? []).map(({ state, made_at, regeneration, last_error }) => (
      <div>
        <span class="soft">{state.toLowerCase()}:</span>{' '}
        {made_at === null ? (
          'when they are read'
        ) : (
          <>
            <When at={made_at} /> <span class="soft">{distance(made_at, now)}</span>
          </>
        )}{' '}
        {regeneration === 'failed' && <Badge tone="bad">failed</Badge>}
        {(regeneration === 'queued' || regeneration === 'running') && (
          <Badge tone="info">{made_at === null ? 'being made' : 'being made again'}</Badge>
        )}
        {last_error !== null && <small>{last_error}</small>}
      </div>
    )),
})

/** The way to the jobs, for those to whom the navigation shows them. */
export function WhereJobsAre() {
  const { person } = usePage()
  const jobs = navigation.flatMap(({ entries }) => entries).find(({ part }) => part === 'jobs')
  if (jobs === undefined || person === undefined || !jobs.roles.includes(person.role)) return null
  return (
    <p class="soft">
      To have docs made again, one or all, go to <a href={jobs.path}>{jobs.text}</a>.
    </p>
  )
}
