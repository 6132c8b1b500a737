// The audit log in words: the labels of actions and the sentences they make, the members of an event's detail, which pages are one walk. Pure.

import { roleNames, roles } from '../../../core/people/roles.ts'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { earliest, formatMicros, type Micros } from '../../../domain/values/offset-time.ts'
import { intakeLabels } from '../../html/lists.tsx'

type Detail = AuditEventRow['detail']
type Value = Detail[string]

/** `applications_exported` → `Applications exported`. */
export function actionLabel(action: string): string {
  return capitalized(action.replaceAll('_', ' ').replace(/^api\b/, 'API'))
}

export const capitalized = (words: string): string => (words[0] ?? '').toUpperCase() + words.slice(1)

/** What each action did: the text before its subject, and after it. */
const phrases: Readonly<Record<string, readonly [before: string, after?: string]>> = {
  admin_token_created: ['created admin token'],
  admin_token_retired: ['retired admin token'],
  api_key_created: ['created API key'],
  api_key_disabled: ['disabled API key'],
  api_key_edited: ['edited API key'],
  api_key_enabled: ['enabled API key'],
  api_key_exposed: ['exposed API key'],
  api_key_followed: ['followed API key'],
  api_key_retired: ['retired API key'],
  api_key_rotated: ['rotated API key'],
  applicant_erased: ['erased applicant'],
  applicant_language_changed: ['changed the language of applicant'],
  applicant_registered: ['registered applicant'],
  application_erased: ['erased application'],
  application_history_read: ['read the history of application'],
  application_read: ['read application'],
  application_status_read: ['read the status of application'],
  application_submitted: ['submitted application'],
  applications_downloaded: ['downloaded applications of'],
  applications_expired: ['erased expired applications of'],
  applications_exported: ['read applications of'],
  applications_listed: ['looked through the applications of'],
  applications_loaded: ['loaded applications into'],
  audit_log_downloaded: ['downloaded', 'log'],
  audit_pruned: ['moved old events of the audit log into'],
  changes_read: ['read changes of'],
  civiform_allowance_set: ['set the clock allowance of'],
  civiform_deletions_accepted: ['accepted deletions in'],
  civiform_followed: ['began to follow'],
  civiform_moved: ['confirmed the move of'],
  civiform_restored: ['reported the restore of'],
  civiform_rolled_back: ['noticed a rollback of'],
  docs_regeneration_asked: ['asked for new docs of'],
  identity_forgotten: ['unlinked the OpenID account of'],
  identity_remembered: ['linked the OpenID account of'],
  intake_paused: ['paused the intake of'],
  intake_resumed: ['resumed the intake of'],
  intermediary_added: ['added intermediary'],
  intermediary_disabled: ['disabled intermediary'],
  intermediary_enabled: ['enabled intermediary'],
  intermediary_organization_added: ['added intermediary organization'],
  intermediary_organization_disabled: ['disabled intermediary organization'],
  intermediary_organization_enabled: ['enabled intermediary organization'],
  intermediary_organization_renamed: ['renamed intermediary organization'],
  job_retried: ['retried job'],
  load_begun: ['began a load into'],
  load_given_up: ['gave up a load into'],
  password_changed: ['changed the password of'],
  password_chosen: ['chose a password for'],
  person_disabled: ['disabled person'],
  person_edited: ['edited person'],
  person_enabled: ['enabled person'],
  person_invited: ['invited person'],
  person_invited_again: ['invited', 'again'],
  program_draft_discarded: ['discarded the draft of'],
  program_draft_saved: ['saved a draft of'],
  program_imported: ['imported program'],
  program_published: ['published program'],
  program_retention_set: ['set how long applications are kept of'],
  recovery_code_used: ['used a recovery code of'],
  second_factor_reset: ['took away the second factor of'],
  second_factor_set: ['set up a second factor for'],
  sign_in_failed: ['failed to sign in as'],
  signed_in: ['signed in as'],
  signed_out: ['signed out as'],
  signed_out_everywhere: ['signed out everywhere as'],
  webhook_added: ['added a webhook of'],
  webhook_changed: ['changed the address of a webhook of'],
  webhook_disabled: ['disabled a webhook of'],
  webhook_enabled: ['enabled a webhook of'],
  webhook_given_up: ['gave up a webhook of'],
  webhook_removed: ['removed a webhook of'],
  webhook_resent: ['sent again to a webhook of'],
  webhook_secret_rotated: ['rotated the secret of a webhook of'],
  webhook_tested: ['tested a webhook of'],
}

const intakePhrases: Readonly<Record<string, string>> = { ...intakeLabels, OPEN: 'opened' }

/** `program_published` → `published program`, before its subject; and what follows it. One of another release by its name. */
export function phraseOf({ action, detail }: AuditEventRow): readonly [before: string, after?: string] {
  if (action === 'application_annotated')
    return detail.status_changed === true
      ? ['set application', `to ${shown(detail.status ?? 'no status')}`]
      : ['changed the note of application']
  if (action === 'program_intake_set')
    return detail.before === detail.intake_state
      ? ['changed the text for applicants of']
      : [(intakePhrases[String(detail.intake_state)] ?? 'opened or closed').toLowerCase()]
  return (Object.hasOwn(phrases, action) ? phrases[action] : undefined) ?? [actionLabel(action)]
}

