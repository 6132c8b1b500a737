// Previews what setting the status of many applications would change.

/** @jsxImportSource preact */

import type { ApplicationState } from '../../../db/applications/annotations.ts'
import type { Program } from '../../../db/programs/programs.ts'
import { counted, figures, Notice } from '../../html/components.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { crumbsOf } from './application-page.tsx'
import { applicationsPath, statusValue } from './list-query.ts'

interface StatusOfManyProps {
  program: Program
  status: string | null
  /** Applications that currently have a different status. */
  changed: readonly ApplicationState[]
  /** Number of selected applications that already have the status. */
  same: number
}

export function StatusOfManyPage({ program, status, changed, same }: StatusOfManyProps) {
  const { query } = usePage()
  const path = applicationsPath(program.slug)
  const what = counted(changed.length, 'application')
  const obsolete = changed.filter(({ is_current }) => !is_current).length
  const before = Map.groupBy(changed, state => state.status)
  return (
    <FormPage
      title={`Set the status of ${what}`}
      part="applications"
      crumbs={[...crumbsOf(program), { text: 'Status' }]}
      path={`${path}/status?${query}`}
      submit={changed.length > 0 ? `Set ${what} to ${status ?? 'no status'}` : undefined}
      errorTitle="No status was changed"
    >
      {changed.length === 0 && same > 0 && (
        <Notice name="nothing-changes" tone="attention">
          All selected applications already have this status. Cancel and select others.
        </Notice>
      )}
      <ul id="seen">
        {[...before].map(([earlier, states]) => (
          <li>
            <strong class="figure">{figures(states.length)}</strong> from {earlier ?? 'no status'} to{' '}
            <strong>{status ?? 'no status'}</strong>
          </li>
        ))}
        {same > 0 && (
          <li class="soft">
            {figures(same)} already {same === 1 ? 'has' : 'have'} this status.
          </li>
        )}
      </ul>
      {obsolete > 0 && (
        <p>
          {figures(obsolete)} of them {obsolete === 1 ? 'is' : 'are'} obsolete because the applicant resubmitted.{' '}
          <a href={`${path}/status?${query}&only=current`}>Leave {obsolete === 1 ? 'it' : 'them'} out</a>
        </p>
      )}
      <p class="soft">Clients receive the new status with their next export. Notes are unchanged.</p>
      <input type="hidden" name="set" value={statusValue(status)} />
      {changed.map(({ application_id, annotation_id }) => (
        <input type="hidden" name="seen" value={`${application_id}-${annotation_id}`} />
      ))}
    </FormPage>
  )
}
