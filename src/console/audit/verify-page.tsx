// The page that finds out whether the audit log is as it was written, and shows the seal to be kept elsewhere.

/** @jsxImportSource preact */

import { type AuditVerdict, checkedEventsMax } from '../../audit/verify-audit.ts'
import { ActionForm, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { counted, figures, Notice } from '../../html/parts.tsx'
import { CopyButton } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { crumb } from './audit-query.ts'

interface VerifyProps {
  /** Where every chain ends now. */
  note: string
  /** Of the database. */
  events: number
  /** Files that have what was pruned. */
  files: readonly string[]
  /** What was found out; undefined before that. */
  verdict: AuditVerdict | undefined
}

export function VerifyPage({ note, events, files, verdict }: VerifyProps) {
  const { form } = usePage()
  return (
    <Shell
      title="Verify the audit log"
      part="audit"
      crumbs={[crumb, { text: 'Verify' }]}
      lead="Each event is a link in one of eight chains of hashes. Here the hashes are computed again, by other code than wrote them: an event that was changed, removed or inserted breaks its chain."
    >
      <ErrorSummary title="This seal cannot be compared" />
      {verdict !== undefined && <Verdict verdict={verdict} compared={(form.values.get('noted') ?? '').trim() !== ''} />}
      <div class="card">
        {events > checkedEventsMax ? (
          <p>
            The database has {figures(events)} events, more than a page can wait for. An operator checks them with{' '}
            <code>scripts/audit verify</code>.
          </p>
        ) : (
          <ActionForm action="/admin/audit/verify">
            <TextField
              name="noted"
              label="Earlier seal"
              hint="A seal you kept also shows whether the end was cut off, or the whole log rewritten."
              optional
            />
            <Submit icon="check" text={`Check ${counted(events, 'event')}`} />
          </ActionForm>
        )}
        {files.length > 0 && (
          <p>
            What is older was moved into {files.length === 1 ? 'a file' : `${figures(files.length)} files`}, which{' '}
            <code>scripts/audit verify --with</code> checks: {files.slice(-10).join(', ')}
            {files.length > 10 && ' and earlier ones'}.
          </p>
        )}
      </div>
      <div class="card">
        <h2>Seal</h2>
        <p>
          Keep it where the administrators of the database cannot change it: printed, or in another system. Given here
          later, or to <code>scripts/audit verify --noted</code>, it shows whether the log is still complete.
        </p>
        <p class="copied">
          <code id="note">{note}</code>
          <CopyButton of="note" />
        </p>
      </div>
    </Shell>
  )
}

function Verdict({ verdict: { events, errors }, compared }: { verdict: AuditVerdict; compared: boolean }) {
  if (errors.length === 0)
    return (
      <Notice tone="good">
        <strong>The audit log is whole:</strong> {figures(events)} {events === 1 ? 'event is' : 'events are'} as
        written.
        {compared && ' What was noted is still there.'}
      </Notice>
    )
  return (
    <Notice tone="bad">
      <strong>The audit log is not as it was written.</strong>
      <ul>
        {errors.map(error => (
          <li>{error}</li>
        ))}
      </ul>
      Note this page and the time, and stop all work on the database until the cause is known.
    </Notice>
  )
}
