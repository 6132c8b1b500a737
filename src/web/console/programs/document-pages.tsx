// The page to edit a draft as a JSON document, with errors by line and a comparison when someone else changed it.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import { LinkButton, NotDone, Words } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, SelectField, Submit, TextArea, TextField } from '../../html/fields.tsx'
import { archivedLast, intakeSuffix, type NamedProgram } from '../../html/lists.tsx'
import type { FormState } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { type ProgramInView, versionName } from './program-in-view.ts'
import { Changes, MadeBy, ProgramShell, pathOfProgram } from './program-shell.tsx'
import type { PlacedError } from './read-document-field.ts'

/** An edit that conflicts with what someone else saved or published. */
export interface Conflict {
  /** How the text differs from the stored version; undefined if the text has errors. */
  differences: readonly VersionChange[] | undefined
  stored: string
}

interface DocumentProps {
  view: ProgramInView
  text: string
  errors?: readonly PlacedError[]
  conflict?: Conflict
}

export function DocumentPage({ view, text, errors = [], conflict }: DocumentProps) {
  const { current, program } = view
  const path = pathOfProgram(program.slug)
  const download = `${path}/versions/${current.program_version_id}/document`
  return (
    <ProgramShell
      program={program}
      tab="questions"
      title="JSON document"
      changes={view.draft === undefined ? undefined : view.changes.length}
      actions={
        <LinkButton
          href={download}
          download={`${program.slug}-${current.program_version_id}.json`}
          icon="download"
          text="Download"
        />
      }
    >
      <ValidationErrors errors={errors} />
      {conflict !== undefined && <ConflictNotice view={view} conflict={conflict} />}
      <div class="card">
        <ActionForm action={`${path}/document`} files>
          <DocumentField text={text} errors={errors} />
          <div class="actions">
            {conflict === undefined ? (
              <Submit text="Save to draft" />
            ) : (
              <>
                <Submit text="Save this document" />
                <Submit
                  look="danger"
                  name="over"
                  value={`${view.active?.program_version_id ?? ''}-${view.draft?.program_version_id ?? ''}`}
                  text="Overwrite stored version"
                />
              </>
            )}
            <LinkButton href={`${path}/questions`} text="Cancel" />
          </div>
        </ActionForm>
      </div>
      {conflict !== undefined && (
        <details class="card">
          <summary>Currently stored document</summary>
          <pre>
            <code>{conflict.stored}</code>
          </pre>
        </details>
      )}
    </ProgramShell>
  )
}

function ConflictNotice({ view, conflict }: { view: ProgramInView; conflict: Conflict }) {
  const { current, draft } = view
  return (
    <NotDone name="changed-since">
      <h2>Someone else changed this program, so nothing was saved</h2>
      <p dir="auto">
        {draft === undefined ? `${versionName(current)} was published ` : 'The draft was saved '}
        <MadeBy at={current.published_at ?? current.created_at} by={current.published_by ?? current.created_by} />. Your
        text is below, followed by the stored document. To keep both, copy your changes into the stored document and
        keep its <code>based_on</code>.
      </p>
      {conflict.differences !== undefined && (
        <>
          <p>
            <strong>How your document differs from the stored one:</strong>
          </p>
          <Changes changes={conflict.differences} most={100} />
        </>
      )}
    </NotDone>
  )
}

/** Maximum number of errors listed; the rest are counted. */
const errorsMax = 200

function ValidationErrors({ errors, children }: { errors: readonly PlacedError[]; children?: ComponentChildren }) {
  if (errors.length === 0) return null
  return (
    <section class="notice bad" role="alert" aria-labelledby="errors" tabIndex={-1} autofocus>
      <h2 id="errors">{errors.length === 1 ? 'Fix 1 error' : `Fix ${errors.length} errors`} before you save</h2>
      <ol class="errors">
        {errors.slice(0, errorsMax).map(({ line, column, path, code, detail }) => (
          <li data-code={code}>
            <a href="#document">
              Line {line}, column {column}
            </a>
            : <Words>{detail}</Words> {path !== '' && <code>{path}</code>}
          </li>
        ))}
      </ol>
      {errors.length > errorsMax && <p>and {errors.length - errorsMax} more.</p>}
      {children}
    </section>
  )
}

function DocumentField({ text, errors }: { text: string; errors: readonly PlacedError[] }) {
  const lines = text.split('\n')
  const shown = [...new Set(errors.map(({ line }) => line))].slice(0, 20)
  const form: FormState = {
    values: new URLSearchParams(),
    errors: errors.slice(0, 1).map(({ line, column, detail }) => ({
      parameter: 'document',
      code: 'document',
      detail: `Line ${line}, column ${column}: ${detail}`,
    })),
  }
  return (
    <>
      {shown.length > 0 && (
        <div class="excerpts" aria-hidden="true">
          {shown.map(line => (
            <pre>
              <code>
                <b>{line}</b> {lines[line - 1]?.slice(0, 300)}
              </code>
            </pre>
          ))}
        </div>
      )}
      <div class="field">
        <label for="file">
          From a file<span class="soft"> optional</span>
        </label>
        <p class="hint" id="file-hint">
          A document downloaded from this or another installation. It replaces the text below.
        </p>
        <input id="file" type="file" name="document" accept=".json,application/json" aria-describedby="file-hint" />
      </div>
      <TextArea
        form={form}
        name="document"
        label="Document"
        rows={Math.min(Math.max(lines.length + 1, 16), 48)}
        mono
        value={text}
        hint="The whole program: questions, screens, statuses and name. Keep based_on: it prevents overwriting someone else’s changes."
      />
    </>
  )
}

export interface RefusedDocument {
  text?: string | undefined
  errors: readonly PlacedError[]
  /** The existing program with the same slug. */
  taken?: string | undefined
}

export function NewProgramPage(props: { programs: readonly NamedProgram[] } & RefusedDocument) {
  const { programs, text, errors, taken } = props
  const path = '/admin/new-program'
  return (
    <Shell
      title="New program"
      part="programs"
      crumbs={[{ text: 'Programs', path: '/admin/programs' }, { text: 'New program' }]}
      lead="The program starts as a draft. Connected systems can’t see it until you publish it."
      actions={<LinkButton href="/admin/import-program" text="Import a file" />}
    >
      <ValidationErrors errors={errors}>
        {taken !== undefined && (
          <p>
            To replace the existing program, open{' '}
            <a href={`${pathOfProgram(taken)}/document`}>the document of {taken}</a> and import this document there.
          </p>
        )}
      </ValidationErrors>
      <ErrorSummary />
      <section class="card narrow">
        <ActionForm action={path}>
          <TextField
            name="display_name"
            label="Name"
            hint="Shown to applicants, such as Housing Aid."
            maxLength={200}
          />
          <TextField
            name="slug"
            label="Slug"
            optional
            hint="Identifies the program to connected systems and can’t be changed later. Leave empty to derive it from the name, such as housing-aid."
            maxLength={100}
          />
          <SelectField
            name="copy_of"
            label="Start from"
            value=""
            choices={[
              { value: '', text: 'Empty screen' },
              ...archivedLast(programs).map(program => ({
                value: program.slug,
                text: `Copy of ${program.display_name} (${program.slug}${intakeSuffix(program)})`,
              })),
            ]}
          />
          <Submit text="Create draft" />
        </ActionForm>
      </section>
      <details class="card" open={text !== undefined}>
        <summary>From a document</summary>
        <ActionForm action={path} files>
          <DocumentField text={text ?? ''} errors={errors} />
          <Submit text="Create draft" unseen=" from the document" />
        </ActionForm>
      </details>
    </Shell>
  )
}
