// What each format of the export costs: applications and bytes a second against JSON, and the most memory.

import { type BenchContext, type Cost, metered, withService } from '../bench-context.ts'
import { digits, type Finding, type SectionReport } from '../findings.ts'
import { fetchToNowhere, warmUp } from '../http-subject.ts'
import { mainThreadMs } from '../process-meter.ts'
import { inRounds } from '../rounds.ts'
import { mean, median, pairedRatio } from '../statistics.ts'

const types = { json: 'application/json', ndjson: 'application/x-ndjson', csv: 'text/csv' }
type Format = keyof typeof types
const formats = Object.keys(types) as Format[]

interface Sample extends Cost {
  wallMs: number
  bytes: number
  mainThreadMs: number
}

export async function measureFormats(context: BenchContext): Promise<SectionReport> {
  const { children, database, options } = context
  const rows = options.applications
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    await requireSameCount(service.pageUrl(rows), service.headers, rows)
    const fetched = (format: Format) => async (): Promise<Sample> => {
      const headers = { ...service.headers, Accept: types[format] }
      const before = mainThreadMs(service.pid)
      const [[transfer], cost] = await metered(database, service.pid, () =>
        fetchToNowhere(children, service.pageUrl(rows), headers, 1, service.pageUrl(1)),
      )
      const { wallMs, bytes } = transfer!
      return { ...cost, wallMs, bytes, mainThreadMs: mainThreadMs(service.pid) - before }
    }
    return inRounds<Format, Sample>(context, {
      json: fetched('json'),
      ndjson: fetched('ndjson'),
      csv: fetched('csv'),
    })
  })
  const column = (format: Format, key: keyof Sample): number[] => rounds[format].map(sample => sample[key])
  const bytesASecond = (format: Format): number[] =>
    rounds[format].map(({ bytes, wallMs }) => bytes / (wallMs / 1000) / 1e6)
  const finding = (format: Format, atLeast: number): Finding => ({
    section: 'formats',
    what: `${format}: applications a second against JSON`,
    unit: '×',
    atLeast,
    measured: pairedRatio(column('json', 'wallMs'), column(format, 'wallMs')),
  })
  return {
    findings: [finding('ndjson', 0.95), finding('csv', 0.25)],
    tables: [
      {
        title: `Formats of a page of ${rows.toLocaleString('en')}`,
        head: ['', 'ms', 'MB', 'applications/s', 'MB/s', 'against JSON', 'processor ms', 'of it event loop', 'peak MB'],
        rows: formats.map(format => [
          format,
          digits(median(column(format, 'wallMs'))),
          digits(median(column(format, 'bytes')) / 1e6),
          digits(rows / (median(column(format, 'wallMs')) / 1000)),
          digits(median(bytesASecond(format))),
          `${digits(pairedRatio(bytesASecond(format), bytesASecond('json')))} ×`,
          digits(mean(column(format, 'processorMs'))),
          digits(mean(column(format, 'mainThreadMs'))),
          digits(Math.max(...column(format, 'peakBytes')) / 1e6),
        ]),
      },
    ],
    notes: [],
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
