// What the service counts about itself, in Prometheus' text format. One instance a process, handed to whoever counts.
// It must not know where a count comes from, nor carry a key, an applicant or any other unbounded label.

import { readdirSync } from 'node:fs'
import type { RequestCounts } from './request-record.ts'
import { RequestSeconds } from './request-seconds.ts'

/** Requests are counted by the pattern of their route, their status and how they ended. */
export class Metrics implements RequestCounts {
  readonly #requests = new RequestSeconds(
    'tributary_request_seconds',
    'Time from the start of a request to the end of its response, streams included',
  )
  #open = 0
  #applications = 0
  #bytes = 0

  begin(): void {
    this.#open++
  }

  end(request: Parameters<RequestCounts['end']>[0]): void {
    this.#open--
    this.#requests.observe(request, request.seconds)
    this.#applications += request.applications ?? 0
    this.#bytes += request.bytes ?? 0
  }

  /** The text Prometheus reads, and its content type. The names of what is told of the process are those that are usual. */
  async exposition(): Promise<{ text: string; contentType: string }> {
    const lagSeconds = await eventLoopLagSeconds()
    const { user, system } = process.cpuUsage()
    const parts = [
      this.#requests.exposition(),
      value('tributary_open_requests', 'gauge', 'Requests under way, streams included', this.#open),
      value('tributary_exported_applications_total', 'counter', 'Applications handed to clients', this.#applications),
      value('tributary_exported_bytes_total', 'counter', 'Bytes of JSON handed to clients', this.#bytes),
      value('process_start_time_seconds', 'gauge', 'When the process began, since 1970', startedAtSeconds),
      value('process_cpu_seconds_total', 'counter', 'Processor time spent', (user + system) / 1e6),
      value('process_resident_memory_bytes', 'gauge', 'Memory held', process.memoryUsage.rss()),
      value('process_open_fds', 'gauge', 'Open files and sockets', openFiles()),
      value('nodejs_eventloop_lag_seconds', 'gauge', 'How long a turn of the event loop took just now', lagSeconds),
    ]
    return { text: parts.join('\n'), contentType: 'text/plain; version=0.0.4; charset=utf-8' }
  }
}

const startedAtSeconds = Math.round(Date.now() / 1000 - process.uptime())

const value = (name: string, type: 'counter' | 'gauge', help: string, count: number): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${count}\n`

async function eventLoopLagSeconds(): Promise<number> {
  const startedMs = performance.now()
  await new Promise(resolve => setImmediate(resolve))
  return (performance.now() - startedMs) / 1000
}

/** `NaN`, Prometheus' word for what is not known, where there is no `/proc`. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return Number.NaN
  }
}
