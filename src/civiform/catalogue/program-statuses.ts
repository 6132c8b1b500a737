// Reads the statuses of CiviForm's programs in every format its releases have used.

/** Texts of statuses by the name of the program, in order. */
export function readStatuses(rows: readonly { name: string; status_definitions: unknown }[]): Map<string, string[]> {
  return new Map(
    rows.map(({ name, status_definitions }) => {
      const statuses = (status_definitions as { statuses?: unknown } | null)?.statuses
      const texts = (Array.isArray(statuses) ? statuses : [])
        .map((status: { status?: unknown } | null) => status?.status)
        .filter((text): text is string => typeof text === 'string' && text !== '')
      return [name, [...new Set(texts)]]
    }),
  )
}
