// The audit log in words: what an action is called, what stands in an event's detail. Pure.

import type { AuditEventRow } from '../../db/audit/audit.ts'

type Detail = AuditEventRow['detail']
type Value = Detail[string]

/** `applications_exported` → `Applications exported`. */
export function actionLabel(action: string): string {
  const words = action.replaceAll('_', ' ')
  return (words[0] ?? '').toUpperCase() + words.slice(1)
}

/** Most items of a list, and most pairs of a detail, that are written out. */
const itemsMax = 20
const pairsMax = 40

interface DetailPair {
  name: string
  value: string
}

/** A detail as names and values, what is nested spelled out as `filters: from`. Bounded: the event itself has all of it. */
export function detailPairs(detail: Detail): DetailPair[] {
  const pairs: DetailPair[] = []
  const add = (name: string, value: Value): void => {
    if (pairs.length > pairsMax) return
    if (isObject(value)) for (const [inner, one] of Object.entries(value)) add(`${name}: ${spaced(inner)}`, one)
    else pairs.push({ name, value: shown(value) })
  }
  for (const [name, value] of Object.entries(detail)) add(spaced(name), value)
  if (pairs.length > pairsMax) pairs.splice(pairsMax, pairs.length, { name: 'and more', value: 'see the whole event' })
  return pairs
}

const spaced = (name: string): string => name.replaceAll('_', ' ')

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
