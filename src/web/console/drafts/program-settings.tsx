// The settings of a program that are no part of its drafts: whether it takes applications, and how long they are kept.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest } from '../../../base/problem.ts'
import { setProgramIntake } from '../../../core/intake/close-intake.ts'
import { programIntake } from '../../../db/programs/program-intake.ts'
import { findProgramRetention, type ProgramRetention } from '../../../db/programs/program-overviews.ts'
import { DoneNotice, figures, LinkButton } from '../../html/components.tsx'
import { ActionForm, Choices, ErrorSummary, Submit, TextArea } from '../../html/fields.tsx'
import { intakeLabels } from '../../html/lists.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { findVisibleProgram } from '../programs/program-in-view.ts'
import { type ProgramPageProps, ProgramShell, pathOfProgram } from '../programs/program-shell.tsx'
import { type Action, action, editing, type GuardedRoute, type Part, writes } from '../requests/action.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { closed, nullableText } from '../requests/schemas.ts'

const meanings: Readonly<Record<keyof typeof intakeLabels, string>> = {
  OPEN: 'Applicants can submit, and clients can export.',
  PAUSED: 'Temporarily closed. Submissions are rejected with “try again later”, and saved answers are kept.',
  CLOSED: 'Submissions are rejected until you reopen the program.',
  ARCHIVED: 'Closed and hidden from the list of programs. Its applications can still be viewed and exported.',
}

const doneTexts = { intake: 'Saved. It takes effect immediately.' }

function SettingsPage({ program, retention_days }: ProgramPageProps & ProgramRetention) {
  const path = pathOfProgram(program.slug)
  return (
    <ProgramShell program={program} tab="settings">
      <DoneNotice texts={doneTexts} />
      <ErrorSummary />
      <IntakeForm program={program} />
      <section class="card narrow">
        <h2>Name, languages and statuses</h2>
        <p>They are part of each version, and change when a draft is published.</p>
        <LinkButton href={`${path}/edit#program`} text="Edit name and statuses" />
      </section>
      <section class="card narrow">
        <h2>Keeping applications</h2>
        <p>
          Applications are kept{' '}
          {retention_days === null ? 'permanently' : `for ${figures(retention_days)} days after they were submitted`}.
        </p>
        <LinkButton href={`${path}/retention`} text="Change retention" />
      </section>
    </ProgramShell>
  )
}

function IntakeForm({ program }: ProgramPageProps) {
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
    answers: 'What is set now. Exports of its applications continue in every state.',
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
          throw invalidRequest('Its state is missing.', [
            { parameter: 'intake_state', code: 'required', detail: 'Choose whether it takes applications.' },
          ])
        return { intake_state: state as keyof typeof meanings, intake_text: form.get('intake_text') }
      },
      next: ({ params }) => `/admin/programs/${params.slug}/settings?done=intake`,
    },
  })
