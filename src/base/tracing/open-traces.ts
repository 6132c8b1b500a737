// Opens tracing if a collector is configured.

import type { Log } from '../log.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { Tracer } from './span.ts'

interface TraceSettings {
  tracesEndpoint: string
  tracesHeaders: readonly (readonly [name: string, value: string])[]
  tracesShare: number
}

/** Undefined without a collector. */
export function openTraces(
  { tracesEndpoint: endpoint, tracesHeaders: headers, tracesShare }: TraceSettings,
  service: string,
  log: Log,
): { tracer: Tracer; exporter: OtlpExporter } | undefined {
  if (endpoint === '') return undefined
  const exporter = new OtlpExporter({ endpoint, headers: Object.fromEntries(headers), service, log })
  return { exporter, tracer: new Tracer(exporter.take, tracesShare) }
}
