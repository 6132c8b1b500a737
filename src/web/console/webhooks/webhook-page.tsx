// The pages of one webhook: its attempts, another address, and its secret, once.

/** @jsxImportSource preact */

import { overlapHours } from '../../../core/webhooks/endpoints.ts'
import type { WebhookAttemptRow, WebhookRow, WebhookState } from '../../../db/webhooks/webhook-rows.ts'
import {
  Badge,
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
  given_up: ['bad', 'given up'],
  disabled: ['bad', 'disabled'],
}
export const State = ({ state }: { state: WebhookState }) => <Badge tone={states[state][0]}>{states[state][1]}</Badge>

export const UrlField = ({ value }: { value?: string }) => (
  <TextField
    name="url"
    label="Address"
    hint="Where messages are sent, such as https://example.org/hooks. It must answer with a status from 200 to 299 within ten seconds."
    value={value}
    maxLength={2000}
  />
)

export const EditWebhookPage = ({ webhook_endpoint_id: id, url }: WebhookRow) => (
  <FormPage
    title="Change the address"
    part="webhooks"
    crumbs={[crumb, { text: new URL(url).host, path: pathOfWebhook(id) }, { text: 'Address' }]}
    lead="Its secret stays. What the address before has not acknowledged is sent to the new one."
    path={`${pathOfWebhook(id)}/edit`}
    submit="Change the address"
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
      lead="It gets no further message; its secret and the record of its attempts are gone. This cannot be undone: you would have to add another webhook."
      path={`${path}/remove`}
      submit="Remove the webhook"
      look="danger"
      errorTitle="The webhook is not removed"
    >
      <TextField name="confirmation" label={`Write “${host}” to continue`} />
    </FormPage>
  )
}

const doneTexts: Readonly<Record<string, string>> = {
  changed: 'The address is changed. Send a test to see whether it answers.',
  test: 'A test message is on its way. Load the page again in a moment to see how it went.',
  resend: 'The last message is on its way. Load the page again in a moment to see how it went.',
  disabled: 'Disabled. It gets no further message.',
  enabled: 'Enabled. What it has missed is on its way.',
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
            ['Address', <code>{url}</code>],
            ['Program', `${display_name} (${slug})`],
            ['Added', <MadeBy at={created_at} by={created_by} />],
            ['Last acknowledged', delivered_at === null ? 'never' : <When at={delivered_at} />],
            ...(earlier_secret_until !== null && earlier_secret_until > now
              ? [['Signed with the secret before too', <>until {<When at={earlier_secret_until} />}</>] as const]
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
          {failures === 1 ? 'One attempt' : `${figures(failures)} attempts`} failed since{' '}
          {distance(first_failed_at!, now)}.
        </strong>{' '}
        The next one is due <When at={retry_at} text={distance(retry_at, now)} />. After three days it is given up.
      </Notice>
    )
  if (state !== 'given_up') return null
  return (
    <Notice name="given-up" tone="bad">
      <strong>It was given up.</strong> It failed for three days, or answered 410. Once its receiver is back, enable it:
      it is then sent what it has missed.
    </Notice>
  )
}

/** What one mostly comes for: to see whether it answers, or to have it work again. The rest is in a menu, what takes something away last. */
function Buttons({ at, state, url }: WebhookRow & { at: string }) {
  const isDisabled = state === 'given_up' || state === 'disabled'
  const of = ` ${new URL(url).host}`
  const test = (look?: 'quiet') => (
    <ActionForm action={`${at}/test`}>
      <Submit look={look} text="Send a test" unseen={` to${of}`} />
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
        <summary aria-label={`More actions of${of}`}>…</summary>
        <div>
          {isDisabled ? (
            test('quiet')
          ) : (
            <ActionForm action={`${at}/resend`}>
              <Submit look="quiet" text="Send the last message again" unseen={` to${of}`} />
            </ActionForm>
          )}
          <a href={`${at}/edit`}>Change the address</a>
          <ActionForm action={`${at}/rotate`}>
            <Submit look="quiet" text="Make another secret" unseen={` for${of}`} />
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

const outcomes: Readonly<Record<WebhookAttemptRow['outcome'], string>> = {
  delivered: 'delivered',
  refused: 'refused',
  timed_out: 'no answer within ten seconds',
  unreachable: 'no connection, or no valid certificate',
  unresolved: 'no address of its name',
  internal_address: 'not on the public internet',
  unsigned: 'its key is not in WEBHOOK_KEYS',
}

const Attempts = ({ attempts, mayTest }: { attempts: readonly WebhookAttemptRow[]; mayTest: boolean }) => (
  <Table
    caption="Attempts"
    rows={attempts}
    empty={
      mayTest
        ? 'No message was sent yet. Send a test, or wait until the program changes.'
        : 'No message was sent yet. The first one is when the program changes.'
    }
    columns={[
      { head: 'When', cell: one => <When at={one.attempted_at} /> },
      { head: 'Message', cell: one => (one.message === 'webhook.test' ? 'test' : `change ${figures(one.change)}`) },
      {
        head: 'Outcome',
        cell: one => <Badge tone={one.outcome === 'delivered' ? 'good' : 'bad'}>{outcomes[one.outcome]}</Badge>,
      },
      { head: 'Status', cell: one => one.status ?? '', figures: true },
      { head: 'Took', cell: one => `${figures(one.duration_ms)} ms`, figures: true },
    ]}
  />
)

/** `secret` is undefined when it was shown before. */
export function WebhookSecretPage({ webhook, secret }: { webhook: WebhookRow; secret: string | undefined }) {
  const at = pathOfWebhook(webhook.webhook_endpoint_id)
  const { host } = new URL(webhook.url)
  const crumbs = [crumb, { text: host, path: pathOfWebhook(webhook.webhook_endpoint_id) }, { text: 'Secret' }]
  if (secret === undefined)
    return (
      <Shell title="The secret is gone" part="webhooks" crumbs={crumbs} lead="It was shown once.">
        <p>
          If it was not copied, make another on <a href={at}>the page of the webhook</a>.
        </p>
      </Shell>
    )
  return (
    <Shell title="The secret is ready" part="webhooks" crumbs={crumbs} lead={webhook.url}>
      <Notice name="shown-once" tone="attention">
        <strong>This is the only time the secret is shown.</strong> Copy it to where the receiver keeps secrets: with
        it, and any library for Standard Webhooks, the receiver verifies that a message is from here.
      </Notice>
      {webhook.earlier_secret_until !== null && (
        <Notice name="overlap" tone="info">
          For {overlapHours} hours messages are signed with the secret before too, so nothing is interrupted.
        </Notice>
      )}
      <div class="card">
        <Secret id="secret" label="Secret" value={secret} />
      </div>
      <p>
        <LinkButton main href={at} text="Done, hide it for good" />
      </p>
    </Shell>
  )
}
