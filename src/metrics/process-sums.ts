// The figures of several processes as those of one service: added up, unless a metric says how else (`aggregator`).

import { AggregatorRegistry } from 'prom-client'

/** A metric as prom-client tells it. */
export interface ToldMetric {
  name: string
  type: string
  [part: string]: unknown
}

export class ProcessSums {
  /** What processes counted that are no more, so that no sum ever falls, which would look like a start from 0. */
  #departed: Promise<ToldMetric[]> = Promise.resolve([])

  /** A process has ended. What it counted stays; what was so of it at a moment does not. */
  keep(metrics: readonly ToldMetric[]): void {
    const counted = metrics.filter(({ type }) => type === 'counter' || type === 'histogram')
    this.#departed = this.#departed.then(async before => {
      const sum: unknown = await AggregatorRegistry.aggregate([before, counted]).getMetricsAsJSON()
      return sum as ToldMetric[]
    })
  }

  /** The text Prometheus reads, and its content type. */
  async exposition(told: readonly (readonly ToldMetric[])[]): Promise<{ text: string; contentType: string }> {
    const departed = await this.#departed
    const sums = AggregatorRegistry.aggregate([...told.map(metrics => [...metrics]), departed])
    return { text: await sums.metrics(), contentType: sums.contentType }
  }
}
