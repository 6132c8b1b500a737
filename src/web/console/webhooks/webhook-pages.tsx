// The pages of webhooks: the list, and a new one.

/** @jsxImportSource preact */

import type { WebhookRow } from '../../../db/webhooks/webhook-rows.ts'
import { DoneNotice, distance, LinkButton, Named, Notice, Table, When } from '../../html/components.tsx'
import { SelectField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { isPart, Pages } from '../../html/lists.tsx'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { crumb, path, pathOfWebhook, State, UrlField } from './webhook-page.tsx'

const lead =
  'A webhook sends a signed message to an address when a program changes. The message names the program and nothing of an applicant; its receiver then pulls with an API key.'

interface WebhooksProps {
  items: readonly WebhookRow[]
  next: string | null
  /** Whether one can be added. */
  ready: boolean
}

export function WebhooksPage({ items, next, ready }: WebhooksProps) {
  const { person, query, now } = usePage()
  const mayChange = person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title="Webhooks"
      part="webhooks"
      lead={lead}
      actions={mayChange && ready && <LinkButton main href={`${path}/new`} icon="plus" text="Add a webhook" />}
    >
      <DoneNotice texts={{ removed: 'Removed. It gets no further message.' }} />
      {!ready && (
        <Notice name="no-keys" tone="info">
          <strong>No webhook can be added yet.</strong> The setting <code>WEBHOOK_KEYS</code> of the service and the
          workers has the keys that their secrets are made with.
        </Notice>
      )}
      <Table
        caption="Webhooks"
        rows={items}
        empty={isPart(query) ? 'There are no more webhooks.' : 'There is no webhook yet.'}
        columns={[
          {
            head: 'Address',
            cell: one => (
              <Named
                href={pathOfWebhook(one.webhook_endpoint_id)}
                name={new URL(one.url).host}
                small={new URL(one.url).pathname}
              />
            ),
          },
          { head: 'Program', cell: one => <Named name={one.display_name} small={<code>{one.slug}</code>} /> },
          { head: 'State', cell: one => <State state={one.state} /> },
          {
            head: 'Last acknowledged',
            cell: one =>
              one.delivered_at === null ? (
                'never'
              ) : (
                <When at={one.delivered_at} text={distance(one.delivered_at, now)} />
              ),
          },
        ]}
      />
      <Pages path={path} next={next} what="webhooks" />
    </Shell>
  )
}

export function NewWebhookPage({ programs }: { programs: readonly { slug: string; display_name: string }[] }) {
  const frame = { title: 'Add a webhook', part: 'webhooks', crumbs: [crumb, { text: 'Add' }], lead } as const
  if (programs.length === 0)
    return (
      <Shell {...frame}>
        <p class="card empty">
          There is no program yet, and each webhook belongs to one.{' '}
          {mayEditPrograms(usePage()) ? 'Create one under ' : 'See '}
          <a href="/admin/programs">Programs</a> first.
        </p>
      </Shell>
    )
  return (
    <FormPage {...frame} path={`${path}/new`} submit="Add the webhook">
      <SelectField
        name="program"
        label="Program"
        choices={programs.map(({ slug, display_name }) => ({ value: slug, text: display_name }))}
      />
      <UrlField />
    </FormPage>
  )
}
