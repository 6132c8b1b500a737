// Who is asking, what the service was started with, and how long programs keep applications, as JSON.

import { Type } from 'typebox'
import { findProgramRetention, readProgramRetentions } from '../../../db/program-overviews.ts'
import { isSlug } from '../../../domain/values/slug.ts'
import { Problem } from '../../../problem.ts'
import { measureRetention, setRetention } from '../../../upkeep/erase.ts'
import type { Deps } from '../../deps.ts'
import { everyRole } from '../../shell/navigation.ts'
import { pageOf, textOf } from '../addressed.ts'
import {
  listed,
  pageAfter,
  retentionAnswer,
  retentionEffectAnswer,
  sessionAnswer,
  settingAnswer,
} from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, nullableId, text } from './schemas.ts'

const rowsMax = 50
const retention = Type.Object(
  {
    days: nullableId('Days after their submission; null for ever.'),
    based_on: nullableId('`retention_days` as you read it: if it is another by now, nothing is changed (409).'),
    confirmation: Type.Optional(text('The slug, where applications that are there already are to be erased.')),
  },
  closed,
)

export function settingsDeeds({ consoleDb: db, settings }: Deps): ApiDeed[] {
  const kept = async ({ params }: ApiVisit) => {
    const found = isSlug(params.slug!) ? await findProgramRetention(db, params.slug!) : undefined
    if (found === undefined) throw new Problem('not_found', { detail: 'There is no program of this name.' })
    const { program_id, retention_days } = found
    const effect = retention_days === null ? undefined : await measureRetention(db, program_id, retention_days)
    const { oldest: oldest_submit_time = null, expired = 0 } = effect ?? {}
    return { ...found, oldest_submit_time, expired }
  }
  return [
    deed({
      name: 'readSession',
      method: 'GET',
      path: '/session',
      summary: 'Who am I here?',
      answers:
        'The person with role and programs; of a token its scopes and expiry, of a session the value of X-CSRF-Token.',
      answered: sessionAnswer,
      roles: everyRole,
      scope: undefined,
      answer: ({ person, session, token }) => {
        const { programIds, ...rest } = person
        return {
          ...rest,
          program_ids: programIds === 'all' ? programIds : [...programIds],
          ...(session !== undefined && { csrf: session.csrf }),
          ...(token !== undefined && { token_id: token.tokenId, scopes: token.scopes, expires_at: token.expiresAt }),
        }
      },
    }),
    deed({
      name: 'listSettings',
      method: 'GET',
      path: '/settings',
      summary: 'See what the service was started with',
      answers:
        'Every setting with its value, where that is from, and what it means. Of secrets, only that they are set.',
      answered: listed(settingAnswer),
      ...reads('settings'),
      answer: () => ({ items: settings }),
    }),
    deed({
      name: 'listRetentions',
      method: 'GET',
      path: '/settings/retention',
      summary: 'List how long programs keep applications',
      answers: 'Programs by slug, 50 a page.',
      answered: pageAfter(retentionAnswer),
      ...reads('settings'),
      query: { q: 'A word to look for.', after: '`next` of the page before.' },
      answer: async visit => {
        const page = { search: textOf(visit, 'q'), after: textOf(visit, 'after'), rowsMax: rowsMax + 1 }
        return pageOf(await readProgramRetentions(db, page), rowsMax, ({ slug }) => slug)
      },
    }),
    deed({
      name: 'readRetention',
      method: 'GET',
      path: '/programs/:slug/retention',
      summary: 'See how long a program keeps applications',
      answers: 'The days, the oldest application, and how many are older already.',
      answered: retentionEffectAnswer,
      ...reads('settings'),
      answer: kept,
    }),
    deed({
      name: 'setRetention',
      method: 'PUT',
      path: '/programs/:slug/retention',
      summary: 'Set how long a program keeps applications',
      answers: 'What is set now.',
      answered: retentionEffectAnswer,
      ...writes('settings'),
      confirmed: true,
      body: retention,
      answer: async (visit, { days, based_on, confirmation }) => {
        const { slug } = await kept(visit)
        await setRetention(db, slug, { ...visit.deed, days, seen: based_on, confirmation })
        return kept(visit)
      },
    }),
  ]
}
