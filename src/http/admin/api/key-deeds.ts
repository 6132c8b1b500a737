// API keys as JSON: what the pages under API keys do.

import { Type } from 'typebox'
import {
  createApiKey,
  editApiKey,
  type IssuedApiKey,
  keyVersion,
  type ListedApiKey,
  listKeys,
  loadKey,
  retireApiKey,
  rotateApiKey,
} from '../../../access/api-keys.ts'
import { judgeCall, reasonTexts } from '../../../access/judge-call.ts'
import { requireReachOfKey } from '../../../access/token-reach.ts'
import { readApiKeyDays } from '../../../db/api-key-rows.ts'
import { findRefusal, type Refusal, readRefusalsOf } from '../../../db/refusal-rows.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { expiryOf } from '../keyed-forms.ts'
import { includes, matching } from '../keys/key-doors.ts'
import { type Tab, tabs } from '../keys/key-words.tsx'
import { issuedKeyAnswer, judgedAnswer, keyAnswer, keyDetailsAnswer, listed, refusalAnswer } from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, text, texts } from './schemas.ts'

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

export function keyDeeds({ consoleDb: db, config }: Deps): ApiDeed[] {
  const key = (visit: ApiVisit): Promise<ListedApiKey> => loadKey(db, visit.params.keyId!, visit.now)

  const expiry = (given: string | undefined, { now }: ApiVisit) =>
    given === undefined ? undefined : expiryOf(given.trim(), now, config.timeZone)

  return [
    deed({
      name: 'listApiKeys',
      method: 'GET',
      path: '/keys',
      summary: 'List API keys',
      answers: 'The keys, newest first.',
      answered: listed(keyAnswer),
      ...reads('keys'),
      query: {
        state: 'One of active (with those that expire soon), expiring, expired and retired; all without it.',
        q: 'Part of a name, id, program or address.',
        program: 'The slug of a program the key may read.',
      },
      answer: async ({ url, now }) => {
        const query = url.searchParams
        const state = query.get('state')
        if (state !== null && !Object.hasOwn(tabs, state))
          throw invalidRequest('The state is not known.', [
            { parameter: 'state', code: 'not_allowed', detail: `Must be one of ${Object.keys(tabs).join(', ')}.` },
          ])
        const keys = (await listKeys(db, now)).filter(matching(query.get('q'), query.get('program')))
        return { items: keys.filter(one => state === null || includes(tabs[state as Tab], one.state)).map(versioned) }
      },
    }),
    deed({
      name: 'createApiKey',
      method: 'POST',
      path: '/keys',
      summary: 'Make an API key',
      description: tokenReach,
      answers: 'The key with its Username, Password and API Secret Token, which are told once.',
      answered: issuedKeyAnswer,
      makes: true,
      ...writes('keys'),
      confirmed: true,
      body: newKey,
      answer: async (visit, body) => {
        requireReachOfKey(visit.token, body)
        const expires_at = expiry(body.expires_at, visit)
        return issued(await createApiKey(db, config.apiKeyPepper, { ...body, expires_at, ...visit.deed }))
      },
    }),
    deed({
      name: 'readApiKey',
      method: 'GET',
      path: '/keys/:keyId',
      summary: 'Read an API key',
      answers: 'The key, what it pulled on each of the last 30 days, and the newest calls with it that were refused.',
      answered: keyDetailsAnswer,
      ...reads('keys'),
      answer: async visit => {
        const found = await key(visit)
        const [days, refusals] = await Promise.all([
          readApiKeyDays(db, 30, found.api_key_id),
          readRefusalsOf(db, found.api_key_id, 10),
        ])
        return { ...versioned(found), days, refusals: refusals.map(explained) }
      },
    }),
    deed({
      name: 'editApiKey',
      method: 'PATCH',
      path: '/keys/:keyId',
      summary: 'Change an API key',
      description: `What is left out stays. It holds from the key’s next request. ${tokenReach}`,
      answers: 'The key as it is now.',
      answered: keyAnswer,
      ...writes('keys'),
      confirmed: true,
      body: changes,
      answer: async (visit, { based_on, expires_at, ...rest }) => {
        requireReachOfKey(visit.token, await key(visit))
        const wanted = { ...rest, expires_at: expiry(expires_at, visit) }
        return versioned(await editApiKey(db, visit.params.keyId!, wanted, visit.deed, based_on))
      },
    }),
    deed({
      name: 'rotateApiKey',
      method: 'POST',
      path: '/keys/:keyId/rotate',
      summary: 'Give an API key another password',
      description: tokenReach,
      answers: 'The key with its new credential, which is told once.',
      answered: issuedKeyAnswer,
      ...writes('keys'),
      confirmed: true,
      body: rotation,
      answer: async (visit, { overlap_days }) => {
        requireReachOfKey(visit.token, await key(visit))
        return issued(await rotateApiKey(db, config.apiKeyPepper, visit.params.keyId!, overlap_days, visit.deed))
      },
    }),
    deed({
      name: 'retireApiKey',
      method: 'POST',
      path: '/keys/:keyId/retire',
      summary: 'Retire an API key',
      description: 'It ends with its next request, for good.',
      answers: 'The key as it is now.',
      answered: keyAnswer,
      ...writes('keys'),
      answer: async visit => versioned(await retireApiKey(db, visit.params.keyId!, visit.deed)),
    }),
    deed({
      name: 'wouldCallPass',
      method: 'GET',
      path: '/keys/:keyId/would-pass',
      summary: 'Would a call pass?',
      answers: 'Whether a call with this key would be let in now, and if not why.',
      answered: judgedAnswer,
      ...reads('keys'),
      query: { address: 'The address it would come from.', program: 'The slug of the program it would export.' },
      answer: async visit => {
        const { api_key_id: apiKeyId } = await key(visit)
        const query = visit.url.searchParams
        const call = { apiKeyId, address: (query.get('address') ?? '').trim(), slug: query.get('program') ?? '' }
        const reason = await judgeCall(db, call, visit.now)
        return { passes: reason === undefined, ...(reason !== undefined && { reason, detail: reasonTexts[reason] }) }
      },
    }),
    deed({
      name: 'readRefusal',
      method: 'GET',
      path: '/refusals/:requestId',
      summary: 'Why was a call refused?',
      answers: 'The call that was answered with 401, and why. Kept for 30 days.',
      answered: refusalAnswer,
      ...reads('keys'),
      answer: async ({ params }) => {
        const id = params.requestId!.toLowerCase()
        const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id)
        const refusal = isId ? await findRefusal(db, id) : undefined
        if (refusal === undefined) throw new Problem('not_found', { detail: 'No refusal of this request is kept.' })
        return explained(refusal)
      },
    }),
  ]
}

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
