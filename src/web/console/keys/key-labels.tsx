// How pages show a key's state, allowed addresses, expiry and usage.

/** @jsxImportSource preact */

import type { ApiKeyDay } from '../../../db/keys/api-key-rows.ts'
import type { ApiKeyState, ListedApiKey } from '../../../db/keys/listed-keys.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import { Badge, distance, figures, type Tone, When, Who } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'

const tones: Readonly<Record<ApiKeyState, Tone>> = {
  active: 'good',
  expiring: 'attention',
  exposed: 'bad',
  disabled: 'attention',
  expired: 'bad',
  retired: 'bad',
}

export const StateBadge = ({ state }: { state: ApiKeyState }) => <Badge tone={tones[state]}>{state}</Badge>

/** Allowed addresses as shown: a single address without its prefix length, and `anywhere` for all of IPv4 and IPv6. */
export function fromWhere({ allowed_subnets }: ListedApiKey): string[] {
  const everywhere = ['0.0.0.0/0', '::/0']
  return everywhere.every(subnet => allowed_subnets.includes(subnet))
    ? ['anywhere']
    : allowed_subnets.map(subnet => subnet.replace(subnet.includes(':') ? /\/128$/ : /\/32$/, ''))
}

/** The addresses in a key's form: none if the key can be used from anywhere. */
export const addressesOf = (key: ListedApiKey): string[] =>
  fromWhere(key)[0] === 'anywhere' ? [] : key.allowed_subnets

export function Expiry({ apiKey }: { apiKey: ListedApiKey }) {
  const { now } = usePage()
  const far = distance(apiKey.expires_at, now)
  return (
    <>
      <When at={apiKey.expires_at} until />
      <small>{apiKey.state === 'expiring' ? <Badge tone="attention">{far}</Badge> : far}</small>
    </>
  )
}

const width = 74
const height = 22

/** A sparkline of applications exported on each of the last 30 days, and their total. */
export function Use({ days, apiKey }: { days: readonly ApiKeyDay[]; apiKey: ListedApiKey }) {
  const { now } = usePage()
  const own = days.filter(day => day.api_key_id === apiKey.api_key_id)
  const total = own.reduce((sum, { applications }) => sum + applications, 0)
  if (!apiKey.may_export) return <small>submit only</small>
  if (total === 0) return <small>0</small>
  const byDay = new Map(own.map(({ day, applications }) => [day, applications]))
  const last = Array.from({ length: 30 }, (_, i) => byDay.get(dayBefore(now, 29 - i)) ?? 0)
  const most = Math.max(1, ...last)
  const points = last
    .map((value, i) => `${Math.round((i * width) / 29)},${Math.round(height - 1 - (value / most) * (height - 2))}`)
    .join(' ')
  return (
    <>
      <svg class="spark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <polyline points={points} />
      </svg>
      <small>{figures(total)}</small>
    </>
  )
}

const dayBefore = (now: Micros, days: number): string =>
  new Date(now / 1000 - days * 86_400_000).toISOString().slice(0, 10)

/** The page of a key. IDs from a followed system contain characters that have a meaning in URLs. */
export const pathOfKey = (apiKeyId: string): string => `/admin/keys/${encodeURIComponent(apiKeyId)}`

/** When something was done and by whom. */
export const Maker = ({ at, actor, day }: { at: Micros; actor: string | null; day?: boolean }) => (
  <>
    <When at={at} day={day ?? false} />
    <small dir="auto">
      <Who actor={actor} />
    </small>
  </>
)

/** The key ID behind a client's name in the audit log. */
export const keyIdOf = (actor: string): string => actor.replace(/^key:/, '')

/** Names of request outcomes in charts. Outcomes from other releases are shown by their code. */
const outcomeLabels: Readonly<Record<string, string>> = {
  400: 'Invalid request',
  404: 'Not found',
  406: 'Format not available',
  409: 'Conflict',
  413: 'Too large',
  429: 'Too many requests',
  address_not_allowed: 'Address not allowed',
  disabled: 'Key disabled',
  expired: 'Key expired',
  garbled_secret: 'Mistyped password',
  may_not_annotate: 'Can’t set statuses',
  may_not_export: 'Can’t export',
  may_not_submit: 'Can’t submit',
  no_grant: 'No access to the program',
  no_such_program: 'Unknown program',
  origin_salt_not_set: 'Salt not configured',
  plain_http: 'Not encrypted',
  retired: 'Key retired',
  rotated_secret: 'Previous password',
  unparseable_address: 'Address unknown',
  wrong_secret: 'Wrong password',
  wrong_secret_or_salt: 'Wrong password or salt',
}

export const outcomeLabel = (outcome: string): string =>
  outcomeLabels[outcome] ?? (/^\d+$/.test(outcome) ? `Status ${outcome}` : outcome.replaceAll('_', ' '))

/** Errors that the service caused. A 501 is caused by the client's request. */
export const isServiceError = (outcome: string): boolean => /^5\d\d$/.test(outcome) && outcome !== '501'
