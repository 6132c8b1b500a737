// API keys: who pulls what from where until when, and everything an administrator does about it.

/** @jsxImportSource preact */

import { type Static, Type } from 'typebox'
import { readApiKeyDays } from '../../db/keys/api-key-rows.ts'
import { findRefusal, type Refusal, readRefusalsOf } from '../../db/keys/refusal-rows.ts'
import { readPersonNames } from '../../db/people/person-rows.ts'
import { readNamedQuestions } from '../../db/programs/program-overviews.ts'
import { readPrograms } from '../../db/programs/programs.ts'
import { readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { anywhere } from '../../keys/api-key-draft.ts'
import {
  createApiKey,
  disableApiKey,
  editApiKey,
  enableApiKey,
  type IssuedApiKey,
  isListed,
  keyGroups,
  keyVersion,
  type ListedApiKey,
  listKeys,
  loadKey,
  retireApiKey,
  rotateApiKey,
} from '../../keys/api-keys.ts'
import { judgeCall, reasonTexts } from '../../keys/judge-call.ts'
import { requireReachOfKey } from '../../people/token-reach.ts'
import { invalidRequest, Problem, type ProblemItem } from '../../problem.ts'
import {
  type Action,
  action,
  administrators,
  type Part,
  reads,
  type Shown,
  showForm,
  writes,
} from '../requests/action.ts'
import {
  issuedKeyAnswer,
  judgedAnswer,
  keyAnswer,
  keyDetailsAnswer,
  listed,
  refusalAnswer,
} from '../requests/answer-schemas.ts'
import { expiryFrom } from '../requests/expiry-fields.tsx'
import { expiryOf, onField, ShownOnce } from '../requests/keyed-forms.ts'
import { closed, text, texts } from '../requests/schemas.ts'
import { type PageVisit, redirect, type Visit } from '../requests/visit.ts'
import { CheckPage } from './key-check-page.tsx'
import { NewKeyPage, RetirePage, RotatePage } from './key-form-pages.tsx'
import { keyIndex } from './key-index.ts'
import { KeyIndexPage } from './key-index-page.tsx'
import { IssuedPage } from './key-issued-page.tsx'
import { addressesOf, emailOf, pathOfKey } from './key-labels.tsx'
import { EditKeyPage } from './key-page.tsx'

const members = {
  name: text('Whose key it is, and what for.'),
  programs: texts('Slugs.'),
  allowed_subnets: texts('Subnets as CIDR, single addresses, or “anywhere” alone.'),
  hidden_questions: texts(
    'Admin names of questions that the key never sees, in whatever program, nor what is repeated under them.',
  ),
  expires_at: text('Days from now (90d), a date (2027-01-31, its end) or an instant; 366 days ahead at most.'),
}
const frontEnd = text('Of a key that may submit: the front end it is a key of.')
const newKey = Type.Object(
  {
    ...members,
    hidden_questions: Type.Optional(members.hidden_questions),
    may_export: Type.Boolean(),
    may_submit: Type.Boolean(),
    may_annotate: Type.Optional(
      Type.Boolean({ description: 'Whether it sets status and note of the applications it reads.' }),
    ),
    front_end: Type.Optional(frontEnd),
  },
  closed,
)
const changes = Type.Object(
  {
    based_on: text('The `version` of the key as you read it: if it is another by now, nothing is changed (409).'),
    name: Type.Optional(members.name),
    programs: Type.Optional(members.programs),
    allowed_subnets: Type.Optional(members.allowed_subnets),
    hidden_questions: Type.Optional(members.hidden_questions),
    expires_at: Type.Optional(members.expires_at),
    front_end: Type.Optional(frontEnd),
  },
  closed,
)
const rotation = Type.Object(
  { overlap_days: Type.Integer({ minimum: 0, maximum: 30, description: 'For how long both passwords work.' }) },
  closed,
)

const tokenReach =
  'A token needs applications:read as well for a key that exports, and applications:write for one that submits or sets statuses.'

const one = '/keys/:keyId'

export const keyActions = (deps: Deps): Part => {
  const keys = new Keys(deps)
  return [
    ...keyPages(keys),
    ...listActions(keys),
    ...keyEdits(keys),
    turn(keys, 'disable', disableApiKey, 'Disable an API key: it is refused until it is enabled', false),
    turn(keys, 'enable', enableApiKey, 'Enable an API key again', true),
    ...secretActions(keys),
    ...checks(keys),
  ]
}

/** The keys that addresses name. */
class Keys {
  readonly db: Deps['consoleDb']
  readonly config: Deps['config']
  readonly secret: ShownOnce

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.config = config
    this.secret = new ShownOnce('issued', config)
  }

  find = (visit: Visit): Promise<ListedApiKey> => loadKey(this.db, visit.params.keyId!, visit.now)

  programs = () => readPrograms(this.db)

  offered = async () => ({ programs: await this.programs(), questions: await readNamedQuestions(this.db) })

  /** The names of those who made, disabled or retired these keys. */
  makers = (keys: readonly ListedApiKey[]): Promise<Map<string, string>> => {
    const actors = keys.flatMap(key => [key.created_by, key.disabled_by ?? [], key.retired_by ?? []].flat())
    return readPersonNames(this.db, [...new Set(actors.map(emailOf))])
  }

  expiry = (given: string | undefined, { now }: Visit) =>
    given === undefined ? undefined : expiryOf(given.trim(), now, this.config.timeZone)

  /** A key with how it was used, and what was refused. */
  details = async (visit: Visit) => {
    const found = await this.find(visit)
    const [days, refusals] = await Promise.all([
      readApiKeyDays(this.db, 30, found.api_key_id),
      readRefusalsOf(this.db, found.api_key_id, 10),
    ])
    return { ...versioned(found), days, refusals: refusals.map(explained) }
  }

  page = async (visit: PageVisit) => {
    const details = await this.details(visit)
    return <EditKeyPage {...details} offered={await this.offered()} makers={await this.makers([details])} />
  }

  /** The page of a form; of a key that is retired, or of the origin, the key's own page, which says so. */
  changeable =
    (page: (key: ListedApiKey) => Shown) =>
    async (visit: PageVisit): Promise<Shown> => {
      const found = await this.find(visit)
      return found.retired_at === null && !found.followed ? page(found) : redirect(visit, pathOfKey(found.api_key_id))
    }

  showSecret = (visit: PageVisit, { username, password }: { username: string; password: string }): Response =>
    this.secret.send(visit, `${pathOfKey(username)}/issued`, password)
}

