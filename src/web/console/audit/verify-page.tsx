// Verifies the audit log against its seals, and shows the latest seal to keep elsewhere.

/** @jsxImportSource preact */

import { type AuditVerdict, checkedEventsMax } from '../../../core/audit/verify-audit.ts'
import { counted, figures, Notice } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { CopyButton } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { crumb } from './audit-query.ts'

interface VerifyProps {
  /** The newest seal; null before the first. */
  seal: string | null
  /** Number of events in the database, and of those without a seal. */
  events: number
  unsealed: number
  /** Files with the pruned events. */
  files: readonly string[]
  /** The result; undefined before the log was verified. */
  verdict: AuditVerdict | undefined
}

export function VerifyPage({ seal, events, unsealed, files, verdict }: VerifyProps) {
  const { form } = usePage()
  return (
    <Shell
      title="Verify the audit log"
      part="audit"
      crumbs={[crumb, { text: 'Verify' }]}
      lead="New events are sealed once a minute. Each seal covers its events and the previous seal. This page recomputes every seal, so it detects any event that was changed, removed or inserted."
    >
      <ErrorSummary title="The seal can’t be read" />
      {verdict !== undefined && <Verdict verdict={verdict} compared={(form.values.get('seal') ?? '').trim() !== ''} />}
      <div class="card">
        {events > checkedEventsMax ? (
          <p>
            The database has {figures(events)} events, too many to verify on a page. Ask an operator to run{' '}
            <code>scripts/audit verify</code>.
          </p>
        ) : (
          <ActionForm action="/admin/audit/verify">
            <TextField
              name="seal"
              label="Earlier seal"
              hint="A seal you kept reveals whether the end of the log was cut off or the log was rewritten."
              optional
            />
            <Submit icon="check" text={`Verify ${counted(events - unsealed, 'sealed event')}`} />
          </ActionForm>
        )}
        {files.length > 0 && (
          <p>
            Older events were moved into {files.length === 1 ? 'a file' : `${figures(files.length)} files`}, which{' '}
            <code>scripts/audit verify --with</code> checks: {files.slice(-10).join(', ')}
            {files.length > 10 && ' and earlier ones'}.
          </p>
        )}
      </div>
      <div class="card">
        <h2>Latest seal</h2>
        {seal === null ? (
          <p>No events are sealed yet. A worker seals them once a minute.</p>
        ) : (
          <>
            <p>
              Keep it where the database’s administrators can’t change it, for example on paper or in another system.
              Enter it here later, or pass it to <code>scripts/audit verify --seal</code>.
            </p>
            <p class="copied">
              <code id="seal">{seal}</code>
              <CopyButton of="seal" />
            </p>
          </>
        )}
        {unsealed > 0 && <p>{counted(unsealed, 'newer event')} not sealed yet.</p>}
      </div>
    </Shell>
  )
}

function Verdict({ verdict: { events, unsealed, errors }, compared }: { verdict: AuditVerdict; compared: boolean }) {
  if (errors.length === 0)
    return (
      <Notice name="intact" tone="good">
        <strong>The audit log is intact:</strong> {counted(events - unsealed, 'event')} verified.
        {unsealed > 0 && ` ${counted(unsealed, 'newer event')} not sealed yet.`}
        {compared && ' It still contains the seal you entered.'}
      </Notice>
    )
  return (
    <Notice name="altered" tone="bad">
      <strong>The audit log has been altered.</strong>
      <ul>
        {errors.map(({ file, detail }) => (
          <li>{file === null ? detail : `${file}: ${detail}`}</li>
        ))}
      </ul>
      Save this page, note the time, and stop all work on the database until you know the cause.
    </Notice>
  )
}
