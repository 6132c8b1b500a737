import { expect, test } from 'bun:test'
import { Metrics } from '../../src/http/metrics.ts'

const ended = { route: '/x', status: 200, outcome: 'complete', seconds: 0.01 } as const

async function samples(metrics: Metrics): Promise<Map<string, number>> {
  const { text } = await metrics.exposition()
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

test('requests under way, and what was handed to clients', async () => {
  const metrics = new Metrics()
  metrics.begin()
  metrics.begin()
  metrics.end({ ...ended, applications: 3, bytes: 500 })
  metrics.begin()
  metrics.end(ended)
  const counts = await samples(metrics)
  expect(counts.get('tributary_open_requests')).toBe(1)
  expect(counts.get('tributary_exported_applications_total')).toBe(3)
  expect(counts.get('tributary_exported_bytes_total')).toBe(500)
  expect(counts.get('tributary_request_seconds_count{route="/x",status="200",outcome="complete"}')).toBe(2)
})

test('what every process tells, under the usual names', async () => {
  const counts = await samples(new Metrics())
  const now = Date.now() / 1000
  expect(counts.get('process_start_time_seconds')).toBeWithin(now - 86_400, now + 1)
  expect(counts.get('process_cpu_seconds_total')).toBeGreaterThan(0)
  expect(counts.get('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(counts.get('process_open_fds')).toBeGreaterThan(2)
  expect(counts.get('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
})

test('every metric has one HELP and one TYPE, and stands together', async () => {
  const metrics = new Metrics()
  metrics.begin()
  metrics.end(ended)
  const { text, contentType } = await metrics.exposition()
  expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(text.endsWith('\n')).toBe(true)
  const names = new Set<string>()
  for (const block of text.trimEnd().split('\n\n')) {
    const [help, type, ...rest] = block.split('\n')
    const name = /^# HELP (\w+) \S/.exec(help!)![1]!
    expect(type).toMatch(new RegExp(`^# TYPE ${name} (counter|gauge|histogram)$`))
    expect(rest.length).toBeGreaterThan(0)
    for (const line of rest) expect(line).toMatch(new RegExp(`^${name}(_bucket|_sum|_count)?(\\{[^}]*\\})? \\S+$`))
    expect(names.has(name)).toBe(false)
    names.add(name)
  }
})
