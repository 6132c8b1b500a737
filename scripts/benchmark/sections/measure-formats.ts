// What each format of the export costs: applications and bytes a second against JSON, and the most memory.

import { type BenchContext, measurePage, withService } from '../bench-context.ts'
import { atLeast, digits, type Finding, type SectionReport } from '../findings.ts'
import { warmUp } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { column, mean, median, pairedRatio } from '../statistics.ts'

const types = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' }
type Format = keyof typeof types
const formats = Object.keys(types) as Format[]

export async function measureFormats(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const rows = options.applications
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    await requireSameCount(service.pageUrl(rows), service.headers, rows)
    const fetched = (format: Format) => () => measurePage(context, service, rows, { Accept: types[format] })
    return inRounds(context, { json: fetched('json'), ndjson: fetched('ndjson'), csv: fetched('csv') })
  })
  const bytesASecond = (format: Format): number[] =>
    rounds[format].map(({ bytes, wallMs }) => bytes / (wallMs / 1000) / 1e6)
  const finding = (format: Format, wanted: number): Finding =>
    atLeast(
      wanted,
      `${format}: applications a second against JSON`,
      pairedRatio(column(rounds.json, 'wallMs'), column(rounds[format], 'wallMs')),
    )
  return {
    findings: [finding('ndjson', 0.95), finding('csv', 0.25)],
    tables: [
      {
        title: `Formats of a page of ${rows.toLocaleString('en')}`,
        head: ['', 'ms', 'MB', 'applications/s', 'MB/s', 'against JSON', 'processor ms', 'of it event loop', 'peak MB'],
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
            digits(mean(column(samples, 'processorMs'))),
            digits(mean(column(samples, 'mainThreadMs'))),
            digits(Math.max(...column(samples, 'peakBytes')) / 1e6),
          ]
        }),
      },
    ],
    raw: rounds,
  }
}

/** A format that is fast because it leaves applications out is not measured. */
async function requireSameCount(url: string, headers: Readonly<Record<string, string>>, rows: number): Promise<void> {
  const text = async (type: string): Promise<string> =>
    (await fetch(url, { headers: { ...headers, Accept: type } })).text()
  const lines = (await text(types.ndjson)).trimEnd().split('\n')
  const { count } = JSON.parse(lines.at(-1)!) as { count: number }
  // The only line breaks of invented applications are those between records.
  const records = (await text(types.csv)).trimEnd().split('\r\n').length - 2
  if (count !== rows || lines.length - 1 !== rows || records !== rows)
    throw new Error(`of ${rows} applications NDJSON has ${lines.length - 1}, and CSV ${records}`)
}
