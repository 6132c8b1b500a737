import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { RequestSeconds } from '../../src/http/request-seconds.ts'

const bounds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300]

const observations = fc.array(
  fc.record({
    route: fc.constantFrom('/api/v1/checkAuth', '/programs/:programSlug', 'none'),
    status: fc.constantFrom(200, 401, 500),
    outcome: fc.constantFrom('complete', 'failed'),
    seconds: fc.oneof(fc.constantFrom(0, ...bounds), fc.double({ min: 0, max: 1000, noNaN: true })),
  }),
)

test('Prometheus reads what it would read of the histogram of prom-client', async () => {
  await fc.assert(
    fc.asyncProperty(observations, async all => {
      const register = new Registry()
      const labelNames = ['route', 'status', 'outcome'] as const
      const theirs = new Histogram({
        name: 'seconds',
        help: 'How long',
        labelNames,
        buckets: bounds,
        registers: [register],
      })
      const ours = new RequestSeconds('seconds', 'How long')
      for (const { seconds, ...labels } of all) {
        theirs.observe(labels, seconds)
        ours.observe(labels, seconds)
      }
      // Which series comes first, and which label, is left open by the format.
      const lines = (text: string) => text.trim().split('\n').sort()
      expect(lines(ours.exposition())).toEqual(lines(await register.metrics()))
    }),
  )
})
