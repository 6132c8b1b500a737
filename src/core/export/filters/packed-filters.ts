// Packs the filters of a walk into a page token. Each filter's file defines its place.

import type { FilterValues } from '../../../db/walks/walk-filters.ts'
import { filterList } from './all-filters.ts'

export interface PackedFilters {
  bits: number
  slots: [number, number]
  numbers: number[]
}

export function packFilters(filters: FilterValues): PackedFilters {
  const packed: PackedFilters = { bits: 0, slots: [0, 0], numbers: [] }
  for (const { name, inToken } of byBit) {
    const value = filters[name]
    if (value === undefined) continue
    packed.bits += 2 ** inToken.bit * ('values' in inToken ? inToken.values.indexOf(value) + 1 : 1)
    if ('values' in inToken) continue
    const numbers = inToken.numbers(value)
    if (inToken.slot === undefined) packed.numbers.push(...numbers)
    else packed.slots[inToken.slot] = numbers[0]!
  }
  return packed
}

/** Count of numbers besides those in slots, according to these bits. */
export const countNumbers = (bits: number): number =>
  byBit.reduce((count, { inToken }) => {
    const isThere = !('values' in inToken) && inToken.slot === undefined && bitsAt(bits, inToken.bit, 1) === 1
    return isThere ? count + inToken.count : count
  }, 0)

/** Reverses `packFilters`; undefined if a bit is set that no filter of this release uses. */
export function unpackFilters({ bits, slots, numbers }: PackedFilters): FilterValues | undefined {
  const rest = [...numbers]
  const filters: Record<string, unknown> = {}
  for (const { name, inToken } of byBit) {
    if ('values' in inToken) filters[name] = inToken.values[bitsAt(bits, inToken.bit, 2) - 1]
    else if (bitsAt(bits, inToken.bit, 1) === 1)
      filters[name] = inToken.value(inToken.slot === undefined ? rest.splice(0, inToken.count) : [slots[inToken.slot]])
  }
  return packFilters(filters).bits === bits ? filters : undefined
}

const byBit = filterList.toSorted((a, b) => a.inToken.bit - b.inToken.bit)

/** Bits of a number with more than 32 bits. */
const bitsAt = (bits: number, bit: number, width: 1 | 2): number => Math.floor(bits / 2 ** bit) % 2 ** width
