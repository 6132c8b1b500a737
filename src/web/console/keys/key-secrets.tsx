// Rotates and retires a key, and shows its new password once.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { retireApiKey, rotateApiKey } from '../../../core/keys/api-keys.ts'
import { requireReachOfKey } from '../../../core/people/token-reach.ts'
import { action, administrators, type Part, writes } from '../requests/action.ts'
import { issuedKeyAnswer, keyAnswer } from '../requests/answer-schemas.ts'
import { onField } from '../requests/keyed-forms.ts'
import { requireWritten } from '../requests/read-form.ts'
import { closed } from '../requests/schemas.ts'
import { RetirePage, RotatePage } from './key-form-pages.tsx'
import { IssuedPage } from './key-issued-page.tsx'
import { pathOfKey } from './key-labels.tsx'
import { issued, type Keys, keyRoute, tokenReach, versioned } from './key-lookup.tsx'

const rotation = Type.Object(
  {
    overlap_days: Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Number of days both passwords work. 0 ends the old one immediately.',
    }),
  },
  closed,
)

export const secretActions = ({ db, config, secret, find, sampleVersion, changeable, showSecret }: Keys): Part => [
  action({
    name: 'rotateApiKey',
    route: `POST ${keyRoute}/rotate`,
    summary: 'Rotate an API key',
    description: tokenReach,
    answers: 'The key with its new password, which is shown only once.',
    answered: issuedKeyAnswer,
    ...writes('keys'),
    confirmed: true,
    body: rotation,
    run: async (request, { overlap_days }) => {
      const { api_key_id, ...may } = await find(request)
      requireReachOfKey(request.token, may)
      return issued(await rotateApiKey(db, config.apiKeyPepper, api_key_id, overlap_days, request.by))
    },
    form: {
      ownPage: `${keyRoute}/rotate`,
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
    route: `POST ${keyRoute}/retire`,
    summary: 'Retire an API key',
    description: 'Takes effect with the key’s next request. A retired key cannot be restored.',
    answers: 'The updated key.',
    answered: keyAnswer,
    ...writes('keys'),
    confirmed: true,
    run: async request => versioned(await retireApiKey(db, request.params.keyId!, request.by)),
    form: {
      ownPage: `${keyRoute}/retire`,
      page: changeable(found => <RetirePage apiKey={found} />),
      read: async request => {
        const { name } = await find(request)
        requireWritten(request, name, `Type ${JSON.stringify(name)} to retire this key.`)
      },
      next: (_, { api_key_id }) => `${pathOfKey(api_key_id)}?done=retired`,
    },
  }),
  secret.route(`/admin${keyRoute}/issued`, administrators, async (request, password) => {
    const found = await find(request)
    return <IssuedPage apiKey={found} password={password} version={await sampleVersion(found)} />
  }),
]
