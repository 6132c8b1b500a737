// Which keys a page of the index has: by state, search and program, in order of their end. Pure.

import { isListed, type KeyGroup, type ListedApiKey } from '../../../core/keys/api-keys.ts'

/** Keys on a page of the index. */
export const keyPageRows = 20

export interface KeyIndex {
  tab: KeyGroup
  counts: Readonly<Record<KeyGroup, number>>
  /** The keys of the page. */
  shown: readonly ListedApiKey[]
  /** How many keys meet the search, before the page and in all. */
  before: number
  found: number
}

export const keyGroups: readonly KeyGroup[] = ['active', 'expiring', 'disabled', 'expired', 'retired']

/** What the address asks for: those that end soonest first, and of those that have ended the last. */
export function keyIndex(all: readonly ListedApiKey[], query: URLSearchParams): KeyIndex {
  const tab = keyGroups.find(name => name === query.get('state')) ?? 'active'
  const inGroup = (group: KeyGroup) => all.filter(one => isListed(one, { group, search: '', program: '' }))
  const counts = Object.fromEntries(keyGroups.map(name => [name, inGroup(name).length])) as Record<KeyGroup, number>
  const wanted = { group: tab, search: query.get('q') ?? '', program: query.get('program') ?? '' }
  const ended = tab === 'expired' || tab === 'retired'
  const endOf = ({ retired_at, expires_at }: ListedApiKey): number => (tab === 'retired' && retired_at) || expires_at
  const matching = all
    .filter(one => isListed(one, wanted))
    .sort(
      (one, other) => (ended ? -1 : 1) * (endOf(one) - endOf(other)) || (one.api_key_id < other.api_key_id ? -1 : 1),
    )
  const asked = Number(/^\d{1,6}$/.exec(query.get('after') ?? '')?.[0] ?? 0)
  const before = asked < matching.length ? asked : 0
  return { tab, counts, shown: matching.slice(before, before + keyPageRows), before, found: matching.length }
}
