// Metrics of every process: its build, memory, processor time, and event-loop delay.
// Only figures that are correct in Bun: prom-client's heap, handle and garbage collection metrics are not.

import { heapSize } from 'bun:jsc'
import { Gauge, Histogram } from 'prom-client'
import type { Build } from './build.ts'
import { openDescriptors } from './descriptors.ts'
import type { Meter } from './meter.ts'

/** Interval of measuring the event-loop delay. At 100 ms, waking up for it was most of what an idle service did. */
const timerMs = 500

export function registerProcessMetrics(meter: Meter, build: Build): void {
  const { registers } = meter
  new Gauge({
    name: 'tributary_build_info',
    help: 'Always 1; labels: release, commit, Bun and newest migration',
    labelNames: ['version', 'commit', 'bun', 'schema'],
    registers,
  }).set({ ...build }, 1)
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time in seconds since 1970',
    registers,
  }).set(performance.timeOrigin / 1000)
  registerProcessorMetrics(meter)
  registerMemoryMetrics(meter)
  registerDescriptorMetrics(meter)
  watchEventLoop(meter)
}

function registerProcessorMetrics(meter: Meter): void {
  meter.counter('process_cpu_seconds_total', 'CPU time of all threads; 1 per second is one core', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
}

function registerMemoryMetrics(meter: Meter): void {
  // Not heapUsed, which is as of the last garbage collection: buffers allocated since then would exceed it.
  meter.gauge('bun_heap_used_bytes', 'JavaScript memory, including buffers and uncollected garbage', heapSize)
  meter.gauge(
    'bun_heap_external_bytes',
    'Buffers and long texts in JavaScript memory',
    () => process.memoryUsage().external,
  )
  meter.gauge(
    'process_resident_memory_bytes',
    'Resident memory; falls some time after load',
    () => process.memoryUsage().rss,
  )
}

function registerDescriptorMetrics(meter: Meter): void {
  const found = openDescriptors()
  if (found === undefined) return
  meter.gauge('process_max_fds', 'Maximum number of open file descriptors', () => found.max)
  meter.gauge('process_open_fds', 'Open file descriptors, one per connection', () => openDescriptors()!.open)
}

/** If a timer is late, something ran for that long and delayed all requests, too. */
function watchEventLoop({ registers }: Meter): void {
  const lateness = new Histogram({
    name: 'tributary_event_loop_delay_seconds',
    help: 'Event-loop delay',
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  let dueMs = performance.now() + timerMs
  setInterval(() => {
    const now = performance.now()
    lateness.observe(Math.max(0, now - dueMs) / 1000)
    dueMs = now + timerMs
  }, timerMs).unref()
}
