// Settings for shutdown, logging and traces.

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { duration, httpUrl, oneOf } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const watchingSettings = {
  drainTimeoutMs: setting('DRAIN_TIMEOUT', '30s', duration('0ms', '1h'),
    'How long running exports may continue after SIGTERM, 0ms to 1h.'),
  logLevel: setting('LOG_LEVEL', 'info', oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'Minimum log level: trace, debug, info, warn, error, fatal or silent.'),
  tracesEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', '', httpUrl,
    'OpenTelemetry collector (OTLP over HTTP): `http://127.0.0.1:4318`. Empty: no traces.'),
  tracesHeaders: secretSetting('OTEL_EXPORTER_OTLP_HEADERS', '', parser(['authorization=Bearer%20abc,x-tenant=city'], headerFields),
    'Headers for the collector: `name=value,name=value`, values percent-encoded.'),
  tracesShare: setting('OTEL_TRACES_SAMPLER_ARG', '1', parser(['0', '0.05', '1'], share),
    'Share of traces that are sent, 0 to 1. A request’s `traceparent` overrides it.'),
}

function headerFields(text: string): [name: string, value: string][] {
  const parts = text.split(',').filter(part => part.trim() !== '')
  return parts.map(part => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)=(.*)$/.exec(part) ?? []
    if (name === undefined || !/^(?:[\x21-\x24\x26-\x7e ]|%[2-7][0-9A-Fa-f])*$/.test(value!))
      throw new Unusable('must be name=value pairs separated by commas, with values percent-encoded')
    return [name, decodeURIComponent(value!).trim()]
  })
}

function share(text: string): number {
  const value = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN
  if (!(value <= 1)) throw new Unusable('must be a number from 0 to 1, such as 0.05')
  return value
}
