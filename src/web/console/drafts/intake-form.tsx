// Whether a program takes applications, on the page of its settings. It takes effect immediately, apart from drafts.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest } from '../../../base/problem.ts'
import { setProgramIntake } from '../../../core/intake/close-intake.ts'
import { programIntake } from '../../../db/programs/program-intake.ts'
import { ActionForm, Choices, Submit, TextArea } from '../../html/fields.tsx'
import { intakeLabels } from '../../html/lists.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { findVisibleProgram } from '../programs/program-in-view.ts'
import { type ProgramPageProps, pathOfProgram } from '../programs/program-shell.tsx'
import { type Action, action, type GuardedRoute, writes } from '../requests/action.ts'
import { closed, nullableText } from '../requests/schemas.ts'

const meanings: Readonly<Record<keyof typeof intakeLabels, string>> = {
  OPEN: 'Applications are submitted and pulled.',
  PAUSED: 'For a while. Submissions are refused as “try again later”; what was saved is kept.',
  CLOSED: 'Submissions are refused for good, until it is opened again.',
  ARCHIVED: 'Closed, and left out of the list of programs. Its applications can still be read and pulled.',
}

export function IntakeForm({ program }: ProgramPageProps) {
  return (
    <section class="card narrow">
      <h2>Taking applications</h2>
      <ActionForm action={`${pathOfProgram(program.slug)}/intake`}>
        <Choices
          name="intake_state"
          legend="The program is"
          chosen={[program.intake_state]}
          choices={Object.entries(intakeLabels).map(([value, text]) => ({
            value,
            text: text.toLowerCase(),
            hint: meanings[value as keyof typeof meanings],
          }))}
        />
        <TextArea
          name="intake_text"
          label="What applicants read in the meantime"
          optional
          rows={3}
          hint="Front ends get it with the questions, and with each submission that is refused."
          value={program.intake_text ?? ''}
        />
        <p class="soft">It takes effect immediately. Clients that pull notice nothing.</p>
        <Submit text="Save" />
      </ActionForm>
    </section>
  )
}

/** `page` is that of the settings. */
export const intakeAction = ({ consoleDb: db }: Deps, page: NonNullable<GuardedRoute['again']>): Action =>
  action({
    name: 'setProgramIntake',
    route: 'PUT /programs/:slug/intake',
    summary: 'Open, pause, close or archive a program',
    answers: 'What is set now. Exports of its applications continue in every state.',
    answered: programIntake,
    ...writes('programs'),
    editsPrograms: true,
    body: Type.Object(
      {
        intake_state: programIntake.properties.intake_state,
        intake_text: nullableText('What front ends say to applicants in the meantime; null for nothing.'),
      },
      closed,
    ),
    run: async (visit, body) => {
      const { slug } = await findVisibleProgram(db, visit.person, visit.params.slug!)
      await setProgramIntake(db, slug, { ...visit.by, ...body })
      const { intake_state, intake_text } = await findVisibleProgram(db, visit.person, slug)
      return { intake_state, intake_text }
    },
    form: {
      page,
      read: ({ form }) => {
        const state = Object.keys(meanings).find(one => one === form.get('intake_state'))
        if (state === undefined)
          throw invalidRequest('Its state is missing.', [
            { parameter: 'intake_state', code: 'required', detail: 'Choose whether it takes applications.' },
          ])
        return { intake_state: state as keyof typeof meanings, intake_text: form.get('intake_text') }
      },
      next: ({ params }) => `/admin/programs/${params.slug}/settings?done=intake`,
    },
  })
