// The page of a program's translations.

/** @jsxImportSource preact */

import type { Problem } from '../../../base/problem.ts'
import type { TranslationPlan } from '../../../core/programs/translation-file.ts'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { programTexts, untranslatedTexts } from '../../../domain/languages/program-texts.ts'
import { counted, LinkButton, NotDone, Notice, Table } from '../../html/components.tsx'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { PlacedErrors } from '../programs/edit-refusals.tsx'
import type { ProgramInView } from '../programs/program-in-view.ts'
import { ProgramShell, pathOfProgram } from '../programs/program-shell.tsx'

export interface TranslationProps {
  view: ProgramInView
  definition: ProgramDefinition
  /** An uploaded file, and the changes in it. */
  file?: string
  plan?: TranslationPlan
  refusal?: Problem
}

export function TranslationsPage({ view, definition, file, plan, refusal }: TranslationProps) {
  const path = `${pathOfProgram(view.program.slug)}/translations`
  return (
    <ProgramShell
      program={view.program}
      tab="questions"
      title="Translations"
      changes={view.draft === undefined ? undefined : view.changes.length}
      actions={
        <LinkButton href={`${path}/file`} download="translations.csv" icon="download" text="Download for translators" />
      }
    >
      {refusal !== undefined && (
        <NotDone name="refused">
          <h2>The translations weren’t saved</h2>
          {refusal.errors.length > 0 ? <PlacedErrors errors={refusal.errors} /> : <p>{refusal.detail}</p>}
        </NotDone>
      )}
      {plan === undefined || file === undefined ? (
        <>
          <Languages definition={definition} />
          <FileForm path={path} />
        </>
      ) : (
        <Preview path={path} file={file} plan={plan} />
      )}
    </ProgramShell>
  )
}

function Languages({ definition }: Pick<TranslationProps, 'definition'>) {
  const { languages = [] } = definition
  const all = programTexts(definition).length
  if (languages.length === 0) return <p>Add a language in the editor, or import a file with a column for it.</p>
  return (
    <ul class="card">
      {languages.map(tag => {
        const missing = untranslatedTexts(definition, tag).length
        return (
          <li data-language={tag} data-missing={String(missing)}>
            <strong>{languageName(tag)}</strong> (<code>{tag}</code>): {all - missing} of {counted(all, 'text')}{' '}
            translated
          </li>
        )
      })}
    </ul>
  )
}

const FileForm = ({ path }: { path: string }) => (
  <section class="card narrow">
    <ActionForm action={path} files>
      <div class="field">
        <label for="file">Translated file</label>
        <p class="hint" id="file-hint">
          The downloaded CSV file with its translations filled in, saved as UTF-8. Empty cells change nothing.
        </p>
        <input id="file" type="file" name="file" accept=".csv,text/csv" aria-describedby="file-hint" />
      </div>
      <Submit text="Preview the translations" />
    </ActionForm>
  </section>
)

function Preview({ path, file, plan }: { path: string; file: string; plan: TranslationPlan }) {
  const { changes, added, skipped } = plan
  return (
    <ActionForm action={path} files>
      <input type="hidden" name="file" value={file} />
      {added.length > 0 && (
        <Notice name="added" tone="info">
          <p>New languages: {added.map(languageName).join(', ')}.</p>
        </Notice>
      )}
      {skipped.length > 0 && (
        <Notice name="skipped" tone="attention">
          <h2>Rows that will be skipped</h2>
          <p>Their default text has changed since the file was downloaded.</p>
          <ul>
            {skipped.slice(0, 50).map(({ row, context }) => (
              <li data-row={String(row)} dir="auto">
                Row {row}: {context}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Table
        caption="Changed translations"
        rows={changes}
        empty="The file changes nothing."
        columns={[
          { head: 'Text', cell: ({ context }) => context },
          { head: 'Language', cell: ({ language }) => languageName(language) },
          { head: 'Before', cell: ({ was }) => was ?? '' },
          {
            head: 'After',
            cell: ({ text, language }) => (
              <span lang={language} dir="auto">
                {text}
              </span>
            ),
          },
        ]}
      />
      <div class="actions">
        {changes.length > 0 && <Submit name="save" value="yes" text="Save to draft" />}
        <LinkButton href={path} text="Cancel" />
      </div>
    </ActionForm>
  )
}
