// The page to import a program: a file, then a preview with the choices that the import needs. It works without scripts.

/** @jsxImportSource preact */

import type { Problem } from '../../../base/problem.ts'
import type { ImportPreview, ImportRequest } from '../../../core/programs/import-file.ts'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import { counted, Facts, LinkButton, NotDone, Notice, Words } from '../../html/components.tsx'
import { ActionForm, Submit, TextField } from '../../html/fields.tsx'
import { Shell } from '../../html/shell.tsx'
import { PlacedErrors } from '../programs/edit-refusals.tsx'
import { Changes } from '../programs/program-shell.tsx'

const path = '/admin/import-program'

/** The names of the fields of one question. */
export const choiceField = (question: string): string => `choice.${question}`
export const nameField = (question: string): string => `name.${question}`
/** For a question without a conflict: another name makes it a copy. */
export const renameField = (question: string): string => `rename.${question}`

interface ImportProps {
  file?: string
  preview?: ImportPreview
  request?: ImportRequest
  /** Whether the import itself was requested and needs more choices. */
  isSent?: boolean
  refusal?: Problem
}

const formLabels = {
  definition: 'Program definition',
  bundle: 'Bundle from another installation',
  civiform: 'CiviForm program',
} as const

export function ImportPage({ file, preview, request, isSent, refusal }: ImportProps) {
  return (
    <Shell
      title="Import a program"
      part="programs"
      crumbs={[{ text: 'Programs', path: '/admin/programs' }, { text: 'Import a program' }]}
      lead="Nothing is stored until you have seen what will be imported."
    >
      {refusal !== undefined && (
        <NotDone name="refused">
          <h2>The file can’t be imported</h2>
          {refusal.errors.length > 0 ? <PlacedErrors errors={refusal.errors} /> : <p>{refusal.detail}</p>}
        </NotDone>
      )}
      {preview === undefined || file === undefined || request === undefined ? (
        <FileForm />
      ) : (
        <PreviewForm file={file} preview={preview} request={request} isSent={isSent} />
      )}
    </Shell>
  )
}

const FileForm = () => (
  <section class="card narrow">
    <ActionForm action={path} files>
      <div class="field">
        <label for="file">File</label>
        <p class="hint" id="file-hint">
          A program definition, a bundle from <code>scripts/program export</code>, or the program file that CiviForm
          downloads. At most 2 MB.
        </p>
        <input id="file" type="file" name="file" accept=".json,application/json" aria-describedby="file-hint" />
      </div>
      <div class="actions">
        <Submit text="Preview the import" />
        <LinkButton href="/admin/programs" text="Cancel" />
      </div>
    </ActionForm>
  </section>
)

interface PreviewProps {
  file: string
  preview: ImportPreview
  request: ImportRequest
  isSent?: boolean | undefined
}

function PreviewForm(props: PreviewProps) {
  const { file, preview, isSent } = props
  const { questions, errors, with_history } = preview
  const clashes = questions.filter(({ relation }) => relation === 'clash')
  return (
    <ActionForm action={path} files>
      <input type="hidden" name="file" value={file} />
      {isSent && <OpenChoices {...props} />}
      {errors.length > 0 && (
        <NotDone name="errors">
          <h2>The program has errors with these choices</h2>
          <PlacedErrors errors={errors} />
        </NotDone>
      )}
      <Overview {...props} clashes={clashes.length} />
      <Losses losses={preview.losses} />
      {clashes.map(question => (
        <Clash question={question} affected={preview.affected[question.admin_name] ?? []} />
      ))}
      <WithoutClash {...props} questions={questions.filter(question => !clashes.includes(question))} />
      <div class="actions">
        <Submit name="import" value="yes" text={with_history ? 'Import the program' : 'Import as a draft'} />
        <Submit look="plain" text="Check these choices" />
        <LinkButton href={path} text="Choose another file" />
      </div>
    </ActionForm>
  )
}

function OpenChoices({ preview, request }: PreviewProps) {
  const { open, faults, slug } = preview
  const needsUpdate = preview.exists && request.update !== true
  if (open.length + faults.length === 0 && !needsUpdate) return null
  return (
    <NotDone name="choices">
      <h2>More choices needed</h2>
      <ul>
        {needsUpdate && <li data-code="program_exists">Choose another slug, or replace the draft of {slug}.</li>}
        {open.map(name => (
          <li data-code="choice_required">
            <a href={`#${choiceField(name)}`}>{name}</a>
          </li>
        ))}
        {faults.map(({ question, code, detail }) => (
          <li data-code={code}>
            {question}: {detail}
          </li>
        ))}
      </ul>
    </NotDone>
  )
}

