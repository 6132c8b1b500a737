// Before a draft is published or discarded: what changes, for whom, and what goes.

/** @jsxImportSource preact */

import type { ProblemItem } from '../../../base/problem.ts'
import type { Move } from '../../../core/programs/move-questions.ts'
import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import type { Publication } from '../../../db/programs/publication-rows.ts'
import { exportEffects } from '../../../domain/comparison/export-effects.ts'
import { counted, figures, LinkButton, NotDone, Notice, When, Who, Words } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit } from '../../html/fields.tsx'
import { ProgramChoices } from '../../html/lists.tsx'
import { Comparison } from './comparison-view.tsx'
import { type EditRefusal, PlacedErrors, RefusalNotice } from './edit-refusals.tsx'
import type { ProgramInView } from './program-in-view.ts'
import { ProgramShell, pathOfProgram } from './program-shell.tsx'

interface PublishProps {
  view: ProgramInView
  moves: readonly Move[]
  /** Why the draft cannot be published as it is, if so. */
  hindrance: Hindrance | undefined
}

export interface Hindrance {
  name: string
  title: string
  errors: readonly Pick<ProblemItem, 'code' | 'detail' | 'path'>[]
  /** Whether saving the draft again, as it is, over what came in the meantime would let it be published. */
  keep?: boolean
}

export function PublishPage(props: PublishProps) {
  const { view, moves, hindrance } = props
  const { program, active, changes } = view
  const draft = view.draft!
  const path = pathOfProgram(program.slug)
  const effects = exportEffects(changes)
  const sharedWith = programsAsking(moves)
  return (
    <ProgramShell program={program} tab="questions" title="Review and publish" changes={changes.length}>
      <ErrorSummary title="Not published yet" />
      {hindrance !== undefined && <HindranceNotice {...props} hindrance={hindrance} />}
      <div class="columns">
        <div class="stack">
          <section class="card">
            <h2>
              {active === undefined
                ? `The first version: ${counted(draft.questions.length, 'question')}`
                : `${counted(changes.length, 'change')} against version ${active.version_number}`}
            </h2>
            <p class="soft" dir="auto">
              Saved <When at={draft.created_at} /> by <Who actor={draft.created_by} />.{' '}
              <a href={`${path}/versions/${draft.program_version_id}/preview`}>See it as an applicant</a>
            </p>
            {sharedWith.size > 0 && (
              <p class="soft">
                Questions that other active programs ask, too, change there at the same moment: publishing makes a new
                version of each.
              </p>
            )}
          </section>
          <Comparison before={active} after={draft} sharedWith={sharedWith} />
        </div>
        <div>
          <section class="card">
            <h2>For clients that pull</h2>
            {active === undefined ? (
              <p>Applications can be submitted and pulled from now on.</p>
            ) : effects.length === 0 ? (
              <p>Nothing: applications look as they did.</p>
            ) : (
              <ul>
                {effects.map(({ detail }) => (
                  <li dir="auto">{detail}</li>
                ))}
              </ul>
            )}
            <p class="soft">An export that is under way keeps the questions it began with, on all its pages.</p>
          </section>
          {hindrance === undefined && <PublishForm {...props} />}
        </div>
      </div>
    </ProgramShell>
  )
}

function PublishForm({ view: { program, draft }, moves }: PublishProps) {
  const path = pathOfProgram(program.slug)
  return (
    <section class="card">
      <ActionForm action={`${path}/publish`}>
        <input type="hidden" name="reviewed" value={String(draft!.program_version_id)} />
        {moves.length > 0 && (
          <>
            <Notice name="moves" tone="attention">
              <strong>
                {moves.length === 1 ? 'Another active program asks' : `${moves.length} other active programs ask`} what
                you change.
              </strong>{' '}
              Publishing makes a new version of {moves.length === 1 ? 'it' : 'each'} too. Tick{' '}
              {moves.length === 1 ? 'it' : 'each'} to say that this is meant.
            </Notice>
            <ProgramChoices name="move" legend="Also publish" programs={moves} chosen={[]} />
          </>
        )}
        <p>Applicants are asked this from now on. A published version never changes; going back makes another one.</p>
        <div class="actions">
          <Submit text="Publish" />
          <LinkButton href={`${path}/questions`} text="Cancel" />
        </div>
      </ActionForm>
    </section>
  )
}

