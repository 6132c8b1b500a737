// Shows administrators and auditors how fresh each program's docs are; they can be regenerated on the jobs page.

/** @jsxImportSource preact */

import type { DocsFreshness, ListedVersion } from '../../../core/derived/program-docs.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Badge, distance, When } from '../../html/components.tsx'
import { navigation } from '../../html/navigation.ts'
import { usePage } from '../../html/page-context.ts'

/** Freshness of each version of a program. */
export type ProgramFreshness = readonly (DocsFreshness & Pick<ListedVersion, 'state'>)[]

/** By program slug. */
export type Freshness = ReadonlyMap<string, ProgramFreshness>

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

export const VersionFreshness = ({ versions, now }: { versions: ProgramFreshness; now: Micros }) =>
  versions.map(({ state, made_at, regeneration, last_error }) => (
    <small>
      {state.toLowerCase()} docs:{' '}
      {made_at === null ? (
        'generated on request'
      ) : (
        <>
          generated <When at={made_at} text={distance(made_at, now)} />
        </>
      )}{' '}
      {regeneration === 'failed' && <Badge tone="bad">failed</Badge>}
      {(regeneration === 'queued' || regeneration === 'running') && (
        <Badge tone="info">{made_at === null ? 'generating' : 'regenerating'}</Badge>
      )}
      {last_error !== null && <small>{last_error}</small>}
    </small>
  ))

/** Link to the jobs page, for people whose navigation includes it. */
export function WhereJobsAre() {
  const { person } = usePage()
  const jobs = navigation.flatMap(({ entries }) => entries).find(({ part }) => part === 'jobs')
  if (jobs === undefined || person === undefined || !jobs.roles.includes(person.role)) return null
  return (
    <p class="soft">
      Regenerate docs under <a href={jobs.path}>{jobs.text}</a>.
    </p>
  )
}
