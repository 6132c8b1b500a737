// Counts spans that reached the collector, and spans that were lost.

import type { Meter } from './meter.ts'

/** Undefined without tracing: then both are 0. */
export function watchTraces(meter: Meter, exporter: { exported: number; dropped: number } | undefined): void {
  meter.counter(
    'tributary_spans_exported_total',
    'Trace spans accepted by the collector',
    () => exporter?.exported ?? 0,
  )
  meter.counter(
    'tributary_spans_dropped_total',
    'Trace spans that didn’t reach the collector',
    () => exporter?.dropped ?? 0,
  )
}
