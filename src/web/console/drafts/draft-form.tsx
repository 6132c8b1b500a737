// What every form over a draft has in common: its place, what was wrong, and that two people lose nothing.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { NotDone, Who } from '../../html/components.tsx'
import { ErrorSummary, Submit } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { isOvertaken, type ProgramInView } from '../programs/program-in-view.ts'
import { Changes, ProgramShell } from '../programs/program-shell.tsx'

export interface EditedElsewhere {
  /** What saving the form now would change in what is stored. */
  differences: readonly VersionChange[]
}

export interface DraftFormProps {
  view: ProgramInView
  definition: ProgramDefinition
  conflict: EditedElsewhere | undefined
}

/** A form over a draft: its tab and title, what was wrong with it, and what was stored concurrently. */
export function DraftFormShell(
  props: DraftFormProps & {
    tab: 'questions' | 'settings'
    title?: string
    scripts?: readonly string[]
    children: ComponentChildren
  },
) {
  const { view, conflict, tab, title, scripts } = props
  return (
    <ProgramShell
      program={view.program}
      tab={tab}
      title={title}
      scripts={scripts}
      changes={view.draft && view.changes.length}
    >
      <ErrorSummary />
      {conflict !== undefined && <ConflictNotice view={view} conflict={conflict} />}
      {props.children}
    </ProgramShell>
  )
}

/** What the page of a form was made from, so that nothing is saved over what it did not show. */
export const Basis = ({ view, conflict }: Pick<DraftFormProps, 'view' | 'conflict'>) => {
  const { form } = usePage()
  // A form that comes back is still made from what it was made from, until its person was shown what is stored now.
  const sent = conflict === undefined ? form.values.get('based_on') : null
  return <input type="hidden" name="based_on" value={sent ?? String(view.current.program_version_id)} />
}

/** What the Enter key sends in a form whose first buttons rearrange its rows. */
export const EnterButton = ({ name, value }: { name?: string; value?: string }) => (
  <button type="submit" class="enter" name={name} value={value} tabIndex={-1} aria-hidden="true">
    Keep
  </button>
)

/** Where the draft was overtaken: saves it, with the fields of the form, over what was published. */
export function KeepButton({ view, conflict }: Pick<DraftFormProps, 'view' | 'conflict'>) {
  if (conflict === undefined || !isOvertaken(view)) return null
  const { active, draft } = view
  return (
    <Submit
      name="keep"
      value={`${active?.program_version_id}-${draft?.program_version_id}`}
      text={`Keep the draft with these fields, over version ${active?.version_number}`}
    />
  )
}

/** The button that saves, and the one that keeps where that is needed. */
export const SaveButtons = (props: Pick<DraftFormProps, 'view' | 'conflict'>) => (
  <>
    <Submit text="Keep in draft" />
    <KeepButton {...props} />
  </>
)

function ConflictNotice({ view, conflict }: { view: ProgramInView; conflict: EditedElsewhere }) {
  const { current, active } = view
  if (isOvertaken(view)) {
    return (
      <NotDone name="overtaken">
        <h2>Version {active?.version_number} was published after this draft was begun, so nothing was changed</h2>
        <p>
          Your fields are as you typed them. To keep the draft, and these fields in it, over that version, use the
          button at the end of the form; what that takes back is then among its changes. It would change in the draft:
        </p>
        <Changes changes={conflict.differences} />
      </NotDone>
    )
  }
  return (
    <NotDone name="changed-since">
      <h2>The draft was changed in the meantime, so nothing was saved</h2>
      <p dir="auto">
        <Who actor={current.published_by ?? current.created_by} />{' '}
        {current.published_at === null ? 'saved the draft' : `published version ${current.version_number}`}. Your fields
        are as you typed them. Saving again would change in what is stored now:
      </p>
      <Changes changes={conflict.differences} />
    </NotDone>
  )
}
