// Counts spans that reached the collector, and spans that were lost.

import { Counter } from 'prom-client'
import type { Meter } from './meter.ts'

/** Undefined where nothing is traced: then both are 0. */
export function watchTraces(meter: Meter, exporter: { exported: number; dropped: number } | undefined): void {
  const { registers } = meter
  const exported = new Counter({
    name: 'tributary_spans_exported_total',
    help: 'Spans of traces that the collector took',
    registers,
  })
  const dropped = new Counter({
    name: 'tributary_spans_dropped_total',
    help: 'Spans of traces that were lost, because the collector was away or too slow',
    registers,
  })
  if (exporter === undefined) return
  meter.onRead(() => {
    for (const counter of [exported, dropped]) counter.reset()
    exported.inc(exporter.exported)
    dropped.inc(exporter.dropped)
  })
}
