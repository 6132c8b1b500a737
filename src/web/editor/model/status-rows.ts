// Statuses with their colors and public names, one row each. A document stores these in two lists that are joined by status; while someone
// types, two rows may have the same status.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { StatusDetails } from '../../../domain/questions/program-version.ts'

export interface StatusRow extends StatusDetails {
  /** The index of its details in the document; without details, an index that no other row has. */
  at: number
}

export function statusRows({ statuses, status_details: all = [] }: ProgramDefinition): StatusRow[] {
  const taken = new Set<number>()
  return statuses.map((status, index) => {
    const found = all.findIndex((details, i) => details.status === status && !taken.has(i))
    const at = found < 0 ? all.length + index : found
    taken.add(at)
    return { ...all[found], status, at }
  })
}

export function withStatusRows(document: ProgramDefinition, rows: readonly StatusRow[]): ProgramDefinition {
  const { status_details: _, ...rest } = document
  const details = rows.map(({ at: _, ...row }): StatusDetails => row).filter(row => Object.keys(row).length > 1)
  return {
    ...rest,
    statuses: rows.map(({ status }) => status),
    ...(details.length > 0 && { status_details: details }),
  }
}
