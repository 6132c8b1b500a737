// The details of an audit event as names and values. Pure.

import { roleNames } from '../../../core/people/roles.ts'
import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { earliest, formatMicros, type Micros, parseOffsetTime } from '../../../domain/values/offset-time.ts'
import { intakeLabels } from '../../html/lists.tsx'

type Detail = AuditEventRow['detail']
type Value = Detail[string]

export interface DetailPair {
  name: string
  value: string
  /** Set if the value is a time. */
  at?: Micros
}

/** How a member is shown: its label, words for values that are codes, or the kind of its numbers. */
interface Member {
  label?: string
  words?: Readonly<Record<string, string>>
  kind?: 'micros' | 'program'
}

/** Members that need more than their name with spaces. */
const members: Readonly<Record<string, Member>> = {
  after_micros: { label: 'submitted after', kind: 'micros' },
  after_seq: { label: 'after number' },
  allowed_subnets: { label: 'allowed addresses' },
  application_ids: { label: 'applications' },
  applications_before: { label: 'applications on earlier pages' },
  because: { label: 'reason' },
  because_of: { label: 'because of' },
  before: { words: intakeLabels },
  began_at: { label: 'started' },
  earlier_secret_until: { label: 'previous password valid until' },
  expires_at: { label: 'expires' },
  host_before: { label: 'previous host' },
  how: { label: 'method', words: { password: 'password', invitation: 'invitation link', oidc: 'OpenID Connect' } },
  intake_state: { label: 'intake', words: intakeLabels },
  intake_text: { label: 'message for applicants' },
  last_micros: { label: 'submitted up to', kind: 'micros' },
  last_seq: { label: 'up to number' },
  may_annotate: { label: 'can set status and note' },
  may_export: { label: 'can export' },
  may_submit: { label: 'can submit' },
  note_changed: { label: 'note changed' },
  organization_id: { label: 'organization ID' },
  program_id: { label: 'program ID', kind: 'program' },
  program_version_id: { label: 'program version ID' },
  program_version_ids: { label: 'program version IDs' },
  reading: {
    label: 'viewed',
    words: { shown: 'on its page', compared: 'in a comparison', as_exported: 'as exported', downloaded: 'as a file' },
  },
  request_id: { label: 'request ID' },
  retention_days: { label: 'retention period in days' },
  role: { words: roleNames },
}

/** Maximum number of list items and pairs shown. */
const itemsMax = 20
const pairsMax = 40

/**
 * A detail as names and values. Nested members are shown as `filters: from`, programs by name if it is known. The number of pairs is
 * limited; the event's own page has all of them.
 */
export function detailPairs(detail: Detail, names: ReadonlyMap<string, string> = new Map()): DetailPair[] {
  const pairs: DetailPair[] = []
  const add = (inside: string, name: string, value: Value): void => {
    if (pairs.length > pairsMax) return
    const member = Object.hasOwn(members, name) ? members[name]! : {}
    const label = inside + (member.label ?? name.replaceAll('_', ' '))
    if (isObject(value)) for (const [innerName, inner] of Object.entries(value)) add(`${label}: `, innerName, inner)
    else pairs.push(pairOf(label, member, value, names))
  }
  for (const [name, value] of Object.entries(detail)) add('', name, value)
  if (pairs.length > pairsMax) pairs.splice(pairsMax, pairs.length, { name: 'more', value: 'see all details' })
  return pairs
}

function pairOf(name: string, { words, kind }: Member, value: Value, names: ReadonlyMap<string, string>): DetailPair {
  const program = kind === 'program' ? names.get(`program ${value}`) : undefined
  if (program !== undefined) return { name: 'program', value: program }
  if (kind === 'micros' && typeof value === 'number')
    return value > earliest ? { name, ...timeOf(value) } : { name, value: 'none' }
  if (typeof value !== 'string') return { name, value: shown(value) }
  if (words !== undefined && Object.hasOwn(words, value)) return { name, value: words[value]! }
  const at = parseOffsetTime(value)
  return at !== undefined && formatMicros(at) === value ? { name, ...timeOf(at) } : { name, value }
}

const timeOf = (at: Micros) => ({ value: formatMicros(at), at })

function shown(value: Value): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return typeof value === 'number' ? String(value) : JSON.stringify(value)
  if (value.length === 0) return 'none'
  const rest = value.length - itemsMax
  return value.slice(0, itemsMax).map(shown).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

const isObject = (value: Value): value is Detail => typeof value === 'object' && value !== null && !Array.isArray(value)
