// The metrics of one process: a registry, and values that are read at each scrape.
// No label may name a key, an applicant or anything else without bound.

import { Registry } from 'prom-client'

export class Meter {
  readonly registers: [Registry] = [new Registry()]
  readonly #lookUps: (() => void | Promise<void>)[] = []

  /** Adds a lookup before each scrape. It must not reject, and omits what it cannot determine. */
  onRead(lookUp: () => void | Promise<void>): void {
    this.#lookUps.push(lookUp)
  }

  /** The text Prometheus reads, and its content type. */
  async exposition(): Promise<{ text: string; contentType: string }> {
    await Promise.all(this.#lookUps.map(lookUp => lookUp()))
    const [registry] = this.registers
    return { text: await registry.metrics(), contentType: registry.contentType }
  }
}
