// The Test access page: tests a request with a key, and looks up why an earlier request was rejected.

/** @jsxImportSource preact */

import type { Reason } from '../../../core/keys/caller.ts'
import { reasonTexts } from '../../../core/keys/test-access.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import type { Refusal } from '../../../db/keys/refusal-rows.ts'
import { Notice, When } from '../../html/components.tsx'
import { ErrorSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import type { NamedProgram } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { pathOfKey } from './key-labels.tsx'

/** Why the request would be rejected; undefined if it would be accepted. */
export interface Verdict {
  reason: Reason | undefined
}

interface CheckProps {
  keys: readonly ListedApiKey[]
  programs: readonly NamedProgram[]
  verdict: Verdict | undefined
  /** The request ID to look up; empty if none was entered. */
  requestId: string
  refusal: Refusal | undefined
}

export function CheckPage(props: CheckProps) {
  return (
    <Shell
      title="Test access"
      part="keys"
      crumbs={[{ text: 'API keys', path: '/admin/keys' }, { text: 'Test access' }]}
      lead="Clients that are rejected only get a 401. Find out the reason here."
    >
      <ErrorSummary />
      <div class="columns even">
        <Judged {...props} />
        <Refused {...props} />
      </div>
    </Shell>
  )
}

const path = '/admin/keys/check'

function Judged({ verdict, programs, ...props }: CheckProps) {
  // Retired keys come last, because the first key is preselected.
  const keys = props.keys.toSorted((a, b) => Number(a.state === 'retired') - Number(b.state === 'retired'))
  const { values } = usePage().form
  const submits = keys.some(key => key.api_key_id === values.get('key') && key.may_submit && !key.may_export)
  return (
    <div class="card">
      <h2>Test a request</h2>
      <form method="get" action={path}>
        <SelectField
          name="key"
          label="Key"
          choices={keys.map(key => ({ value: key.api_key_id, text: `${key.name} (${key.state})` }))}
        />
        <TextField name="address" label="Client IP address" hint="As the service sees it, such as 192.0.2.17." />
        <SelectField
          name="program"
          label="Program"
          choices={programs.map(({ slug, display_name }) => ({ value: slug, text: display_name }))}
        />
        <Submit text="Test" />
      </form>
      {verdict !== undefined &&
        (verdict.reason === undefined ? (
          <Notice name="passes" tone="good">
            <strong>{submits ? 'The submission' : 'The request'} would be accepted</strong> if sent with the correct
            password over HTTPS.
          </Notice>
        ) : (
          <Notice name={verdict.reason} tone="attention">
            <strong>{submits ? 'The submission' : 'The request'} would be rejected.</strong>{' '}
            {reasonTexts[verdict.reason]}
          </Notice>
        ))}
    </div>
  )
}

function Refused({ requestId, refusal }: CheckProps) {
  return (
    <div class="card">
      <h2>Look up a rejected request</h2>
      <form method="get" action={path}>
        <TextField
          name="request_id"
          label="Request ID"
          hint="From the body of the 401 response or its X-Request-Id header. Kept for 30 days."
        />
        <Submit look="plain" text="Look up" />
      </form>
      {requestId !== '' &&
        (refusal === undefined ? (
          <Notice name="not-on-record" tone="attention">
            No rejected request found. It may be older than 30 days or belong to another installation, or it got a
            response other than 401.
          </Notice>
        ) : (
          <Notice name={refusal.reason} tone="info">
            <strong>{reasonTexts[refusal.reason as Reason] ?? refusal.reason}</strong> Rejected on{' '}
            <When at={refusal.happened_at} />
            from <code>{refusal.address ?? 'an unknown address'}</code>, path <code>{refusal.path}</code>
            {refusal.api_key_id !== null && (
              <>
                , key <a href={pathOfKey(refusal.api_key_id)}>{refusal.api_key_id}</a>
              </>
            )}
            .
          </Notice>
        ))}
    </div>
  )
}
