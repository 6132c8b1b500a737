// The filters of a walk as a page token holds them. Where each has its place is in its own file.

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

/** How many numbers these bits say that there are besides those in slots. */
export const countNumbers = (bits: number): number =>
  byBit.reduce((count, { inToken }) => {
    const isThere = !('values' in inToken) && inToken.slot === undefined && bitsAt(bits, inToken.bit, 1) === 1
    return isThere ? count + inToken.count : count
  }, 0)

/** What `packFilters` has packed; undefined where a bit is set that no filter of this release has. */
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

/** Bits of a number that may have more than 32. */
const bitsAt = (bits: number, bit: number, width: 1 | 2): number => Math.floor(bits / 2 ** bit) % 2 ** width
