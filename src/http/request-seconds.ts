// How long requests took, as a Prometheus histogram. It must not know what a request is.
//
// Written out here because finding the labels of an observation takes prom-client's own histogram longer than all that is
// done for a small request beside it; it is one lookup here.

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]

export interface Observed {
  /** A pattern, of which there are few; never what a client wrote. */
  route: string
  status: number
  outcome: string
}

interface Series extends Observed {
  /** Observations of each bucket alone, and beyond the last. */
  counts: number[]
  sum: number
}

export class RequestSeconds {
  /** By route. A route has few statuses and outcomes, so these are looked through. */
  readonly #series = new Map<string, Series[]>()

  constructor(
    private readonly name: string,
    private readonly help: string,
  ) {}

  observe(observed: Observed, seconds: number): void {
    const series = this.#seriesOf(observed)
    let bucket = 0
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
    series.counts[bucket]!++
    series.sum += seconds
  }

  #seriesOf({ route, status, outcome }: Observed): Series {
    const ofRoute = this.#series.get(route) ?? []
    for (const series of ofRoute) if (series.status === status && series.outcome === outcome) return series
    const fresh = { route, status, outcome, counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }
    this.#series.set(route, [...ofRoute, fresh])
    return fresh
  }

  /** In Prometheus' text format. */
  exposition(): string {
    const { name } = this
    const lines = [`# HELP ${name} ${this.help}`, `# TYPE ${name} histogram`]
    for (const { route, status, outcome, counts, sum } of [...this.#series.values()].flat()) {
      const labels = `route="${route}",status="${status}",outcome="${outcome}"`
      let total = 0
      for (const [i, count] of counts.entries()) {
        total += count
        lines.push(`${name}_bucket{le="${bounds[i] ?? '+Inf'}",${labels}} ${total}`)
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${total}`)
    }
    return `${lines.join('\n')}\n`
  }
}
