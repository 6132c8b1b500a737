// What a process reports to Prometheus, read as Prometheus reads it.

/** One reading: values by name and labels as reported: `tributary_pages_total{outcome="whole"}`. */
export class Reading {
  readonly values: ReadonlyMap<string, number>
  /** The names of metrics, without histogram suffixes. */
  readonly names: ReadonlySet<string>

  constructor(readonly text: string) {
    const lines = text.split('\n')
    this.names = new Set(lines.filter(line => line.startsWith('# TYPE ')).map(line => line.split(' ')[2]!))
    this.values = new Map(
      lines
        .filter(line => line !== '' && !line.startsWith('#'))
        .map(line => {
          const at = line.lastIndexOf(' ')
          return [line.slice(0, at), Number(line.slice(at + 1))]
        }),
    )
  }

  /** The value; fails if there is none. */
  of(name: string): number {
    const value = this.values.get(name)
    if (value === undefined) throw new Error(`${name} is not among\n${[...this.values.keys()].join('\n')}`)
    return value
  }

  /** Which values have increased since an earlier reading, and by how much; only names that match. */
  since(earlier: Reading, names: RegExp): Record<string, number> {
    return Object.fromEntries(
      [...this.values]
        .filter(([name]) => names.test(name))
        .map(([name, value]): [string, number] => [name, value - (earlier.values.get(name) ?? 0)])
        .filter(([, more]) => more !== 0),
    )
  }
}

/** Reads `/metrics` of a health port. */
export async function readMetrics(health: string): Promise<Reading> {
  const response = await fetch(`${health}/metrics`)
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`)
  return new Reading(await response.text())
}
