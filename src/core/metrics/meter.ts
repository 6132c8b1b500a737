// The metrics of a process: a registry, and values that are read at each scrape.
// Labels must have a bounded number of values, so they never name keys or applicants.

import { Counter, Gauge, Registry } from 'prom-client'

/** A lookup's result: undefined, null, a number, or a number for each of some labels. */
type Figure = number | null | undefined | readonly (readonly [labels: Record<string, string>, value: number])[]

/** A gauge, and the part of the lookup that it shows. */
export type FoundGauge<Found> = readonly [name: string, help: string, of: (found: Found) => Figure, labels?: string[]]

export class Meter {
  readonly registers: [Registry] = [new Registry()]
  readonly #lookUps: (() => void | Promise<void>)[] = []

  /** Adds a lookup before each scrape. It must not reject, and omits what it cannot determine. */
  onRead(lookUp: () => void | Promise<void>): void {
    this.#lookUps.push(lookUp)
  }

  gauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({ name, help, registers: this.registers })
    this.onRead(() => gauge.set(read()))
  }

  /** A counter whose value is kept elsewhere and read at each scrape. */
  counter(name: string, help: string, read: () => number): void {
    const counter = new Counter({ name, help, registers: this.registers })
    this.onRead(() => {
      counter.reset()
      counter.inc(read())
    })
  }

  /** Gauges with a common lookup. Values that are unknown, or whose lookup fails, are omitted. */
  lookUp<Found>(read: () => Promise<Found | undefined>, found: readonly FoundGauge<Found>[]): void {
    const gauges = found.map(([name, help, of, labels]) => {
      // Labels only so that a value can be omitted: an unlabeled gauge always has one.
      return { of, gauge: new Gauge({ name, help, labelNames: labels ?? ['none'], registers: this.registers }) }
    })
    this.onRead(async () => {
      const all = await read().catch(() => undefined)
      for (const { gauge, of } of gauges) {
        gauge.reset()
        const figure = all === undefined ? undefined : of(all)
        if (typeof figure === 'number') gauge.set(figure)
        else for (const [labels, value] of figure ?? []) gauge.set(labels, value)
      }
    })
  }

  /** The text for Prometheus and its content type. */
  async exposition(): Promise<{ text: string; contentType: string }> {
    // A lookup may add others, which are read in the same scrape.
    for (let done = 0; done < this.#lookUps.length; ) {
      const next = this.#lookUps.slice(done)
      done = this.#lookUps.length
      await Promise.all(next.map(lookUp => lookUp()))
    }
    const [registry] = this.registers
    return { text: await registry.metrics(), contentType: registry.contentType }
  }
}
