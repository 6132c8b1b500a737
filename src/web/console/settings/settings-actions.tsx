// The current session, the service's settings (read-only, from the environment), and programs' retention periods.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, notFound, type Problem } from '../../../base/problem.ts'
import { measureRetention, setRetention } from '../../../core/applications/erase.ts'
import { requireScope } from '../../../core/people/admin-tokens.ts'
import { findProgramRetention, readProgramRetentions, retentionRow } from '../../../db/programs/program-overviews.ts'
import { isSlug } from '../../../domain/values/slug.ts'
import { everyRole } from '../../html/navigation.ts'
import { emptyForm } from '../../html/page-context.ts'
import type { Deps } from '../../http/server/deps.ts'
import { action, type Part, reads, writes } from '../requests/action.ts'
import { listed, pageAfter, retentionEffectAnswer, sessionAnswer, settingAnswer } from '../requests/answer-schemas.ts'
import type { ConsoleRequest, PageRequest } from '../requests/console-request.ts'
import { pageAsked, pageOf } from '../requests/route-parameters.ts'
import { closed, nullableId, text } from '../requests/schemas.ts'
import { RetentionListPage, RetentionPage } from './retention-pages.tsx'
import { SettingsPage } from './settings-page.tsx'

const rowsMax = 50
const retention = Type.Object(
  {
    days: nullableId('Number of days to keep applications after submission; null to keep them permanently.'),
    based_on: nullableId('The `retention_days` you read. If it has changed since, the request fails with 409.'),
    confirmation: Type.Optional(text('The program’s slug. Required if the change erases existing applications.')),
  },
  closed,
)
const retentionRoute = '/programs/:slug/retention'

export const settingsActions = (deps: Deps): Part => [...serviceActions(deps), ...retentionActions(deps)]

/** Who is asking, and the service's configuration. */
function serviceActions({ settings }: Deps): Part {
  return [
    action({
      name: 'readSession',
      route: 'GET /session',
      summary: 'Read the current session',
      answers:
        'The person, with their role and programs. Also the scopes and expiry of a token, or the X-CSRF-Token value of a session.',
      answered: sessionAnswer,
      roles: everyRole,
      scope: undefined,
      run: ({ person, session, token }) => {
        const { programIds, ...rest } = person
        return {
          ...rest,
          program_ids: programIds === 'all' ? programIds : [...programIds],
          ...(session !== undefined && { csrf: session.csrf }),
          ...(token !== undefined && { token_id: token.tokenId, scopes: token.scopes, expires_at: token.expiresAt }),
        }
      },
    }),
    action({
      name: 'listSettings',
      route: 'GET /settings',
      summary: 'List settings',
      answers: 'Every setting with its value, source and meaning. For secrets, only whether they are set.',
      answered: listed(settingAnswer),
      ...reads('settings'),
      run: () => ({ items: settings }),
      page: () => <SettingsPage settings={settings} />,
    }),
  ]
}

function retentionShown({ consoleDb: db, config }: Deps) {
  const kept = async ({ params }: ConsoleRequest) => {
    const stored = isSlug(params.slug!) ? await findProgramRetention(db, params.slug!) : undefined
    const found = stored ?? notFound('There is no program with this slug.')
    const { program_id, retention_days } = found
    const effect = retention_days === null ? undefined : await measureRetention(db, program_id, retention_days)
    const { oldest: oldest_submit_time = null, expired = 0 } = effect ?? {}
    return { ...found, oldest_submit_time, expired }
  }

  /** The form; if the change needs confirmation, with what it would erase immediately. */
  const page = async (request: PageRequest) => {
    const program = await kept(request)
    const { errors, values, conflict } = request.context.form
    const needsConfirmation = errors.some(({ parameter }) => parameter === 'confirmation')
    const days = needsConfirmation ? daysOf(values.get('days') ?? '')! : undefined
    const wanted =
      days === undefined ? undefined : { days, effect: await measureRetention(db, program.program_id, days) }
    // The first request for confirmation is not an error.
    if (needsConfirmation && !values.has('confirmation')) request.context.form = { values, errors: [] }
    // An outdated value is replaced by the current one.
    if (conflict !== undefined) request.context.form = { ...emptyForm, conflict }
    return <RetentionPage program={program} wanted={wanted} sweepMs={config.sweepIntervalMs} />
  }
  return { kept, page }
}

function retentionActions(deps: Deps): Part {
  const { consoleDb: db } = deps
  const { kept, page } = retentionShown(deps)

  return [
    action({
      name: 'listRetentions',
      route: 'GET /settings/retention',
      summary: 'List retention periods',
      answers: 'Programs by slug, 50 per page.',
      answered: pageAfter(retentionRow),
      ...reads('settings'),
      query: { q: 'Text to search for.', after: 'The `next` value of the previous page.' },
      run: async request =>
        pageOf(await readProgramRetentions(db, pageAsked(request, rowsMax)), rowsMax, ({ slug }) => slug),
      page: (_, list) => <RetentionListPage {...list} />,
    }),
    action({
      name: 'readRetention',
      route: `GET ${retentionRoute}`,
      summary: 'Read a program’s retention period',
      answers: 'The retention period, the oldest application, and the number of applications past the period.',
      answered: retentionEffectAnswer,
      ...reads('settings'),
      run: kept,
      page,
    }),
    action({
      name: 'setRetention',
      route: `PUT ${retentionRoute}`,
      summary: 'Set a program’s retention period',
      description: 'Setting a number of days erases older applications, so a token also needs applications:erase.',
      answers: 'The updated retention period.',
      answered: retentionEffectAnswer,
      ...writes('settings'),
      confirmed: true,
      body: retention,
      run: async (request, { days, based_on, confirmation }) => {
        const { slug } = await kept(request)
        if (request.token !== undefined && days !== null) requireScope(request.token.scopes, 'applications:erase')
        await setRetention(db, slug, { ...request.by, days, seen: based_on, confirmation })
        return kept(request)
      },
      form: {
        page,
        read: async request => {
          await kept(request)
          return readRetention(request.form)
        },
        next: (_, { slug }) => `/admin/programs/${slug}/retention?done=saved`,
        onConflict: () => [],
      },
    }),
  ]
}

function readRetention(form: URLSearchParams) {
  const keep = form.get('keep')
  const written = daysOf(form.get('days') ?? '')
  const days = keep === 'days' ? written : null
  const seen = form.has('seen') ? daysOf(form.get('seen')!) : undefined
  if (keep !== 'days' && keep !== 'ever') throw refused('keep', 'required', 'Choose how long to keep applications.')
  if (keep === 'days' && (days === null || Number.isNaN(days)))
    throw refused('days', 'not_a_number', 'Enter a whole number of days, such as 730.')
  // The days that were already in the form when it was opened were not entered by the sender, so they are dropped.
  if (keep === 'ever' && written !== null && written !== seen)
    throw refused(
      'days',
      'not_allowed',
      'Leave this empty to keep applications permanently, or choose a number of days.',
    )
  const confirmation = form.get('confirmation')
  return { days, based_on: seen as number | null, ...(confirmation !== null && { confirmation }) }
}

/** Null for an empty field, which means permanently; NaN for a text that is not a number. */
function daysOf(text: string): number | null {
  const trimmed = text.trim().replaceAll(',', '')
  if (trimmed === '') return null
  return /^\d{1,7}$/.test(trimmed) ? Number(trimmed) : Number.NaN
}

const refused = (parameter: string, code: string, detail: string): Problem =>
  invalidRequest(detail, [{ parameter, code, detail }])
