// What compression costs: bytes of JSON a second with each encoding against none, and on which thread it is done.

import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type BenchContext, measurePage, withService } from '../bench-context.ts'
import { atLeast, digits, type Finding, type SectionReport } from '../findings.ts'
import { type HttpSubject, warmUp } from '../http-subject.ts'
import { differenceOf, readPageBody } from '../page-body.ts'
import { inRounds } from '../rounds.ts'
import { column, mean, median, pairedRatio } from '../statistics.ts'

type Encoding = 'identity' | 'zstd' | 'gzip'

const checkedRows = 3000

export async function measureCompression(context: BenchContext): Promise<SectionReport> {
  const { children, options } = context
  const rows = Math.min(100_000, options.applications)
  const rounds = await withService(context, {}, async service => {
    await warmUp(children, service)
    await requireSameApplications(service, 'zstd', Math.min(checkedRows, rows))
    await requireSameApplications(service, 'gzip', Math.min(checkedRows, rows))
    const fetched = (encoding: Encoding) => () => measurePage(context, service, rows, { 'Accept-Encoding': encoding })
    return inRounds(context, { identity: fetched('identity'), zstd: fetched('zstd'), gzip: fetched('gzip') })
  })
  const finding = (encoding: Encoding, wanted: number): Finding =>
    atLeast(
      wanted,
      `${encoding}: bytes of JSON a second against uncompressed`,
      pairedRatio(column(rounds.identity, 'wallMs'), column(rounds[encoding], 'wallMs')),
    )
  const plainBytes = median(column(rounds.identity, 'bytes'))
  return {
    findings: [finding('zstd', 0.75), finding('gzip', 0.45)],
    tables: [
      {
        title: `Encodings of a page of ${rows.toLocaleString('en')}`,
        head: ['', 'ms', 'MB', 'smaller', 'processor ms', 'of it event loop', 'peak MB'],
        rows: Object.entries(rounds).map(([encoding, samples]) => {
          const bytes = median(column(samples, 'bytes'))
          return [
            encoding,
            digits(median(column(samples, 'wallMs'))),
            digits(bytes / 1e6),
            `${digits(plainBytes / bytes)} ×`,
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

/** The encoded page says what the plain one says, and as gzip it is one stream: some clients read the first and no more. */
async function requireSameApplications(service: HttpSubject, encoding: 'zstd' | 'gzip', rows: number): Promise<void> {
  const url = service.pageUrl(rows)
  const plain = await readPageBody(url, { ...service.headers, 'Accept-Encoding': 'identity' })
  const response = await fetch(url, {
    headers: { ...service.headers, 'Accept-Encoding': encoding },
    decompress: false,
  })
  const body = Buffer.from(await response.arrayBuffer())
  const said = response.headers.get('content-encoding')
  if (response.status !== 200 || said !== encoding)
    throw new Error(`a client that accepts ${encoding} was answered with ${response.status}, Content-Encoding ${said}`)
  const text = encoding === 'gzip' ? gunzipSync(body) : zstdDecompressSync(body)
  // The length that a gzip stream ends with is that of its own content alone.
  if (encoding === 'gzip' && body.readUInt32LE(body.length - 4) !== text.length % 2 ** 32)
    throw new Error('the gzip answer is several streams one after the other')
  const difference = differenceOf(plain.text, text.toString())
  if (difference !== undefined) throw new Error(`what is sent as ${encoding} is not what is sent plain: ${difference}`)
}
