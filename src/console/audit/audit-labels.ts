// The audit log in words: the labels of actions and the sentences they make, the members of an event's detail, which pages are one walk. Pure.

import type { AuditEventRow } from '../../db/audit/audit.ts'
import { earliest, formatMicros } from '../../domain/values/offset-time.ts'
import { roleNames, roles } from '../../people/roles.ts'

type Detail = AuditEventRow['detail']
type Value = Detail[string]

/** `applications_exported` → `Applications exported`. */
export function actionLabel(action: string): string {
  return capitalized(action.replaceAll('_', ' ').replace(/^api\b/, 'API'))
}

export const capitalized = (words: string): string => (words[0] ?? '').toUpperCase() + words.slice(1)

/** Actions whose sentence differs from their name: the text before the subject, and after it. */
const phrases: Readonly<Record<string, readonly [before: string, after?: string]>> = {
  address_correction_changed: ['changed the address correction of'],
  applicant_language_changed: ['changed the language of applicant'],
  applications_exported: ['read applications of'],
  applications_loaded: ['loaded applications into'],
  applications_downloaded: ['downloaded applications of'],
  applications_expired: ['erased expired applications of'],
  applications_listed: ['looked through the applications of'],
  audit_log_downloaded: ['downloaded', 'log'],
  changes_read: ['read changes of'],
  docs_regeneration_asked: ['asked for new docs of'],
  load_begun: ['began a load into'],
  load_given_up: ['gave up a load into'],
  person_invited_again: ['invited', 'again'],
  program_draft_discarded: ['discarded the draft of'],
  program_draft_saved: ['saved a draft of'],
  program_retention_set: ['set how long applications are kept of'],
  password_changed: ['changed the password of'],
  password_chosen: ['chose a password for'],
  recovery_code_used: ['used a recovery code of'],
  second_factor_reset: ['took away the second factor of'],
  second_factor_set: ['set up a second factor for'],
  sign_in_failed: ['failed to sign in as'],
  signed_in: ['signed in as'],
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

/** `program_published` → `published program`, before its subject; and what follows it. */
export function phraseOf({ action, detail }: AuditEventRow): readonly [before: string, after?: string] {
  if (action === 'application_annotated')
    return detail.status_changed === true
      ? ['set application', `to ${shown(detail.status ?? 'no status')}`]
      : ['changed the note of application']
  const known = Object.hasOwn(phrases, action) ? phrases[action] : undefined
  if (known !== undefined) return known
  const words = action.split('_')
  const [what, done] = [
    words
      .slice(0, -1)
      .join(' ')
      .replace(/^api key$/, 'API key'),
    words.at(-1)!,
  ]
  return [/(?:ed|en|read|set)$/.test(done) ? `${done} ${what}`.trim() : actionLabel(action)]
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

interface DetailPair {
  name: string
  value: string
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
      pairs.push({ name: name.replace(/micros$/, 'time'), value: value > earliest ? formatMicros(value) : 'none' })
    else if (name === 'program id' && names.has(`program ${value}`))
      pairs.push({ name: 'program', value: names.get(`program ${value}`)! })
    else if (name === 'reading') pairs.push({ name: 'read', value: spaced(shown(value)) })
    else pairs.push({ name, value: name.endsWith('role') ? roleName(value) : shown(value) })
  }
  for (const [name, value] of Object.entries(detail)) add(spaced(name), value)
  if (pairs.length > pairsMax) pairs.splice(pairsMax, pairs.length, { name: 'and more', value: 'see the whole event' })
  return pairs
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
