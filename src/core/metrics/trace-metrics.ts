// Counts spans that reached the collector, and spans that were lost.

import type { Meter } from './meter.ts'

/** Undefined where nothing is traced: then both are 0. */
export function watchTraces(meter: Meter, exporter: { exported: number; dropped: number } | undefined): void {
  meter.counter(
    'tributary_spans_exported_total',
    'Spans of traces that the collector took',
    () => exporter?.exported ?? 0,
  )
  meter.counter(
    'tributary_spans_dropped_total',
    'Spans of traces that were lost, because the collector was away or too slow',
    () => exporter?.dropped ?? 0,
  )
}
