// Durations as people write them: `500ms`, `30s`, `5m`, `12h`, `7d`.

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** In milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * unitMs[match[2]!]!
}

/** `1500ms` and `7d`: in the largest unit that is exact. */
export function formatDuration(milliseconds: number): string {
  const [unit, length] = Object.entries(unitMs).findLast(([, length]) => milliseconds % length === 0)!
  return milliseconds === 0 ? '0ms' : `${milliseconds / length}${unit}`
}
