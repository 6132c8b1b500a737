// Actions on webhooks. Everyone can see the webhooks of their programs; only administrators can change them.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { notFound } from '../../../base/problem.ts'
import { attemptsKept } from '../../../core/webhooks/deliveries.ts'
import {
  addWebhook,
  askForMessage,
  changeWebhookUrl,
  checkWebhookUrl,
  removeWebhook,
  rotateWebhookSecret,
  setWebhookDisabled,
  type WebhookRules,
} from '../../../core/webhooks/endpoints.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import { findWebhook, readWebhookAttempts, readWebhooks, webhookRow } from '../../../db/webhooks/webhook-rows.ts'
import { everyRole } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { findSeenProgram } from '../applications/find-applications.ts'
import { type Action, action, administrators, type Form, type Part, reads, writes } from '../requests/action.ts'
import { issuedWebhookAnswer, nothing, pageAfter, webhookDetailsAnswer } from '../requests/answer-schemas.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { ShownOnce } from '../requests/keyed-forms.ts'
import { requireWritten } from '../requests/read-form.ts'
import { idIn, idOf, pageOf, textOf } from '../requests/route-parameters.ts'
import { closed, text } from '../requests/schemas.ts'
import { EditWebhookPage, pathOfWebhook, RemoveWebhookPage, WebhookPage, WebhookSecretPage } from './webhook-page.tsx'
import { NewWebhookPage, WebhooksPage } from './webhook-pages.tsx'

const rowsMax = 50
const all = '/webhooks'
const webhookRoute = `${all}/:webhookId`

const url = text(
  'The HTTPS URL that receives messages, on the public internet or in a network that the installation allows.',
)
const newWebhook = Type.Object({ program: text('The slug of the program.'), url }, closed)
const changes = Type.Object({ url }, closed)

export const webhookActions = (deps: Deps): Part => {
  const webhooks = new Webhooks(deps)
  return [
    ...listActions(webhooks),
    ...secretActions(webhooks),
    editAction(webhooks),
    ...messageActions(webhooks),
    ...toggles(webhooks, 'disable', true),
    ...toggles(webhooks, 'enable', false),
    removeAction(webhooks),
  ]
}

const read = { ...reads('webhooks'), roles: everyRole }
const write = writes('webhooks')
const amongOf = ({ person: { programIds } }: ConsoleRequest) => (programIds === 'all' ? programIds : [...programIds])

/** Loads webhooks by the ID in the URL, if the person may see the program. */
class Webhooks {
  readonly db: Deps['consoleDb']
  readonly rules: WebhookRules
  readonly secret: ShownOnce

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.rules = { keys: config.webhookKeys, allowedNetworks: config.webhookAllowedNetworks }
    this.secret = new ShownOnce('webhook', config)
  }

  find = async (request: ConsoleRequest) => {
    const found = await findWebhook(this.db, idIn(request, 'webhookId'), amongOf(request))
    return found ?? notFound('There is no webhook with this ID.')
  }

  details = async (request: ConsoleRequest) => {
    const found = await this.find(request)
    return { ...found, attempts: await readWebhookAttempts(this.db, found.webhook_endpoint_id, attemptsKept) }
  }

  page = async (request: PageRequest) => <WebhookPage {...(await this.details(request))} />

  /** A button on this page, which then confirms the action. */
  button = (done: string): Pick<Form<unknown>, 'button' | 'page' | 'next'> => ({
    button: true,
    page: this.page,
    next: request => `${pathOfWebhook(idIn(request, 'webhookId'))}?done=${done}`,
  })

  /** Redirects to the page that shows a secret once. */
  show = (request: PageRequest, { webhook_endpoint_id, secret }: { webhook_endpoint_id: number; secret: string }) =>
    this.secret.send(request, `${pathOfWebhook(webhook_endpoint_id)}/secret`, secret)
}

const listActions = ({ db, rules, details }: Webhooks): Action[] => [
  action({
    name: 'listWebhooks',
    route: `GET ${all}`,
    summary: 'List webhooks',
    answers: 'The webhooks of the person’s programs, oldest first, 50 per page.',
    answered: pageAfter(webhookRow),
    ...read,
    query: { program: 'A program slug.', after: 'The `next` value of the previous page.' },
    run: async request => {
      const slug = textOf(request, 'program') || undefined
      const after = idOf(textOf(request, 'after')) ?? 0
      const rows = await readWebhooks(db, { among: amongOf(request), slug, after, rowsMax: rowsMax + 1 })
      return pageOf(rows, rowsMax, ({ webhook_endpoint_id }) => String(webhook_endpoint_id))
    },
    page: (_, list) => <WebhooksPage {...list} ready={rules.keys.length > 0} />,
  }),
  action({
    name: 'readWebhook',
    route: `GET ${webhookRoute}`,
    summary: 'Read a webhook',
    answers: `The webhook with up to ${attemptsKept} of its most recent attempts.`,
    answered: webhookDetailsAnswer,
    ...read,
    run: details,
    page: (_, webhook) => <WebhookPage {...webhook} />,
  }),
]

