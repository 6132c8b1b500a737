// Parses durations such as `500ms`, `30s`, `5m`, `12h` and `7d`.

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** In milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12})(ms|s|m|h|d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * unitMs[match[2]!]!
}
