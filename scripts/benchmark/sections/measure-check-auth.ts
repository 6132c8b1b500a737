// How many requests a second checkAuth answers, next to a route of the same framework that does nothing.

import { type BenchContext, metered } from '../bench-context.ts'
import { type Conversation, startHttpLoad } from '../conversations.ts'
import { digits, type SectionReport } from '../findings.ts'
import type { LoadAnswer, LoadRequest } from '../http-load.ts'
import { type HttpSubject, startBareElysia, startService } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { mean, median, pairedRatio } from '../statistics.ts'

const path = '/api/v1/checkAuth'
const connections = 32
const durationMs = 3000

interface Throughput {
  perSecond: number
  /** Microseconds of the server's processor for one request: what is left when the generator is the slower of the two. */
  processorMicros: number
  /** How much of a processor the generator took; near 1, it was the one that could do no more. */
  generatorShare: number
}

export async function measureCheckAuth(context: BenchContext): Promise<SectionReport> {
  const { children, database, data } = context
  const service = await startService(children, database, data.access)
  const load = startHttpLoad(children)
  let bare: HttpSubject | undefined
  try {
    const response = await fetch(`${service.baseUrl}${path}`, { headers: service.headers })
    const body = await response.text()
    if (response.status !== 200) throw new Error(`checkAuth was answered with ${response.status}: ${body}`)
    const elysia = await startBareElysia(children, body)
    bare = elysia
    const rounds = await inRounds(context, {
      service: () => throughput(context, load, service),
      bare: () => throughput(context, load, elysia),
    })
    const column = (name: 'service' | 'bare', key: keyof Throughput): number[] => rounds[name].map(one => one[key])
    return {
      findings: [
        {
          section: 'check-auth',
          what: 'checkAuth requests/s against a bare Elysia route',
          measured: pairedRatio(column('service', 'perSecond'), column('bare', 'perSecond')),
          unit: '×',
          atLeast: 0.15,
        },
      ],
      tables: [
        {
          title: `${connections} connections, one request at a time on each`,
          head: ['', 'requests/s', 'processor µs a request', 'processors of the generator'],
          rows: (['bare', 'service'] as const).map(name => [
            name,
            digits(median(column(name, 'perSecond'))),
            digits(median(column(name, 'processorMicros'))),
            digits(mean(column(name, 'generatorShare'))),
          ]),
        },
      ],
      notes: [`Load came from ${Bun.which('wrk') === null ? 'scripts/benchmark/http-load.ts' : 'wrk'}.`],
      raw: rounds,
    }
  } finally {
    await bare?.stop()
    await load.stop()
    await service.stop()
  }
}

async function throughput(
  { children, database }: BenchContext,
  load: Conversation<LoadRequest, LoadAnswer>,
  subject: HttpSubject,
): Promise<Throughput> {
  const url = `${subject.baseUrl}${path}`
  const { headers } = subject
  const wrk = Bun.which('wrk')
  let generatorMs = 0
  let perSecond = 0
  const [, cost] = await metered(database, subject.pid, async () => {
    if (wrk === null) {
      const [answer, own] = await metered(database, load.pid, () => load.ask({ url, headers, connections, durationMs }))
      generatorMs = own.processorMs
      perSecond = answer.requests / (answer.wallMs / 1000)
    } else {
      const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
      const command = [wrk, '-t1', `-c${connections}`, `-d${durationMs / 1000}s`, ...fields, url]
      const output = await children.run(command, { timeoutMs: durationMs + 30_000 })
      generatorMs = Number.NaN
      perSecond = requestsPerSecond(output)
    }
  })
  const requests = perSecond * (durationMs / 1000)
  return { perSecond, processorMicros: (cost.processorMs * 1000) / requests, generatorShare: generatorMs / durationMs }
}

/** The figure in what wrk prints. Throws when some answers were not 200. */
function requestsPerSecond(output: string): number {
  const refused = /Non-2xx or 3xx responses: ([0-9]+)/.exec(output)
  if (refused !== null) throw new Error(`${refused[1]} requests of wrk were refused`)
  const figure = /^Requests\/sec:\s+([0-9.]+)$/m.exec(output)
  if (figure === null) throw new Error(`wrk said nothing of requests a second: ${output.slice(-500)}`)
  return Number(figure[1])
}