const secretActions = ({ db, rules, find, page, secret, show }: Webhooks): Part => [
  action({
    name: 'addWebhook',
    route: `POST ${all}`,
    summary: 'Add a webhook',
    description:
      'The webhook receives a signed message when the program changes. It contains the program and its change feed cursor, and no applicant data.',
    answers: 'The webhook with its secret, which is shown only once.',
    answered: issuedWebhookAnswer,
    makes: true,
    ...write,
    confirmed: true,
    body: newWebhook,
    run: async (request, body) => {
      const url = await checkWebhookUrl(body.url, rules)
      const { program_id, slug } = await findSeenProgram(db, request.person, body.program)
      const { id, secret } = await addWebhook(db, rules, { program_id, slug, url }, request.by)
      return { ...(await findWebhook(db, id, 'all'))!, secret }
    },
    form: {
      ownPage: `${all}/new`,
      page: async () => <NewWebhookPage programs={await readPrograms(db)} />,
      next: show,
    },
  }),
  action({
    name: 'rotateWebhookSecret',
    route: `POST ${webhookRoute}/rotate`,
    summary: 'Rotate a webhook’s secret',
    description: 'For 24 hours, messages are signed with both the old and the new secret.',
    answers: 'The webhook with its new secret, which is shown only once.',
    answered: issuedWebhookAnswer,
    makes: true,
    ...write,
    confirmed: true,
    run: async request => {
      const secret = await rotateWebhookSecret(db, rules, await find(request), request.by)
      return { ...(await find(request)), secret }
    },
    form: { button: true, page, next: show },
  }),
  secret.route(`/admin${webhookRoute}/secret`, administrators, async (request, shown) => (
    <WebhookSecretPage webhook={await find(request)} secret={shown} />
  )),
]

const editAction = ({ db, rules, find }: Webhooks): Action =>
  action({
    name: 'editWebhook',
    route: `PATCH ${webhookRoute}`,
    summary: 'Update a webhook’s URL',
    description:
      'The secret doesn’t change. Messages the old URL hasn’t acknowledged are sent to the new one immediately, unless the webhook is disabled.',
    answers: 'The updated webhook.',
    answered: webhookRow,
    ...write,
    confirmed: true,
    body: changes,
    run: async (request, body) => {
      await changeWebhookUrl(db, await find(request), await checkWebhookUrl(body.url, rules), request.by)
      return find(request)
    },
    form: {
      ownPage: `${webhookRoute}/edit`,
      page: async request => <EditWebhookPage {...(await find(request))} />,
      next: request => `${pathOfWebhook(idIn(request, 'webhookId'))}?done=changed`,
    },
  })

const messageActions = ({ db, find, button }: Webhooks): Action[] =>
  (['test', 'resend'] as const).map(kind =>
    action({
      name: `${kind}Webhook`,
      route: `POST ${webhookRoute}/${kind}`,
      summary: kind === 'test' ? 'Send a test message' : 'Resend the last message',
      answers: 'The webhook. The message is sent in the background; its attempts show the outcome.',
      answered: webhookRow,
      ...write,
      run: async request => {
        const found = await find(request)
        await askForMessage(db, found, kind, request.by)
        return found
      },
      form: button(kind),
    }),
  )

const toggles = ({ db, find, button }: Webhooks, name: 'disable' | 'enable', disabled: boolean): Action[] => [
  action({
    name: `${name}Webhook`,
    route: `POST ${webhookRoute}/${name}`,
    summary: disabled ? 'Disable a webhook' : 'Enable a webhook and send missed messages',
    answers: 'The updated webhook.',
    answered: webhookRow,
    ...write,
    confirmed: !disabled,
    run: async request => {
      await setWebhookDisabled(db, await find(request), disabled, request.by)
      return find(request)
    },
    form: button(`${name}d`),
  }),
]

const removeAction = ({ db, find }: Webhooks): Action =>
  action({
    name: 'removeWebhook',
    route: `DELETE ${webhookRoute}`,
    summary: 'Delete a webhook and its attempts',
    answers: 'An empty object.',
    answered: nothing,
    ...write,
    run: async request => removeWebhook(db, await find(request), request.by),
    form: {
      ownPage: `${webhookRoute}/remove`,
      page: async request => <RemoveWebhookPage {...(await find(request))} />,
      read: async request => {
        const { host } = new URL((await find(request)).url)
        requireWritten(request, host, `Type ${host} to remove this webhook.`)
      },
      next: () => `/admin${all}?done=removed`,
    },
  })
