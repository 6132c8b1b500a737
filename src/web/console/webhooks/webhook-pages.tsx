// The list of webhooks, and the form to add one.

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
  'Webhooks notify other systems when a program changes. The signed message contains no applicant data; the receiver exports the changes with an API key.'

interface WebhooksProps {
  items: readonly WebhookRow[]
  next: string | null
  /** Whether webhooks can be added. */
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
      actions={mayChange && ready && <LinkButton main href={`${path}/new`} icon="plus" text="Add webhook" />}
    >
      <DoneNotice texts={{ removed: 'Webhook removed. It no longer receives messages.' }} />
      {!ready && (
        <Notice name="no-keys" tone="info">
          <strong>Webhooks aren’t set up.</strong> Set <code>WEBHOOK_KEYS</code> for the service and the workers.
        </Notice>
      )}
      <Table
        caption="Webhooks"
        rows={items}
        empty={isPart(query) ? 'No more webhooks.' : 'No webhooks yet. Add one to notify another system of changes.'}
        columns={[
          {
            head: 'URL',
            cell: ({ webhook_endpoint_id: id, url }) => (
              <Named href={pathOfWebhook(id)} name={new URL(url).host} small={new URL(url).pathname} />
            ),
          },
          {
            head: 'Program',
            cell: webhook => <Named name={webhook.display_name} small={<code>{webhook.slug}</code>} />,
          },
          { head: 'Status', cell: ({ state }) => <State state={state} /> },
          {
            head: 'Last acknowledged',
            cell: ({ delivered_at: at }) => (at === null ? 'never' : <When at={at} text={distance(at, now)} />),
          },
        ]}
      />
      <Pages path={path} next={next} what="webhooks" />
    </Shell>
  )
}

export function NewWebhookPage({ programs }: { programs: readonly { slug: string; display_name: string }[] }) {
  const frame = { title: 'Add webhook', part: 'webhooks', crumbs: [crumb, { text: 'Add' }], lead } as const
  if (programs.length === 0)
    return (
      <Shell {...frame}>
        <p class="card empty">
          A webhook belongs to a program, and there are no programs yet.{' '}
          {mayEditPrograms(usePage()) ? 'Create one under ' : 'See '}
          <a href="/admin/programs">Programs</a>.
        </p>
      </Shell>
    )
  return (
    <FormPage {...frame} path={`${path}/new`} submit="Add webhook">
      <SelectField
        name="program"
        label="Program"
        choices={programs.map(({ slug, display_name }) => ({ value: slug, text: display_name }))}
      />
      <UrlField />
    </FormPage>
  )
}
