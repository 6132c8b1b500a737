// Two questions about keys: would a request pass, and why was one refused.

/** @jsxImportSource preact */

import type { ListedApiKey } from '../../../core/keys/api-keys.ts'
import type { Reason } from '../../../core/keys/caller.ts'
import { reasonTexts } from '../../../core/keys/test-access.ts'
import type { Refusal } from '../../../db/keys/refusal-rows.ts'
import { Notice, When } from '../../html/components.tsx'
import { ErrorSummary, SelectField, Submit, TextField } from '../../html/fields.tsx'
import type { NamedProgram } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { pathOfKey } from './key-labels.tsx'

/** Why the request would be refused; undefined when it would pass. */
export interface Verdict {
  reason: Reason | undefined
}

interface CheckProps {
  keys: readonly ListedApiKey[]
  programs: readonly NamedProgram[]
  verdict: Verdict | undefined
  /** The request id to look up; empty without one. */
  asked: string
  refusal: Refusal | undefined
}

export function CheckPage(props: CheckProps) {
  return (
    <Shell
      title="Would a request pass?"
      part="keys"
      crumbs={[{ text: 'API keys', path: '/admin/keys' }, { text: 'Check' }]}
      lead="Clients get 401 without a reason. Here you see the reason."
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
  // Those that are retired come last: the first is chosen.
  const keys = props.keys.toSorted((a, b) => Number(a.state === 'retired') - Number(b.state === 'retired'))
  const { values } = usePage().form
  const submits = keys.some(one => one.api_key_id === values.get('key') && one.may_submit && !one.may_export)
  return (
    <div class="card">
      <h2>A request, now</h2>
      <form method="get" action={path}>
        <SelectField
          name="key"
          label="Key"
          choices={keys.map(one => ({ value: one.api_key_id, text: `${one.name} (${one.state})` }))}
        />
        <TextField name="address" label="From address" hint="The client’s, as the service sees it: 192.0.2.17." />
        <SelectField
          name="program"
          label="Program"
          choices={programs.map(({ slug, display_name }) => ({ value: slug, text: display_name }))}
        />
        <Submit text="Check" />
      </form>
      {verdict !== undefined &&
        (verdict.reason === undefined ? (
          <Notice name="passes" tone="good">
            <strong>It would pass{submits && ' as a submission'}</strong>, with the right password and over HTTPS.
          </Notice>
        ) : (
          <Notice name={verdict.reason} tone="attention">
            <strong>It would be refused{submits && ' as a submission'}.</strong> {reasonTexts[verdict.reason]}
          </Notice>
        ))}
    </div>
  )
}

function Refused({ asked, refusal }: CheckProps) {
  return (
    <div class="card">
      <h2>A request that was refused</h2>
      <form method="get" action={path}>
        <TextField
          name="request_id"
          label="Request id"
          hint="From the body of the 401, or its X-Request-Id. Kept for 30 days."
        />
        <Submit look="plain" text="Look it up" />
      </form>
      {asked !== '' &&
        (refusal === undefined ? (
          <Notice name="not-on-record" tone="attention">
            No refused request with this id is on record. It may be older than 30 days, of another installation, or not
            a 401.
          </Notice>
        ) : (
          <Notice name={refusal.reason} tone="info">
            <strong>{reasonTexts[refusal.reason as Reason] ?? refusal.reason}</strong> Refused on{' '}
            <When at={refusal.happened_at} />, from <code>{refusal.address ?? 'an unknown address'}</code>, at{' '}
            <code>{refusal.path}</code>
            {refusal.api_key_id !== null && (
              <>
                , with the key <a href={pathOfKey(refusal.api_key_id)}>{refusal.api_key_id}</a>
              </>
            )}
            .
          </Notice>
        ))}
    </div>
  )
}
