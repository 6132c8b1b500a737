// Measures each export format: applications and bytes per second compared with JSON.

import type { BenchContext } from './bench-context.ts'
import { type BenchFinding, digits, type SectionReport } from './figures/findings.ts'
import { column, median, pairedRatio } from './figures/statistics.ts'
import { asFeed, fetchPages, warmUp, withService } from './http-subject.ts'
import type { Transfer } from './peers/drain.ts'
import { inRounds } from './rounds.ts'

const types = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' }
type Type = keyof typeof types
type Format = Type | 'odata'
const formats: readonly Format[] = [...(Object.keys(types) as Type[]), 'odata']

export async function measureFormats(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const rows = options.applications
  const { done: rounds } = await withService(context, async service => {
    await warmUp(children, service)
    const fetched = (format: Type) => async (): Promise<Transfer> => {
      const asked = { ...service, headers: { ...service.headers, Accept: types[format] } }
      return (await fetchPages(children, asked, rows, 1))[0]!
    }
    const odata = async (): Promise<Transfer> => (await fetchPages(children, asFeed(service), rows, 1))[0]!
    return inRounds(context, { json: fetched('json'), ndjson: fetched('ndjson'), csv: fetched('csv'), odata })
  })
  const bytesASecond = (format: Format): number[] =>
    rounds[format].map(({ bytes, wallMs }) => bytes / (wallMs / 1000) / 1e6)
  const finding = (format: Format, atLeast: number): BenchFinding => ({
    what: `${format}: applications per second compared with JSON`,
    measured: pairedRatio(column(rounds.json, 'wallMs'), column(rounds[format], 'wallMs')),
    atLeast,
  })
  return {
    findings: [finding('ndjson', 0.95), finding('csv', 0.25), finding('odata', 0.3)],
    tables: [
      {
        title: `Formats, in pages of ${rows.toLocaleString('en')}`,
        head: ['', 'ms', 'MB', 'applications/s', 'MB/s', 'of JSON'],
        rows: formats.map(format => {
          const samples = rounds[format]
          const wallMs = median(column(samples, 'wallMs'))
          return [
            format,
            digits(wallMs),
            digits(median(column(samples, 'bytes')) / 1e6),
            digits(rows / (wallMs / 1000)),
            digits(median(bytesASecond(format))),
            `${digits(pairedRatio(bytesASecond(format), bytesASecond('json')))} ×`,
          ]
        }),
      },
    ],
    raw: rounds,
  }
}