const listActions = ({ db, config, offered, expiry, showSecret }: Keys): Action[] => [
  action({
    name: 'listApiKeys',
    method: 'GET',
    path: '/keys',
    summary: 'List API keys',
    answers: 'The keys, newest first.',
    answered: listed(keyAnswer),
    ...reads('keys'),
    query: {
      state: 'One of active (with those that expire soon), expiring, disabled, expired and retired; all without it.',
      q: 'Part of a name, id, program or address.',
      program: 'The slug of a program the key may read.',
    },
    run: async ({ url: { searchParams: query }, now }) => {
      const group = query.get('state')
      if (group !== null && !Object.hasOwn(keyGroups, group))
        throw invalidRequest('The state is not known.', [
          { parameter: 'state', code: 'not_allowed', detail: `Must be one of ${Object.keys(keyGroups).join(', ')}.` },
        ])
      const wanted = { group: group as keyof typeof keyGroups | null, ...filterOf(query) }
      return { items: (await listKeys(db, now)).filter(one => isListed(one, wanted)).map(versioned) }
    },
  }),
  action({
    name: 'createApiKey',
    method: 'POST',
    path: '/keys',
    summary: 'Make an API key',
    description: tokenReach,
    answers: 'The key with its Username, Password and API Secret Token, which are shown once.',
    answered: issuedKeyAnswer,
    makes: true,
    ...writes('keys'),
    confirmed: true,
    body: newKey,
    run: async (visit, body) => {
      requireReachOfKey(visit.token, body)
      const expires_at = expiry(body.expires_at, visit)
      return issued(await createApiKey(db, config.apiKeyPepper, { ...body, expires_at, ...visit.by }))
    },
    form: {
      ownPage: '/keys/new',
      page: async () => <NewKeyPage {...(await offered())} />,
      read: ({ form }) => readNewKey(form),
      next: showSecret,
      atField: onKeyField,
    },
  }),
]

