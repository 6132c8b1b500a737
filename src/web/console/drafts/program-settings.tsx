// The settings of a program that aren't part of its versions: whether it accepts applications, and how long they are kept.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest } from '../../../base/problem.ts'
import { setProgramIntake } from '../../../core/intake/close-intake.ts'
import { programIntake } from '../../../db/programs/program-intake.ts'
import { findProgramRetention, type ProgramRetention } from '../../../db/programs/program-overviews.ts'
import { counted, DoneNotice, LinkButton } from '../../html/components.tsx'
import { ActionForm, Choices, ErrorSummary, Submit, TextArea } from '../../html/fields.tsx'
import { intakeLabels } from '../../html/lists.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { findVisibleProgram } from '../programs/program-in-view.ts'
import { editPath, type ProgramPageProps, ProgramShell, pathOfProgram } from '../programs/program-shell.tsx'
import { type Action, action, editing, type GuardedRoute, type Part, writes } from '../requests/action.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { closed, nullableText } from '../requests/schemas.ts'

const meanings: Readonly<Record<keyof typeof intakeLabels, string>> = {
  OPEN: 'Applicants can submit, and connected systems can export.',
  PAUSED: 'Temporarily closed. Submissions are rejected with “try again later”, and saved answers are kept.',
  CLOSED: 'Submissions are rejected until you reopen the program.',
  ARCHIVED: 'Closed and hidden from the list of programs. Its applications can still be viewed and exported.',
}

const doneTexts = { intake: 'Saved. The change takes effect immediately.' }

function SettingsPage({ program, retention_days }: ProgramPageProps & ProgramRetention) {
  const path = pathOfProgram(program.slug)
  return (
    <ProgramShell program={program} tab="settings">
      <DoneNotice texts={doneTexts} />
      <ErrorSummary />
      <IntakeForm program={program} />
      <section class="card narrow">
        <h2>Name, languages and statuses</h2>
        <p>These are part of each version and change when you publish a draft.</p>
        <LinkButton href={editPath(program.slug, { of: 'program' })} text="Edit name and statuses" />
      </section>
      <section class="card narrow">
        <h2>Retention</h2>
        <p>
          Applications are kept{' '}
          {retention_days === null ? 'permanently' : `for ${counted(retention_days, 'day')} after submission`}.
        </p>
        <LinkButton href={`${path}/retention`} text="Change retention" />
      </section>
    </ProgramShell>
  )
}

function IntakeForm({ program }: ProgramPageProps) {
  return (
    <section class="card narrow">
      <h2>Submissions</h2>
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
          label="Message for applicants"
          optional
          rows={3}
          hint="Shown while the program isn’t open. Front ends receive it with the questions and with each rejected submission."
          value={program.intake_text ?? ''}
        />
        <p class="soft">Takes effect immediately. Exports aren’t affected.</p>
        <Submit text="Save" />
      </ActionForm>
    </section>
  )
}

export function programSettings(deps: Deps): Part {
  const page = async ({ person, params }: PageRequest) => {
    const program = await findVisibleProgram(deps.consoleDb, person, params.slug!)
    return <SettingsPage program={program} {...(await findProgramRetention(deps.consoleDb, program.slug))!} />
  }
  return [editing({ method: 'GET', path: '/admin/programs/:slug/settings', answer: page }), intakeAction(deps, page)]
}

const intakeAction = ({ consoleDb: db }: Deps, page: NonNullable<GuardedRoute['again']>): Action =>
  action({
    name: 'setProgramIntake',
    route: 'PUT /programs/:slug/intake',
    summary: 'Open, pause, close or archive a program',
    answers: 'The updated state and message. Exports continue in every state.',
    answered: programIntake,
    ...writes('programs'),
    editsPrograms: true,
    body: Type.Object(
      {
        intake_state: programIntake.properties.intake_state,
        intake_text: nullableText(
          'Message that front ends show applicants while the program is not open, or null for none.',
        ),
      },
      closed,
    ),
    run: async (request, body) => {
      const { slug } = await findVisibleProgram(db, request.person, request.params.slug!)
      await setProgramIntake(db, slug, { ...request.by, ...body })
      const { intake_state, intake_text } = await findVisibleProgram(db, request.person, slug)
      return { intake_state, intake_text }
    },
    form: {
      page,
      read: ({ form }) => {
        const state = Object.keys(meanings).find(key => key === form.get('intake_state'))
        if (state === undefined)
          throw invalidRequest('The state is missing.', [
            { parameter: 'intake_state', code: 'required', detail: 'Choose whether the program accepts applications.' },
          ])
        return { intake_state: state as keyof typeof meanings, intake_text: form.get('intake_text') }
      },
      next: ({ params }) => `/admin/programs/${params.slug}/settings?done=intake`,
    },
  })
