import { describe, expect, test } from 'bun:test'
import { parseJob } from '../../../src/core/queue/jobs.ts'

describe('a job that arrives', () => {
  test('is read as it was sent', () => {
    for (const job of [
      { name: 'refresh-key-map', payload: { program_version_id: 1 } },
      { name: 'refresh-docs-example', payload: { program_version_id: 9_007_199_254_740_991 } },
      { name: 'deliver-webhook', payload: { webhook_endpoint_id: 7, attempts: 0 } },
    ] as const) {
      expect(parseJob(job.name, JSON.parse(JSON.stringify(job.payload)))).toEqual(job)
    }
  })

  test.each(['', 'Sweep', 'refresh', '__proto__', 'toString', 'constructor'])(
    'is refused if no job is named %p',
    name => {
      expect(() => parseJob(name, {})).toThrow(JSON.stringify(name))
    },
  )

  test.each(
    [
      undefined,
      null,
      [],
      'x',
      {},
      { program_version_id: '1' },
      { program_version_id: 0 },
      { program_version_id: 1.5 },
      { program_version_id: null },
      { program_version_id: 1, answers: {} },
    ].map(payload => ({ payload })),
  )('is refused when it carries anything but ids: %j', ({ payload }) => {
    expect(() => parseJob('refresh-key-map', payload)).toThrow(/refresh-key-map.+: ./)
  })
})
