// How many requests a second checkAuth answers, next to a route of the same framework that does nothing.

import { type BenchContext, metered } from '../bench-context.ts'
import { type Conversation, startHttpLoad } from '../conversations.ts'
import { atLeast, digits, type SectionReport } from '../findings.ts'
import type { LoadAnswer, LoadRequest } from '../http-load.ts'
import { type HttpSubject, startBareElysia, startService } from '../http-subject.ts'
import { inRounds } from '../rounds.ts'
import { column, mean, median, pairedRatio } from '../statistics.ts'

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
    return {
      findings: [
        atLeast(
          0.15,
          'checkAuth requests/s against a bare Elysia route',
          pairedRatio(column(rounds.service, 'perSecond'), column(rounds.bare, 'perSecond')),
        ),
      ],
      tables: [
        {
          title: `${connections} connections, one request at a time on each`,
          head: ['', 'requests/s', 'processor µs a request', 'processors of the generator'],
          rows: (['bare', 'service'] as const).map(name => [
            name,
            digits(median(column(rounds[name], 'perSecond'))),
            digits(median(column(rounds[name], 'processorMicros'))),
            digits(mean(column(rounds[name], 'generatorShare'))),
          ]),
        },
      ],
      raw: rounds,
    }
  } finally {
    await bare?.stop()
    await load.stop()
    await service.stop()
  }
}

async function throughput(
  { database }: BenchContext,
  load: Conversation<LoadRequest, LoadAnswer>,
  { pid, baseUrl, headers }: HttpSubject,
): Promise<Throughput> {
  const request = { url: `${baseUrl}${path}`, headers, connections, durationMs }
  const [[answer, own], cost] = await metered(database, pid, () => metered(database, load.pid, () => load.ask(request)))
  return {
    perSecond: answer.requests / (answer.wallMs / 1000),
    processorMicros: (cost.processorMs * 1000) / answer.requests,
    generatorShare: own.processorMs / answer.wallMs,
  }
}
