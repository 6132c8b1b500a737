// Selects applications in a list to set their status and note, and previews the changes.

/** @jsxImportSource preact */

import type { ApplicationState } from '../../../db/applications/annotations.ts'
import { counted, figures, Notice } from '../../html/components.tsx'
import { Submit, TextArea } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { idOf } from '../requests/route-parameters.ts'
import { type ProgramInColor, rankOfStatus, StatusBadge } from '../statuses/status-badge.tsx'
import { applicationsPath, changedMax, crumbsOf, statusIn, statusValue, unchanged } from './list-query.ts'

interface StatusOfManyProps {
  program: ProgramInColor
  /** Undefined if only a note is set. */
  status: string | null | undefined
  /** Applications that currently have a different status; without a status, all that were selected. */
  changed: readonly ApplicationState[]
  /** Number of selected applications that already have the status. */
  same: number
}

export function StatusOfManyPage({ program, status, changed, same }: StatusOfManyProps) {
  const { query } = usePage()
  const path = applicationsPath(program.slug)
  const what = counted(changed.length, 'application')
  const button = status === undefined ? `Add note to ${what}` : `Set ${what} to ${status ?? 'no status'}`
  return (
    <FormPage
      title={status === undefined ? `Add a note to ${what}` : `Set the status of ${what}`}
      part="applications"
      crumbs={[...crumbsOf(program), { text: 'Status' }]}
      path={`${path}/status?${query}`}
      submit={changed.length > 0 ? button : undefined}
      errorTitle={status === undefined ? 'No note was saved' : 'No status was changed'}
    >
      {changed.length === 0 && same > 0 && (
        <Notice name="nothing-changes" tone="attention">
          All selected applications already have this status. Cancel and select others.
        </Notice>
      )}
      <Before program={program} status={status} changed={changed} same={same} />
      <Obsolete path={path} changed={changed} />
      {changed.length > 0 && <NoteForAll optional={status !== undefined} changed={changed} />}
      <p class="soft">Connected systems receive the changes with their next export.</p>
      <input type="hidden" name="set" value={status === undefined ? unchanged : statusValue(status)} />
      {changed.map(({ application_id, annotation_id }) => (
        <input type="hidden" name="seen" value={`${application_id}-${annotation_id}`} />
      ))}
    </FormPage>
  )
}

/** The number of applications by current status, in the program's order. */
function Before({ program, status, changed, same }: StatusOfManyProps) {
  const before = [...Map.groupBy(changed, state => state.status)].toSorted(
    ([item], [other]) => rankOfStatus(item, program) - rankOfStatus(other, program),
  )
  return (
    <ul id="seen">
      {before.map(([earlier, states]) => (
        <li data-status={statusValue(earlier)}>
          <strong class="figure">{figures(states.length)}</strong>{' '}
          {status === undefined ? (
            <>
              with <StatusBadge status={earlier} program={program} />
            </>
          ) : (
            <>
              from <StatusBadge status={earlier} program={program} /> to{' '}
              <StatusBadge status={status} program={program} />
            </>
          )}
        </li>
      ))}
      {same > 0 && (
        <li class="soft">
          {figures(same)} already {same === 1 ? 'has' : 'have'} this status and {same === 1 ? 'is' : 'are'} left
          unchanged.
        </li>
      )}
    </ul>
  )
}

function Obsolete({ path, changed }: { path: string } & Pick<StatusOfManyProps, 'changed'>) {
  const { query } = usePage()
  const obsolete = changed.filter(({ is_current }) => !is_current).length
  if (obsolete === 0) return null
  return (
    <p>
      {figures(obsolete)} of them {obsolete === 1 ? 'is' : 'are'} obsolete because the applicant resubmitted.{' '}
      <a href={`${path}/status?${query}&only=current`}>Leave {obsolete === 1 ? 'it' : 'them'} out</a>
    </p>
  )
}

function NoteForAll({ optional, changed }: { optional: boolean } & Pick<StatusOfManyProps, 'changed'>) {
  const noted = changed.filter(({ has_note }) => has_note).length
  const hint = [
    optional && 'Leave this empty to keep the current notes.',
    noted > 0 && `Replaces the note on ${counted(noted, 'application')}. Earlier notes stay in the history.`,
  ].filter(Boolean)
  return (
    <TextArea
      name="note"
      label="Note"
      optional={optional}
      rows={3}
      {...(hint.length > 0 && { hint: hint.join(' ') })}
    />
  )
}

/** In the URL of a list after statuses were set: to which, and for how many. */
const setNames = ['done', 'set', 'changed', 'left']

/** What the list says after statuses were set. */
export function changedText(query: URLSearchParams): string {
  const [changed, left] = ['changed', 'left'].map(name => idOf(query.get(name)) ?? 0) as [number, number]
  const status = statusIn(query.get('set') ?? '')
  const applications = counted(changed, 'application')
  return [
    status === undefined ? `Note added to ${applications}.` : `${applications} changed to ${status ?? 'no status'}.`,
    left > 0 && `${counted(left, 'application')} skipped because of changes after the preview.`,
    'Connected systems receive the changes with their next export.',
  ]
    .filter(Boolean)
    .join(' ')
}

/** In the URL of a list whose rows are all selected. */
export const selected = 'selected'

/** Sets the status of the selected rows, or of all matching applications. */
export function SetStatus({ program, found, shown }: { program: ProgramInColor; found: number; shown: number }) {
  const { form } = usePage()
  return (
    <div class="ticked">
      {[...form.values].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <label for="set">
        Set status of <span data-count="ticked">all</span> selected to
      </label>
      <select id="set" name="set">
        {program.statuses.map(status => (
          <option value={statusValue(status)}>{status}</option>
        ))}
        <option value={statusValue(null)}>none</option>
        <option value={unchanged}>unchanged, add note</option>
      </select>
      <SelectPage shown={shown} />
      {found <= changedMax && (
        <span class="choice">
          <input type="checkbox" id="all" name="all" value="yes" />
          <label for="all">Select all {figures(found)}</label>
        </span>
      )}
      <Submit look="plain" text="Preview changes" />
    </div>
  )
}

/** Selects the rows of this page. With scripts, without loading it again. */
function SelectPage({ shown }: { shown: number }) {
  const { query } = usePage()
  const texts = [`Select all ${figures(shown)} on this page`, 'Clear selection'] as const
  const link = new URLSearchParams([...query].filter(([name]) => name !== selected && !setNames.includes(name)))
  const isSelected = query.has(selected)
  if (!isSelected) link.set(selected, 'page')
  return (
    <a href={`?${link}`} data-ticks="ticked" data-texts={texts.join('|')}>
      {texts[isSelected ? 1 : 0]}
    </a>
  )
}
