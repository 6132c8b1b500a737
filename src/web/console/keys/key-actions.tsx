// API keys: list, create, read, edit, disable and enable.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest } from '../../../base/problem.ts'
import {
  createApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  type KeyGroup,
  keyGroups,
  listKeys,
  loadKeyPage,
} from '../../../core/keys/api-keys.ts'
import { keyChanges, newKey } from '../../../core/keys/key-settings.ts'
import { requireReachOfKey } from '../../../core/people/token-reach.ts'
import { readApiKeyDays } from '../../../db/keys/api-key-rows.ts'
import { readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { type Action, action, type PageRoute, type Part, pageAt, reads, writes } from '../requests/action.ts'
import { issuedKeyAnswer, keyAnswer, keyDetailsAnswer, listed } from '../requests/answer-schemas.ts'
import { onField } from '../requests/keyed-forms.ts'
import { closed, text } from '../requests/schemas.ts'
import { keyChecks } from './key-checks.tsx'
import { NewKeyPage } from './key-form-pages.tsx'
import { groupNames, KeyIndexPage, keyPageRows } from './key-index-page.tsx'
import { pathOfKey } from './key-labels.tsx'
import { issued, Keys, keyRoute, tokenReach, versioned } from './key-lookup.tsx'
import { secretActions } from './key-secrets.tsx'
import { readNewKey, readSettings } from './read-key-form.ts'

export const keyActions = (deps: Deps): Part => {
  const keys = new Keys(deps)
  return [
    keyIndexPage(keys),
    ...listActions(keys),
    ...keyEdits(keys),
    turn(keys, 'disable', disableApiKey, 'Disable an API key', false),
    turn(keys, 'enable', enableApiKey, 'Enable an API key', true),
    ...secretActions(keys),
    ...keyChecks(keys),
  ]
}

const listActions = ({ db, config, offered, expiry, showSecret }: Keys): Action[] => [
  action({
    name: 'listApiKeys',
    route: 'GET /keys',
    summary: 'List API keys',
    answers: 'The keys, newest first.',
    answered: listed(keyAnswer),
    ...reads('keys'),
    query: {
      state: 'One of active (includes keys that expire soon), expiring, disabled, expired or retired. Defaults to all.',
      q: 'Text to find in the key’s ID, settings or last address.',
      program: 'The slug of a program the key has access to.',
    },
    run: async ({ url: { searchParams: query }, now }) => {
      const group = query.get('state')
      if (group !== null && !Object.hasOwn(keyGroups, group))
        throw invalidRequest('Unknown state.', [
          { parameter: 'state', code: 'not_allowed', detail: `Must be one of ${Object.keys(keyGroups).join(', ')}.` },
        ])
      return { items: (await listKeys(db, now, group as KeyGroup | null, searchOf(query))).map(versioned) }
    },
  }),
  action({
    name: 'createApiKey',
    route: 'POST /keys',
    summary: 'Create an API key',
    description: tokenReach,
    answers: 'The key with its username, password and API Secret Token, which are shown only once.',
    answered: issuedKeyAnswer,
    makes: true,
    ...writes('keys'),
    confirmed: true,
    body: newKey,
    run: async (request, body) => {
      requireReachOfKey(request.token, body)
      const expires_at = expiry(body.expires_at, request)
      return issued(await createApiKey(db, config.apiKeyPepper, { ...body, expires_at, ...request.by }))
    },
    form: {
      ownPage: '/keys/new',
      page: async request => <NewKeyPage {...(await offered(request))} />,
      read: ({ form, address }) => readNewKey(form, address),
      next: showSecret,
      atField: onField,
    },
  }),
]

const based_on = text('The `version` of the key you read. If the key has changed since, the request fails with 409.')
const changedKey = Type.Object({ based_on, ...keyChanges.properties }, closed)

const keyEdits = ({ db, find, expiry, details, page }: Keys): Action[] => [
  action({
    name: 'readApiKey',
    route: `GET ${keyRoute}`,
    summary: 'Read an API key',
    answers:
      'The key, its requests by day and outcome in the last 30 days, its last 20 exports, and its most recent rejected requests.',
    answered: keyDetailsAnswer,
    ...reads('keys'),
    query: { day: 'Only rejected requests of this day, such as 2026-01-31.' },
    run: details,
    page,
  }),
  action({
    name: 'editApiKey',
    route: `PATCH ${keyRoute}`,
    summary: 'Update an API key',
    description: `Only the members you send are changed. Changes take effect with the key’s next request. ${tokenReach}`,
    answers: 'The updated key.',
    answered: keyAnswer,
    ...writes('keys'),
    confirmed: true,
    body: changedKey,
    run: async (request, { based_on, expires_at, ...rest }) => {
      requireReachOfKey(request.token, await find(request))
      const wanted = { ...rest, expires_at: expiry(expires_at, request) }
      return versioned(await editApiKey(db, request.params.keyId!, wanted, request.by, based_on))
    },
    form: {
      page,
      // A form without it is saved without a conflict check.
      read: async request => ({
        based_on: (request.form.get('based_on') ?? undefined)!,
        ...readSettings(request.form, request.address, await find(request)),
      }),
      next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=saved`,
      atField: onField,
      onConflict: ({ internal }) => (internal === 'based_on_is_old' ? [] : undefined),
    },
  }),
]

/** The Disable and Enable buttons. Only enabling `widens` what can be read. */
const turn = ({ db, find, page }: Keys, name: string, what: typeof disableApiKey, summary: string, widens: boolean) =>
  action({
    name: `${name}ApiKey`,
    route: `POST ${keyRoute}/${name}`,
    summary,
    answers: 'The updated key.',
    answered: keyAnswer,
    ...writes('keys'),
    confirmed: true,
    ...(widens && { description: tokenReach }),
    run: async request => {
      if (widens) requireReachOfKey(request.token, await find(request))
      return versioned(await what(db, request.params.keyId!, request.by))
    },
    form: { page, next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=${name}d`, button: true },
  })

/** The list of keys. */
const keyIndexPage = ({ db, programs }: Keys): PageRoute =>
  pageAt('/admin/keys', readingRoles, async ({ now, url: { searchParams: query } }) => {
    const group = groupNames.find(name => name === query.get('state')) ?? 'active'
    const offset = Number(/^\d{1,6}$/.exec(query.get('after') ?? '')?.[0] ?? 0)
    const page = await loadKeyPage(db, now, { group, offset, ...searchOf(query) }, keyPageRows)
    const ids = page.shown.map(key => key.api_key_id)
    return <KeyIndexPage tab={group} {...page} days={await readApiKeyDays(db, 30, ids)} programs={await programs()} />
  })

const searchOf = (query: URLSearchParams) => ({ search: query.get('q') ?? '', program: query.get('program') ?? '' })
