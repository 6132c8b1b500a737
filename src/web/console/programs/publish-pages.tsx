// Pages to review a draft before publishing or discarding it, and the progress of a publication.

/** @jsxImportSource preact */

import type { ProblemItem } from '../../../base/problem.ts'
import type { Move } from '../../../core/programs/move-questions.ts'
import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import type { Publication } from '../../../db/programs/publication-rows.ts'
import { exportEffects } from '../../../domain/comparison/export-effects.ts'
import { deadEnds, type Remark, unusualParts } from '../../../domain/comparison/unusual-parts.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { counted, figures, LinkButton, NotDone, Notice, When, Who, Words } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit } from '../../html/fields.tsx'
import { ProgramChoices } from '../../html/lists.tsx'
import { Comparison } from './comparison-view.tsx'
import { type EditRefusal, PlacedErrors, RefusalNotice } from './edit-refusals.tsx'
import type { ProgramInView } from './program-in-view.ts'
import { editPath, ProgramShell, pathOfProgram, previewPath } from './program-shell.tsx'

interface PublishProps {
  view: ProgramInView
  moves: readonly Move[]
  /** Why the draft can't be published, if it can't. */
  hindrance: Hindrance | undefined
}

export interface Hindrance {
  name: string
  title: string
  errors: readonly Pick<ProblemItem, 'code' | 'detail' | 'path'>[]
  /** Whether saving the unchanged draft again over newer changes would let it be published. */
  keep?: boolean
}

export function PublishPage(props: PublishProps) {
  const { view, moves, hindrance } = props
  const { program, active, changes } = view
  const draft = view.draft!
  const effects = exportEffects(changes)
  const sharedWith = programsAsking(moves)
  const remarks = unusualParts(describeVersion(draft))
  return (
    <ProgramShell program={program} tab="questions" title="Review and publish" changes={changes.length}>
      <ErrorSummary title="Not published yet" />
      {hindrance !== undefined && <HindranceNotice {...props} hindrance={hindrance} />}
      <div class="columns">
        <div class="stack">
          <section class="card">
            <h2>
              {active === undefined
                ? `First version: ${counted(draft.questions.length, 'question')}`
                : `${counted(changes.length, 'change')} since version ${active.version_number}`}
            </h2>
            <p class="soft" dir="auto">
              Saved <When at={draft.created_at} /> by <Who actor={draft.created_by} />.{' '}
              <a href={previewPath(program.slug, draft)}>Preview as applicant</a>
            </p>
            {sharedWith.size > 0 && (
              <p class="soft">
                Some of these questions are also used by other active programs. Publishing creates a new version of each
                of those programs at the same time.
              </p>
            )}
          </section>
          <Unusual slug={program.slug} remarks={remarks} />
          <Comparison before={active} after={draft} sharedWith={sharedWith} />
        </div>
        <div>
          <section class="card">
            <h2>Effect on connected systems</h2>
            {active === undefined ? (
              <p>Applications can be submitted and exported after you publish.</p>
            ) : effects.length === 0 ? (
              <p>None. The format of applications doesn’t change.</p>
            ) : (
              <ul>
                {effects.map(({ code, key, detail }) => (
                  <li dir="auto" data-code={code} data-key={key}>
                    {detail}
                  </li>
                ))}
              </ul>
            )}
            <p class="soft">Exports in progress keep the questions they started with.</p>
          </section>
          {hindrance === undefined && <PublishForm {...props} remarks={remarks} />}
        </div>
      </div>
    </ProgramShell>
  )
}

const remarksMax = 20

/** What is missing or unusual, each with a link to its place in the editor. */
function Unusual({ slug, remarks }: { slug: string; remarks: readonly Remark[] }) {
  if (remarks.length === 0) return null
  return (
    <section class="card">
      <h2>Before you publish</h2>
      <ul>
        {remarks.slice(0, remarksMax).map(({ code, text, at }) => (
          <li dir="auto" data-remark={code}>
            <a href={editPath(slug, at)}>{text}</a>
          </li>
        ))}
        {remarks.length > remarksMax && <li>and {figures(remarks.length - remarksMax)} more</li>}
      </ul>
    </section>
  )
}

function PublishForm({ view, moves, remarks }: PublishProps & { remarks: readonly Remark[] }) {
  const { program, draft } = view
  const path = pathOfProgram(program.slug)
  const deadEnd = remarks.find(({ code }) => deadEnds.includes(code))
  return (
    <section class="card">
      {deadEnd !== undefined && (
        <Notice name={deadEnd.code} tone="bad">
          <strong>{deadEnd.text}.</strong> Add a question before you publish, unless a front end submits applications
          without answers.
        </Notice>
      )}
      <ActionForm action={`${path}/publish`}>
        <input type="hidden" name="reviewed" value={String(draft!.program_version_id)} />
        {moves.length > 0 && (
          <>
            <Notice name="moves" tone="attention">
              <strong>
                {moves.length === 1
                  ? '1 other active program uses'
                  : `${figures(moves.length)} other active programs use`}{' '}
                questions you changed.
              </strong>{' '}
              Publishing also creates a new version of {moves.length === 1 ? 'it' : 'each of them'}. Select{' '}
              {moves.length === 1 ? 'it' : 'them all'} to confirm.
            </Notice>
            <ProgramChoices name="move" legend="Also publish" programs={moves} chosen={[]} />
          </>
        )}
        <p>
          Applicants see this version immediately. You can’t change a published version, but you can restore an earlier
          one.
        </p>
        <div class="actions">
          <Submit text="Publish" />
          <LinkButton href={`${path}/questions`} text="Cancel" />
        </div>
      </ActionForm>
    </section>
  )
}

/** The progress and outcome of a publication in the background. */
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
              <p>All programs are published together when the last one is ready. You can leave this page.</p>
              <p>
                <a href={`${path}/publications/${publication.publication_id}`}>Reload</a>
              </p>
            </>
          ) : refusal === null ? (
            <>
              <h2>Published together with {counted(programs, 'other program')}</h2>
              <p>
                <a href={`${path}/versions/${program_version_id}?done=published`}>View changes and next steps</a>
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
                <a href={`${path}/publish`}>Review draft</a>
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

/** The other programs that use a changed question, by its admin name. */
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
            To keep your draft, save it again over the newer changes. You can review the result here before anything is
            published.
          </p>
          <input type="hidden" name="active" value={String(view.active?.program_version_id ?? '')} />
          <input type="hidden" name="draft" value={String(view.draft?.program_version_id ?? '')} />
          <Submit look="plain" text="Keep my draft" />
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
    <ProgramShell program={view.program} tab="questions" title="Discard draft" changes={view.changes.length}>
      {refused !== undefined && <RefusalNotice {...refused} />}
      <section class="card">
        <h2>Draft to discard</h2>
        <p dir="auto">
          Saved <When at={draft.created_at} /> by <Who actor={draft.created_by} />, with{' '}
          {counted(view.changes.length, 'change')}. You can’t undo this.
          {added.length > 0 && ' Questions used only in this draft are removed from the question bank.'}
          {view.active === undefined && ' This program has never been published, so only its name remains.'}
        </p>
        <p>
          <a href={`${path}/versions/${draft.program_version_id}/document`}>Download draft</a>
        </p>
        <ActionForm action={`${path}/discard`}>
          <input type="hidden" name="reviewed" value={String(draft.program_version_id)} />
          <div class="actions">
            <Submit look="danger" text="Discard draft" />
            <LinkButton href={`${path}/questions`} text="Cancel" />
          </div>
        </ActionForm>
      </section>
      <Comparison before={view.active} after={draft} />
    </ProgramShell>
  )
}