const keyEdits = ({ db, find, expiry, details, page }: Keys): Action[] => [
  action({
    name: 'readApiKey',
    method: 'GET',
    path: one,
    summary: 'Read an API key',
    answers: 'The key, what it pulled on each of the last 30 days, and the newest calls with it that were refused.',
    answered: keyDetailsAnswer,
    ...reads('keys'),
    run: details,
    page,
  }),
  action({
    name: 'editApiKey',
    method: 'PATCH',
    path: one,
    summary: 'Change an API key',
    description: `What is left out stays. It holds from the key’s next request. ${tokenReach}`,
    answers: 'The key as it is now.',
    answered: keyAnswer,
    ...writes('keys'),
    confirmed: true,
    body: changes,
    run: async (visit, { based_on, expires_at, ...rest }) => {
      requireReachOfKey(visit.token, await find(visit))
      const wanted = { ...rest, expires_at: expiry(expires_at, visit) }
      return versioned(await editApiKey(db, visit.params.keyId!, wanted, visit.by, based_on))
    },
    form: {
      page,
      read: async visit => readChanges(visit.form, await find(visit)),
      next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=saved`,
      atField: onKeyField,
      onConflict: ({ internal }) => (internal === 'based_on_is_old' ? [] : undefined),
    },
  }),
]

/** Refuses a key for a while, and lets it in again: its own button each, and only the latter waits for a confirmation. */
const turn = ({ db, find, page }: Keys, name: string, what: typeof disableApiKey, summary: string, widens: boolean) =>
  action({
    name: `${name}ApiKey`,
    method: 'POST',
    path: `${one}/${name}`,
    summary,
    answers: 'The key as it is now.',
    answered: keyAnswer,
    ...writes('keys'),
    confirmed: widens,
    ...(widens && { description: tokenReach }),
    run: async visit => {
      if (widens) requireReachOfKey(visit.token, await find(visit))
      return versioned(await what(db, visit.params.keyId!, visit.by))
    },
    form: { page, next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=${name}d`, button: true },
  })

/** A key's secret: another, shown once, and none any more. */
const secretActions = ({ db, config, secret, find, changeable, showSecret }: Keys): Part => [
  action({
    name: 'rotateApiKey',
    method: 'POST',
    path: `${one}/rotate`,
    summary: 'Give an API key another password',
    description: tokenReach,
    answers: 'The key with its new credential, which is shown once.',
    answered: issuedKeyAnswer,
    ...writes('keys'),
    confirmed: true,
    body: rotation,
    run: async (visit, { overlap_days }) => {
      const { api_key_id, ...may } = await find(visit)
      requireReachOfKey(visit.token, may)
      return issued(await rotateApiKey(db, config.apiKeyPepper, api_key_id, overlap_days, visit.by))
    },
    form: {
      ownPage: `${one}/rotate`,
      page: changeable(found => <RotatePage apiKey={found} />),
      read: ({ form }) => {
        const days = form.get('overlap') ?? ''
        return { overlap_days: /^\d{1,3}$/.test(days) ? Number(days) : Number.NaN }
      },
      next: showSecret,
      atField: onField,
    },
  }),
  action({
    name: 'retireApiKey',
    method: 'POST',
    path: `${one}/retire`,
    summary: 'Retire an API key',
    description: 'It ends with its next request, for good.',
    answers: 'The key as it is now.',
    answered: keyAnswer,
    ...writes('keys'),
    run: async visit => versioned(await retireApiKey(db, visit.params.keyId!, visit.by)),
    form: {
      ownPage: `${one}/retire`,
      page: changeable(found => <RetirePage apiKey={found} />),
      read: async visit => {
        const { name } = await find(visit)
        if (visit.form.get('confirmation')?.trim() === name) return
        const detail = `Write ${JSON.stringify(name)} to retire this key.`
        throw invalidRequest(detail, [{ parameter: 'confirmation', code: 'differs', detail }])
      },
      next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=retired`,
    },
  }),
  secret.route(`/admin${one}/issued`, administrators, async (visit, password) => (
    <IssuedPage apiKey={await find(visit)} password={password} />
  )),
]

/** The pages to find a key on, and to try whether a call would pass. */
const keyPages = ({ db, programs, makers }: Keys): Part => [
  {
    method: 'GET',
    path: '/admin/keys',
    roles: readingRoles,
    answer: async ({ now, url: { searchParams: query } }) => {
      const keys = await listKeys(db, now)
      const index = keyIndex(keys, query)
      const facts = {
        days: await readApiKeyDays(db, 30),
        makers: await makers(index.shown),
        programs: await programs(),
      }
      return <KeyIndexPage {...index} {...facts} />
    },
  },
  {
    method: 'GET',
    path: '/admin/keys/check',
    roles: readingRoles,
    answer: async visit => {
      const query = visit.url.searchParams
      const call = calledWith(query, query.get('key') ?? '')
      const keys = await listKeys(db, visit.now)
      // A link here from a key names that key alone: no call to judge yet.
      const asks = query.has('address')
      const program = keys.find(one => one.api_key_id === call.apiKeyId)?.programs[0] ?? ''
      const values = new URLSearchParams({ program, ...Object.fromEntries(query) })
      const verdict = asks && call.address !== '' ? { reason: await judgeCall(db, call, visit.now) } : undefined
      const asked = (query.get('request_id') ?? '').trim().toLowerCase()
      const refusal = isRequestId(asked) ? await findRefusal(db, asked) : undefined
      const offered = await programs()
      return showForm(visit, { values, errors: asks && call.address === '' ? [noAddress] : [] }, () => (
        <CheckPage keys={keys} programs={offered} verdict={verdict} asked={asked} refusal={refusal} />
      ))
    },
  },
]

const checks = ({ db, find }: Keys): Action[] => [
  action({
    name: 'wouldCallPass',
    method: 'GET',
    path: `${one}/would-pass`,
    summary: 'Would a call pass?',
    answers: 'Whether a call with this key would be let in now, and if not why.',
    answered: judgedAnswer,
    ...reads('keys'),
    query: { address: 'The address it would come from.', program: 'The slug of the program it would export.' },
    run: async visit => {
      const call = calledWith(visit.url.searchParams, (await find(visit)).api_key_id)
      const reason = await judgeCall(db, call, visit.now)
      return { passes: reason === undefined, ...(reason !== undefined && { reason, detail: reasonTexts[reason] }) }
    },
  }),
  action({
    name: 'readRefusal',
    method: 'GET',
    path: '/refusals/:requestId',
    summary: 'Why was a call refused?',
    answers: 'The call that was answered with 401, and why. Kept for 30 days.',
    answered: refusalAnswer,
    ...reads('keys'),
    run: async ({ params }) => {
      const id = params.requestId!.toLowerCase()
      const refusal = isRequestId(id) ? await findRefusal(db, id) : undefined
      if (refusal === undefined) throw new Problem('not_found', { detail: 'No refusal of this request is kept.' })
      return explained(refusal)
    },
  }),
]

const versioned = (key: ListedApiKey) => ({ ...key, version: keyVersion(key) })

const issued = ({ key, username, password, apiSecretToken }: IssuedApiKey) => ({
  ...versioned(key),
  username,
  password,
  api_secret_token: apiSecretToken,
})

const explained = (refusal: Refusal) => ({
  ...refusal,
  detail: Object.hasOwn(reasonTexts, refusal.reason) ? reasonTexts[refusal.reason as keyof typeof reasonTexts] : '',
})

const isRequestId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)

const filterOf = (query: URLSearchParams) => ({ search: query.get('q') ?? '', program: query.get('program') ?? '' })

const calledWith = (query: URLSearchParams, apiKeyId: string) => ({
  apiKeyId,
  address: (query.get('address') ?? '').trim(),
  slug: query.get('program') ?? '',
})

const noAddress: ProblemItem = {
  parameter: 'address',
  code: 'required',
  detail: 'Write the address that the call would come from.',
}

function readNewKey(form: URLSearchParams): Static<typeof newKey> {
  const may = form.getAll('may')
  return {
    name: form.get('name') ?? '',
    programs: form.getAll('programs'),
    expires_at: expiryFrom(form),
    allowed_subnets: subnetsOf(form, []),
    may_export: may.includes('export'),
    may_submit: may.includes('submit'),
    may_annotate: may.includes('annotate'),
    ...frontEndOf(form, may.includes('submit')),
    hidden_questions: form.getAll('hidden_questions'),
  }
}

const readChanges = (form: URLSearchParams, found: ListedApiKey): Static<typeof changes> => ({
  // A form without it is not held against what is stored.
  based_on: (form.get('based_on') ?? undefined)!,
  name: form.get('name') ?? '',
  programs: form.getAll('programs'),
  allowed_subnets: subnetsOf(form, addressesOf(found)),
  expires_at: expiryFrom(form),
  ...frontEndOf(form, found.may_submit),
  // A form without the field must not take anything out of hiding.
  ...(form.has('hiding') || form.has('hidden_questions') ? { hidden_questions: form.getAll('hidden_questions') } : {}),
})

/**
 * One subnet a line, or `anywhere`; both where both were entered, which is refused. The addresses that the form was opened with were
 * not entered: they give way to `anywhere`.
 */
function subnetsOf(form: URLSearchParams, stored: readonly string[]): string[] {
  const written = (form.get('allowed_subnets') ?? '').split(/[\s,]+/).filter(text => text !== '')
  if (form.get('from') !== 'anywhere') return written
  return written.join() === stored.join() ? [anywhere] : [anywhere, ...written]
}

/** Of a key that does not submit, none where none was entered. */
function frontEndOf(form: URLSearchParams, maySubmit: boolean): { front_end?: string } {
  const front_end = form.get('front_end') ?? ''
  return maySubmit || front_end.trim() !== '' ? { front_end } : {}
}

/** What the form says in its own words, by field and code. */
const formDetails: Readonly<Record<string, string>> = {
  'allowed_subnets required': 'Write the addresses it may be used from, or choose “Anywhere”.',
  'allowed_subnets anywhere_not_alone':
    'Must be empty where the key may be used from anywhere: clear it, or choose “These addresses only”.',
  'front_end not_allowed': 'Must be empty, or “Submit applications” ticked: only a key that submits has a front end.',
}

/** The form asks for addresses; what takes a list of them calls them subnets. */
const inAddresses = (parameter: string | undefined, detail: string): string =>
  parameter === 'allowed_subnets'
    ? detail.replace(/subnets/g, 'addresses').replace('subnet such as', 'address or range such as')
    : detail

const onKeyField = (error: ProblemItem): ProblemItem => {
  const { parameter, code, detail } = onField(error)
  return { parameter: parameter!, code, detail: formDetails[`${parameter} ${code}`] ?? inAddresses(parameter, detail) }
}
