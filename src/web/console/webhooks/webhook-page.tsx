// Pages of one webhook: its attempts, a form to change its URL, and its secret, shown once.

/** @jsxImportSource preact */

import { overlapHours } from '../../../core/webhooks/endpoints.ts'
import type { WebhookAttemptRow, WebhookRow, WebhookState } from '../../../db/webhooks/webhook-rows.ts'
import {
  Badge,
  counted,
  DoneNotice,
  distance,
  Facts,
  figures,
  LinkButton,
  Notice,
  Table,
  type Tone,
  When,
} from '../../html/components.tsx'
import { ActionForm, Submit, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { MadeBy } from '../programs/program-shell.tsx'

export const path = '/admin/webhooks'
export const crumb = { text: 'Webhooks', path }
export const pathOfWebhook = (id: number): string => `${path}/${id}`

const states: Readonly<Record<WebhookState, readonly [tone: Tone, text: string]>> = {
  working: ['good', 'working'],
  failing: ['attention', 'failing'],
  given_up: ['bad', 'stopped'],
  disabled: ['bad', 'disabled'],
}
export const State = ({ state }: { state: WebhookState }) => <Badge tone={states[state][0]}>{states[state][1]}</Badge>

export const UrlField = ({ value }: { value?: string }) => (
  <TextField
    name="url"
    label="URL"
    hint="Receives the messages, such as https://example.org/hooks. It must respond with a 2xx status within ten seconds."
    value={value}
    maxLength={2000}
  />
)

export const EditWebhookPage = ({ webhook_endpoint_id: id, url }: WebhookRow) => (
  <FormPage
    title="Change webhook URL"
    part="webhooks"
    crumbs={[crumb, { text: new URL(url).host, path: pathOfWebhook(id) }, { text: 'URL' }]}
    lead="The secret doesn’t change. Messages the old URL hasn’t acknowledged are sent to the new one."
    path={`${pathOfWebhook(id)}/edit`}
    submit="Change URL"
  >
    <UrlField value={url} />
  </FormPage>
)

export const RemoveWebhookPage = ({ webhook_endpoint_id: id, url }: WebhookRow) => {
  const { host } = new URL(url)
  const path = pathOfWebhook(id)
  return (
    <FormPage
      title={`Remove ${host}`}
      part="webhooks"
      crumbs={[crumb, { text: host, path }, { text: 'Remove' }]}
      lead="The webhook stops receiving messages, and its secret and attempts are deleted. You can’t undo this, but you can add a new webhook."
      path={`${path}/remove`}
      submit="Remove webhook"
      look="danger"
      errorTitle="The webhook was not removed"
    >
      <TextField name="confirmation" label={`Type “${host}” to confirm`} />
    </FormPage>
  )
}

const doneTexts: Readonly<Record<string, string>> = {
  changed: 'URL changed. Send a test message to check that it responds.',
  test: 'Sending a test message. Reload this page in a moment to see the outcome.',
  resend: 'Resending the last message. Reload this page in a moment to see the outcome.',
  disabled: 'Webhook disabled. It no longer receives messages.',
  enabled: 'Webhook enabled. Messages it missed are being sent.',
}

type WebhookDetails = WebhookRow & { attempts: readonly WebhookAttemptRow[] }

export function WebhookPage({ attempts, ...webhook }: WebhookDetails) {
  const { person, now } = usePage()
  const mayChange = person?.role === 'ADMINISTRATOR'
  const { url, slug, display_name, created_at, created_by, delivered_at, earlier_secret_until } = webhook
  return (
    <Shell
      title={new URL(url).host}
      part="webhooks"
      crumbs={[crumb, { text: new URL(url).host }]}
      lead={<State state={webhook.state} />}
      actions={mayChange && <Buttons {...webhook} at={pathOfWebhook(webhook.webhook_endpoint_id)} />}
    >
      <DoneNotice texts={doneTexts} />
      <Trouble {...webhook} />
      <div class="card">
        <Facts
          facts={[
            ['URL', <code>{url}</code>],
            ['Program', `${display_name} (${slug})`],
            ['Added', <MadeBy at={created_at} by={created_by} />],
            ['Last acknowledged', delivered_at === null ? 'never' : <When at={delivered_at} />],
            ...(earlier_secret_until !== null && earlier_secret_until > now
              ? [['Previous secret valid', <>until {<When at={earlier_secret_until} />}</>] as const]
              : []),
          ]}
        />
      </div>
      <h2>Attempts</h2>
      <Attempts attempts={attempts} mayTest={mayChange} />
    </Shell>
  )
}

function Trouble({ state, failures, first_failed_at, retry_at }: WebhookRow) {
  const { now } = usePage()
  if (state === 'failing')
    return (
      <Notice name="failing" tone="attention">
        <strong>
          {counted(failures, 'failed attempt')}, the first {distance(first_failed_at!, now)}.
        </strong>{' '}
        Next attempt: <When at={retry_at} text={distance(retry_at, now)} />. After three days, the webhook is disabled.
      </Notice>
    )
  if (state !== 'given_up') return null
  return (
    <Notice name="given-up" tone="bad">
      <strong>This webhook was stopped</strong> because it failed for three days or returned 410. Once its receiver is
      back, enable it to send the messages it missed.
    </Notice>
  )
}

/** The main action as a button: send a test, or enable. The others are in a menu, destructive ones last. */
function Buttons({ at, state, url }: WebhookRow & { at: string }) {
  const isDisabled = state === 'given_up' || state === 'disabled'
  const of = ` ${new URL(url).host}`
  const test = (look?: 'quiet') => (
    <ActionForm action={`${at}/test`}>
      <Submit look={look} text="Send test" unseen={` to${of}`} />
    </ActionForm>
  )
  return (
    <>
      {isDisabled ? (
        <ActionForm action={`${at}/enable`}>
          <Submit text="Enable" unseen={of} />
        </ActionForm>
      ) : (
        test()
      )}
      <details class="row-menu of-page" name="menu">
        <summary aria-label={`More actions for${of}`}>…</summary>
        <div>
          {isDisabled ? (
            test('quiet')
          ) : (
            <ActionForm action={`${at}/resend`}>
              <Submit look="quiet" text="Resend last message" unseen={` to${of}`} />
            </ActionForm>
          )}
          <a href={`${at}/edit`}>Change URL</a>
          <ActionForm action={`${at}/rotate`}>
            <Submit look="quiet" text="Rotate secret" unseen={` for${of}`} />
          </ActionForm>
          {!isDisabled && (
            <ActionForm action={`${at}/disable`}>
              <Submit look="danger" text="Disable" unseen={of} />
            </ActionForm>
          )}
          <a class="danger" href={`${at}/remove`}>
            Remove…
          </a>
        </div>
      </details>
    </>
  )
}

export const attemptOutcomes: Readonly<Record<WebhookAttemptRow['outcome'], string>> = {
  delivered: 'delivered',
  refused: 'rejected',
  timed_out: 'no response within ten seconds',
  unreachable: 'no connection or invalid certificate',
  unresolved: 'host name not found',
  internal_address: 'address not on the public internet',
  unsigned: 'signing key missing from WEBHOOK_KEYS',
}

const Attempts = ({ attempts, mayTest }: { attempts: readonly WebhookAttemptRow[]; mayTest: boolean }) => (
  <Table
    caption="Attempts"
    rows={attempts}
    empty={
      mayTest
        ? 'No messages sent yet. Send a test, or wait until the program changes.'
        : 'No messages sent yet. The first one is sent when the program changes.'
    }
    columns={[
      { head: 'When', cell: attempt => <When at={attempt.attempted_at} /> },
      {
        head: 'Message',
        cell: ({ message, change }) => (message === 'webhook.test' ? 'test' : `change ${figures(change)}`),
      },
      {
        head: 'Outcome',
        cell: ({ outcome }) => (
          <Badge tone={outcome === 'delivered' ? 'good' : 'bad'}>{attemptOutcomes[outcome]}</Badge>
        ),
      },
      { head: 'HTTP status', cell: ({ status }) => status ?? '', figures: true },
      { head: 'Duration', cell: attempt => `${figures(attempt.duration_ms)} ms`, figures: true },
    ]}
  />
)

/** `secret` is undefined if it has been shown already. */
export function WebhookSecretPage({ webhook, secret }: { webhook: WebhookRow; secret: string | undefined }) {
  const at = pathOfWebhook(webhook.webhook_endpoint_id)
  const { host } = new URL(webhook.url)
  const crumbs = [crumb, { text: host, path: pathOfWebhook(webhook.webhook_endpoint_id) }, { text: 'Secret' }]
  if (secret === undefined)
    return (
      <Shell title="Secret already shown" part="webhooks" crumbs={crumbs} lead="Secrets are shown only once.">
        <p>
          If you didn’t copy it, <a href={at}>open the webhook</a> and rotate its secret.
        </p>
      </Shell>
    )
  return (
    <Shell title="Webhook secret" part="webhooks" crumbs={crumbs} lead={webhook.url}>
      <Notice name="shown-once" tone="attention">
        <strong>The secret is shown only this once.</strong> Copy it to the receiver’s secret store. The receiver uses
        it to verify messages, with any Standard Webhooks library.
      </Notice>
      {webhook.earlier_secret_until !== null && (
        <Notice name="overlap" tone="info">
          Messages are also signed with the previous secret for {overlapHours} hours.
        </Notice>
      )}
      <div class="card">
        <Secret id="secret" label="Secret" value={secret} />
      </div>
      <p>
        <LinkButton main href={at} text="I’ve saved it" />
      </p>
    </Shell>
  )
}