/** How far a publication in the background is, and how it ended. */
export function PublicationPage({ program, publication }: { program: ProgramOverview; publication: Publication }) {
  const { programs, programs_done, program_version_id, asked_at, asked_by, ended_at, refusal } = publication
  const path = pathOfProgram(program.slug)
  return (
    <ProgramShell program={program} tab="questions" title="Publishing" scripts={['/assets/progress.js']}>
      <div id="progress" class="stack" data-under-way={ended_at === null ? 'yes' : 'no'}>
        <section class="card">
          {ended_at === null ? (
            <>
              <h2>
                {figures(programs_done)} of {counted(programs, 'other program')} ready
              </h2>
              <progress aria-label="Other programs ready" max={programs} value={programs_done} />
              <p>All of them are published at the same moment, when the last is ready. You can leave this page.</p>
              <p>
                <a href={`${path}/publications/${publication.publication_id}`}>Reload</a>
              </p>
            </>
          ) : refusal === null ? (
            <>
              <h2>Published, with {counted(programs, 'other program')}</h2>
              <p>
                <a href={`${path}/versions/${program_version_id}`}>See what changed</a>
              </p>
            </>
          ) : (
            <NotDone name="not-published">
              <h2>Nothing was published</h2>
              <p dir="auto">
                <Words>{refusal.detail}</Words>
              </p>
              <PlacedErrors errors={refusal.errors} />
              <p>
                <a href={`${path}/publish`}>Review the draft again</a>
              </p>
            </NotDone>
          )}
          <p class="soft" dir="auto">
            Started <When at={asked_at} /> by <Who actor={asked_by} />
          </p>
        </section>
      </div>
    </ProgramShell>
  )
}

/** The other programs that ask a question which changes, by its admin name. */
function programsAsking(moves: readonly Move[]): Map<string, string[]> {
  const names = new Map<string, string[]>()
  for (const { display_name, changes } of moves)
    for (const subject of new Set(changes.map(({ subject }) => subject)))
      names.set(subject, [...(names.get(subject) ?? []), display_name])
  return names
}

function HindranceNotice({ view, hindrance }: PublishProps & { hindrance: Hindrance }) {
  const { name, title, errors, keep } = hindrance
  return (
    <Notice name={name} tone="bad">
      <h2>{title}</h2>
      <PlacedErrors errors={errors} />
      {keep && (
        <ActionForm action={`${pathOfProgram(view.program.slug)}/keep`}>
          <p>
            If the draft is to stay as it is, it is saved again over what came in the meantime. What that does is then
            among its changes here, before anything is published.
          </p>
          <input type="hidden" name="active" value={String(view.active?.program_version_id ?? '')} />
          <input type="hidden" name="draft" value={String(view.draft?.program_version_id ?? '')} />
          <Submit look="plain" text="Keep the draft as it is" />
        </ActionForm>
      )}
    </Notice>
  )
}

export function DiscardPage({ view, refused }: { view: ProgramInView; refused: EditRefusal | undefined }) {
  const draft = view.draft!
  const path = pathOfProgram(view.program.slug)
  const added = view.changes.filter(({ code }) => code === 'question_added')
  return (
    <ProgramShell program={view.program} tab="questions" title="Discard the draft" changes={view.changes.length}>
      {refused !== undefined && <RefusalNotice {...refused} />}
      <section class="card">
        <h2>What is discarded</h2>
        <p dir="auto">
          The draft, saved <When at={draft.created_at} /> by <Who actor={draft.created_by} />:{' '}
          {counted(view.changes.length, 'change')}. It cannot be brought back.
          {added.length > 0 && ' Questions that only this draft asks leave the question bank with it.'}
          {view.active === undefined && ' Nothing of this program is published, so nothing is left but its name.'}
        </p>
        <p>
          <a href={`${path}/versions/${draft.program_version_id}/document`}>Download it first</a>
        </p>
        <ActionForm action={`${path}/discard`}>
          <input type="hidden" name="reviewed" value={String(draft.program_version_id)} />
          <div class="actions">
            <Submit look="danger" text="Discard the draft" />
            <LinkButton href={`${path}/questions`} text="Cancel" />
          </div>
        </ActionForm>
      </section>
      <Comparison before={view.active} after={draft} />
    </ProgramShell>
  )
}
