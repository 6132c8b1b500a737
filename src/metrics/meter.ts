// What one process tells Prometheus: a registry, and what is looked up each time it is read.
// No label may name a key, an applicant or anything else without bound.

import { Registry } from 'prom-client'

export class Meter {
  readonly registers: [Registry] = [new Registry()]
  readonly #lookUps: (() => void | Promise<void>)[] = []

  /** Has something looked up before metrics are told. It must not reject; what it cannot find out it leaves out. */
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
