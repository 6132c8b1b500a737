// A program's name and statuses, and a screen's heading and condition, as forms.

/** @jsxImportSource preact */

import type { ProgramRetention } from '../../../db/programs/program-overviews.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { DoneNotice, figures, LinkButton } from '../../html/components.tsx'
import { ActionForm, TextArea, TextField } from '../../html/fields.tsx'
import { pathOfProgram } from '../programs/program-shell.tsx'
import { earlierThan } from './condition-fields.ts'
import { ConditionFields } from './condition-rows.tsx'
import { Basis, type DraftFormProps, DraftFormShell, EnterButton, SaveButtons } from './draft-form.tsx'
import { IntakeForm } from './intake-form.tsx'

const doneTexts = { intake: 'Saved. It holds from now on.' }

export function ProgramSettingsPage(props: DraftFormProps & Pick<ProgramRetention, 'retention_days'>) {
  const { view, definition, conflict, retention_days } = props
  const path = pathOfProgram(view.program.slug)
  return (
    <DraftFormShell {...props} tab="settings">
      <DoneNotice texts={doneTexts} />
      <div class="card narrow">
        <ActionForm action={`${path}/settings`}>
          <Basis {...props} />
          <TextField name="display_name" label="Name" hint="What people read." value={definition.display_name} />
          <TextArea
            name="statuses"
            label="Statuses"
            optional
            rows={6}
            hint="What applications can be given, one a line, in the order in which they are offered."
            value={definition.statuses.join('\n')}
          />
          <p class="soft">Kept in the draft; both change when it is published.</p>
          <div class="actions">
            <SaveButtons view={view} conflict={conflict} />
          </div>
        </ActionForm>
      </div>
      <IntakeForm program={view.program} />
      <section class="card narrow">
        <h2>Keeping applications</h2>
        <p>
          Its applications are kept{' '}
          {retention_days === null ? 'permanently' : `for ${figures(retention_days)} days after they were submitted`}.
        </p>
        <LinkButton href={`${path}/retention`} text="Change it…" />
      </section>
    </DraftFormShell>
  )
}

/** A screen: its heading, and when it is shown. */
export function ScreenPage(props: DraftFormProps & { index: number }) {
  const { view, definition, conflict, index } = props
  const path = pathOfProgram(view.program.slug)
  const screen = definition.screens[index]!
  return (
    <DraftFormShell
      {...props}
      tab="questions"
      title={`Screen ${index + 1} · ${screen.name}`}
      scripts={['/assets/rearrange.js']}
    >
      <div class="card wide-form">
        <ActionForm action={`${path}/screen`}>
          <EnterButton />
          <input type="hidden" name="index" value={String(index)} />
          <Basis {...props} />
          <TextField name="name" label="Heading" value={screen.name} maxLength={200} />
          <ConditionFields
            condition={screen.visible_when}
            earlier={askedBefore(definition, index)}
            shown="it is shown"
          />
          <div class="actions">
            <SaveButtons view={view} conflict={conflict} />
            <LinkButton href={`${path}/questions`} text="Cancel" />
          </div>
        </ActionForm>
      </div>
    </DraftFormShell>
  )
}

/** The questions of the screens before this one. */
const askedBefore = (definition: ProgramDefinition, index: number): QuestionDefinition[] =>
  earlierThan(definition, { screen: index - 1 })
