// Pages about a program's versions: who published them, when, and what each changed.

/** @jsxImportSource preact */

import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { Badge, counted, DoneNotice, LinkButton, Notice, Who } from '../../html/components.tsx'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { Pages } from '../../html/lists.tsx'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { Comparison } from './comparison-view.tsx'
import { type EditRefusal, RefusalNotice } from './edit-refusals.tsx'
import { type HistoryEntry, type VersionFacts, versionName } from './program-in-view.ts'
import {
  Changes,
  editPath,
  MadeBy,
  type ProgramPageProps,
  ProgramShell,
  pathOfProgram,
  previewPath,
} from './program-shell.tsx'

export function VersionsPage(props: ProgramPageProps & { items: readonly HistoryEntry[]; next: number | null }) {
  const { program, items: history } = props
  const path = `${pathOfProgram(program.slug)}/versions`
  return (
    <ProgramShell program={program} tab="versions">
      {program.published_versions > 1 && (
        <p>
          <LinkButton href={`${path}/compare`} text="Compare two versions" />
        </p>
      )}
      {history.length === 0 && <div class="card empty">No versions yet. Create a draft and publish it.</div>}
      {history.map(({ version, changes, more_changes }) => (
        <section class="card">
          <h2>
            <a class="strong" href={`${path}/${version.program_version_id}`}>
              {versionName(version)}
            </a>{' '}
            {version.state === 'ACTIVE' && <Badge tone="good">active</Badge>}
          </h2>
          <Published version={version} />
          <Changes changes={changes} most={6} more={more_changes} />
        </section>
      ))}
      <Pages path={`/admin/programs/${program.slug}/versions`} next={props.next} what="versions" />
    </ProgramShell>
  )
}

function Published({ version }: { version: VersionFacts }) {
  return (
    <p class="soft" dir="auto">
      {version.published_at === null ? 'Saved' : 'Published'}{' '}
      <MadeBy at={version.published_at ?? version.created_at} by={version.published_by ?? version.created_by} /> ·{' '}
      <code>program_version_id</code> {version.program_version_id}
    </p>
  )
}

const doneTexts = { published: 'Published. Applicants see this version now.' }

export function VersionPage(
  props: ProgramPageProps & {
    version: StoredProgramVersion
    previous: StoredProgramVersion | undefined
    refused: EditRefusal | undefined
  },
) {
  const { program, version, previous, refused } = props
  const path = `${pathOfProgram(program.slug)}/versions/${version.program_version_id}`
  const context = usePage()
  const mayEdit = mayEditPrograms(context)
  const mayTake = mayEdit && version.state === 'OBSOLETE'
  const isJustPublished = mayEdit && version.state === 'ACTIVE' && context.query.get('done') === 'published'
  return (
    <ProgramShell
      program={program}
      tab="versions"
      title={versionName(version)}
      actions={
        <>
          <LinkButton href={previewPath(program.slug, version)} text="Preview" />
          <LinkButton
            href={`${path}/document`}
            download={`${program.slug}-${version.program_version_id}.json`}
            icon="download"
            text="Download"
            unseen=" as a document"
          />
        </>
      }
    >
      {refused !== undefined && <RefusalNotice {...refused} />}
      <DoneNotice texts={doneTexts} />
      {isJustPublished && <NextSteps slug={program.slug} />}
      <section class="card">
        <h2>{counted(version.questions.length, 'question')}</h2>
        <Published version={version} />
        {mayTake && <TakeForm program={program} path={path} />}
      </section>
      <h2>{previous === undefined ? 'First version' : `Changes since version ${previous.version_number}`}</h2>
      <Comparison before={previous} after={version} />
    </ProgramShell>
  )
}

/** The next steps for a published program. */
function NextSteps({ slug }: { slug: string }) {
  const path = pathOfProgram(slug)
  return (
    <section class="card" id="next-steps">
      <h2>Next steps</h2>
      <ul class="steps">
        <li>
          <a href={`/admin/keys/new?programs=${slug}`}>Create an API key</a> for the program.
        </li>
        <li>
          <a href={`/docs/api/programs/${slug}`}>Open the docs</a> and send their address to integrators.
        </li>
        <li>
          <a href={editPath(slug, { of: 'program' })}>Set the statuses</a> that administrators and program
          administrators choose from.
        </li>
        <li>
          <a href={`${path}/retention`}>Choose how long</a> applications are kept.
        </li>
      </ul>
    </section>
  )
}

/** The form to turn an earlier version into the draft. */
function TakeForm({ program, path }: ProgramPageProps & { path: string }) {
  return (
    <ActionForm action={`${path}/take`}>
      <h2>Restore this version</h2>
      {program.draft_version_id === null ? (
        <p>Creates a draft from this version. Nothing changes for applicants until you publish it.</p>
      ) : (
        <Notice name="draft-lost" tone="attention">
          This replaces the draft by{' '}
          <bdi>
            <Who actor={program.draft_created_by} />
          </bdi>
          . <strong>Its changes will be lost.</strong>
        </Notice>
      )}
      <input type="hidden" name="based_on" value={String(program.draft_version_id ?? program.active_version_id)} />
      <Submit look={program.draft_version_id === null ? 'plain' : 'danger'} text="Create draft from version" />
    </ActionForm>
  )
}