/**
 * An event; or those that are shown together, with the newest of them first: pages of a walk, applications that got one status, what
 * one person saved of a draft.
 */
export interface AuditEntry {
  event: AuditEventRow
  together: readonly AuditEventRow[]
}

/** How far apart applications may get a status, or a draft may be saved, and still share one entry. */
const nearMicros = 3_600_000_000

/** The same for events that are shown together. */
function togetherBy({ actor, action, subject, detail }: AuditEventRow): string | undefined {
  const shared =
    action === 'applications_exported' && detail.walk !== undefined
      ? [subject, detail.walk]
      : action === 'application_annotated' && detail.status_changed === true
        ? [detail.program_id, detail.status]
        : action === 'program_draft_saved'
          ? [subject]
          : undefined
  return shared && JSON.stringify([actor, action, ...shared])
}

/** Whether it shares the entry of the first of them: pages of a walk do, however long it takes. */
const isNear = ({ action, happened_at }: AuditEventRow, first: AuditEventRow): boolean =>
  action === 'applications_exported' || first.happened_at - happened_at < nearMicros

/** At most so many entries, and the last of the events that are in them. */
export function entriesOf(events: readonly AuditEventRow[], most: number): { entries: AuditEntry[]; last: number } {
  const entries: { event: AuditEventRow; together: AuditEventRow[] }[] = []
  const begun = new Map<string, AuditEventRow[]>()
  let last = 0
  for (const event of events) {
    const by = togetherBy(event)
    const known = by === undefined ? undefined : begun.get(by)
    if (known === undefined || !isNear(event, known[0]!)) {
      if (entries.length === most) break
      const together = [event]
      if (by !== undefined) begun.set(by, together)
      entries.push({ event, together })
    } else known.push(event)
    last = event.audit_event_id
  }
  return { entries, last }
}

/** Most items of a list, and most pairs of a detail, that are written out. */
const itemsMax = 20
const pairsMax = 40

export interface DetailPair {
  name: string
  value: string
  /** Of a value that is a time. */
  at?: Micros
}

/** Values that are codes, in words, by the name of their member. */
const valueWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reading: {
    shown: 'on its page',
    compared: 'next to a later one',
    as_exported: 'as exported',
    downloaded: 'as a file',
  },
  how: { password: 'with a password', invitation: 'with a link', oidc: 'at the OpenID provider' },
  intake_state: intakeLabels,
  before: intakeLabels,
}

/**
 * A detail as names and values, what is nested spelled out as `filters: from`; a program of a known name by that. Bounded: the event itself
 * has all of it.
 */
export function detailPairs(detail: Detail, names: ReadonlyMap<string, string> = new Map()): DetailPair[] {
  const pairs: DetailPair[] = []
  const add = (name: string, value: Value): void => {
    if (pairs.length > pairsMax) return
    if (isObject(value)) for (const [inner, one] of Object.entries(value)) add(`${name}: ${spaced(inner)}`, one)
    else if (name.endsWith(' micros') && typeof value === 'number')
      pairs.push({ name: name.replace(/micros$/, 'time'), ...(value > earliest ? timeOf(value) : { value: 'none' }) })
    else if (name === 'program id' && names.has(`program ${value}`))
      pairs.push({ name: 'program', value: names.get(`program ${value}`)! })
    else if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value))
      pairs.push({ name, ...timeOf(Date.parse(value) * 1000) })
    else
      pairs.push({
        name: name === 'reading' ? 'read' : name,
        value: name.endsWith('role') ? roleName(value) : (inWords(name, value) ?? shown(value)),
      })
  }
  for (const [name, value] of Object.entries(detail)) add(spaced(name), value)
  if (pairs.length > pairsMax) pairs.splice(pairsMax, pairs.length, { name: 'and more', value: 'see the whole event' })
  return pairs
}

const timeOf = (at: Micros) => ({ value: formatMicros(at), at })

function inWords(name: string, value: Value): string | undefined {
  const words = valueWords[name.replaceAll(' ', '_')]
  return words !== undefined && typeof value === 'string' && Object.hasOwn(words, value) ? words[value] : undefined
}

const spaced = (name: string): string => name.replaceAll('_', ' ')

const roleName = (value: Value): string => {
  const role = roles.find(one => one === value)
  return role === undefined ? shown(value) : roleNames[role]
}

function shown(value: Value): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return typeof value === 'number' ? String(value) : JSON.stringify(value)
  if (value.length === 0) return 'none'
  const rest = value.length - itemsMax
  return value.slice(0, itemsMax).map(shown).join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}

const isObject = (value: Value): value is Detail => typeof value === 'object' && value !== null && !Array.isArray(value)