function Overview({ preview, request, clashes }: PreviewProps & { clashes: number }) {
  const { display_name, form, screens, questions, languages, with_history, slug, exists } = preview
  return (
    <section class="card">
      <h2 dir="auto">{display_name}</h2>
      <Facts
        facts={[
          ['File', formLabels[form]],
          ['Screens', String(screens)],
          ['Questions', `${counted(questions.length, 'question')}, ${counted(clashes, 'conflict')}`],
          ['Languages', languages.map(languageName).join(', ')],
          [
            'Result',
            with_history ? 'All its published versions, with their IDs' : 'A draft for you to review and publish',
          ],
        ]}
      />
      {!with_history && (
        <TextField
          name="slug"
          label="Slug"
          value={request.slug ?? slug}
          hint="The program’s name in addresses and exports. It never changes."
          maxLength={100}
        />
      )}
      {exists && !with_history && (
        <label class="choice">
          <input type="checkbox" name="update" value="yes" checked={request.update === true} /> Replace the draft of{' '}
          {slug}, which already exists
        </label>
      )}
    </section>
  )
}

function Losses({ losses }: Pick<ImportPreview, 'losses'>) {
  if (losses.length === 0) return null
  return (
    <Notice name="losses" tone="attention">
      <h2>Not imported, or changed</h2>
      <ul>
        {losses.map(({ code, subject, detail }) => (
          <li data-code={code} dir="auto">
            <strong>{subject}</strong>: <Words>{detail}</Words>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function WithoutClash({ preview, request, questions }: PreviewProps & Pick<ImportPreview, 'questions'>) {
  const chosen = ({ admin_name }: ImportPreview['questions'][number]) => request.questions[admin_name]
  return (
    <details class="card" open={questions.some(question => chosen(question) !== undefined)}>
      <summary>{counted(questions.length, 'question')} without a conflict</summary>
      <ul>
        {questions.map(question => {
          const { admin_name, text, relation } = question
          const choice = chosen(question)
          return (
            <li dir="auto">
              {text} <span class="soft">{relation === 'same' ? 'already in the question bank' : 'new'}</span>
              {!preview.with_history && (
                <TextField
                  name={renameField(admin_name)}
                  label={`Name for ${admin_name}`}
                  value={choice?.do === 'copy' ? choice.name : admin_name}
                  maxLength={200}
                />
              )}
            </li>
          )
        })}
      </ul>
      {!preview.with_history && (
        <p class="hint">To import a question as a copy, change its name. Its question key is derived from the name.</p>
      )}
    </details>
  )
}

const reasons = {
  settings: 'The question bank has this question with different texts or settings.',
  kind: 'The question bank has a question with this name but of a different kind.',
  place:
    'The question bank has a question with this name in a different place: at the top level, or repeated under another question.',
  key: 'Another question has the same question key.',
} as const

function Clash({ question, affected }: { question: ImportPreview['questions'][number]; affected: readonly string[] }) {
  const { admin_name, text, holder, reason, changes, may, copy_name, choice } = question
  const field = choiceField(admin_name)
  const asksToo =
    affected.length === 0 ? 'No other program uses it at the moment.' : `Also changes ${affected.join(', ')}.`
  const labels = {
    reuse: `Use “${holder}” from the question bank unchanged`,
    copy: 'Import it under a different name',
    change: `Replace the shared question with the file’s. ${asksToo}`,
  } as const
  return (
    <fieldset class="card clash" id={field} data-question={admin_name} aria-labelledby={`${field}-title`}>
      <h2 dir="auto" id={`${field}-title`}>
        {text} <code>{admin_name}</code>
      </h2>
      {reason !== null && <p data-reason={reason}>{reasons[reason]}</p>}
      {changes.length > 0 && <Changes changes={changes} most={20} />}
      {may.map(item => (
        <label class="choice">
          <input type="radio" name={field} value={item} checked={choice?.do === item} /> {labels[item]}
        </label>
      ))}
      {may.includes('copy') && (
        <TextField
          name={nameField(admin_name)}
          label="Name of the copy"
          hint="Its question key is derived from this name."
          value={choice?.do === 'copy' ? choice.name : (copy_name ?? '')}
          maxLength={200}
        />
      )}
    </fieldset>
  )
}
