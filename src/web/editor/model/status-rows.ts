// Statuses with their colors and public names, one row each. A document stores these in two lists that are joined by status; while someone types, two rows may have the same status.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { StatusDetails } from '../../../domain/questions/program-version.ts'

export interface StatusRow extends StatusDetails {
  /** Where its details are among those of the document, or would be. */
  at: number
}

export function statusRows({ statuses, status_details: all = [] }: ProgramDefinition): StatusRow[] {
  const taken = new Set<number>()
  return statuses.map(status => {
    const found = all.findIndex((details, i) => details.status === status && !taken.has(i))
    const at = found < 0 ? all.length : found
    taken.add(at)
    return { ...all[found], status, at }
  })
}

export function withStatusRows(document: ProgramDefinition, rows: readonly StatusRow[]): ProgramDefinition {
  const { status_details: _, ...rest } = document
  const details = rows.flatMap(({ at: _, ...row }): StatusDetails[] => {
    const { status, color, ...texts } = row
    const one = color === undefined ? { status, ...texts } : row
    return Object.keys(one).length === 1 ? [] : [one]
  })
  return {
    ...rest,
    statuses: rows.map(({ status }) => status),
    ...(details.length > 0 && { status_details: details }),
  }
}
