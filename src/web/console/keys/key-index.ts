// Selects the keys on a page of the list: filtered by state, search and program, ordered by expiry. Pure.

import { isListed, type KeyGroup, type ListedApiKey } from '../../../core/keys/api-keys.ts'

/** Keys per page. */
export const keyPageRows = 20

export interface KeyIndex {
  tab: KeyGroup
  counts: Readonly<Record<KeyGroup, number>>
  /** The keys of the page. */
  shown: readonly ListedApiKey[]
  /** How many matching keys come before this page, and how many there are in total. */
  before: number
  found: number
}

export const keyGroups: readonly KeyGroup[] = ['active', 'expiring', 'disabled', 'expired', 'retired']

/** Keys that expire soonest come first; among expired and retired keys, the most recent. */
export function keyIndex(all: readonly ListedApiKey[], query: URLSearchParams): KeyIndex {
  const tab = keyGroups.find(name => name === query.get('state')) ?? 'active'
  const inGroup = (group: KeyGroup) => all.filter(key => isListed(key, { group, search: '', program: '' }))
  const counts = Object.fromEntries(keyGroups.map(name => [name, inGroup(name).length])) as Record<KeyGroup, number>
  const wanted = { group: tab, search: query.get('q') ?? '', program: query.get('program') ?? '' }
  const ended = tab === 'expired' || tab === 'retired'
  const endOf = ({ retired_at, expires_at }: ListedApiKey): number => (tab === 'retired' && retired_at) || expires_at
  const matching = all
    .filter(key => isListed(key, wanted))
    .sort((a, b) => (ended ? -1 : 1) * (endOf(a) - endOf(b)) || (a.api_key_id < b.api_key_id ? -1 : 1))
  const offset = Number(/^\d{1,6}$/.exec(query.get('after') ?? '')?.[0] ?? 0)
  const before = offset < matching.length ? offset : 0
  return { tab, counts, shown: matching.slice(before, before + keyPageRows), before, found: matching.length }
}
