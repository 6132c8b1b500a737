import { describe, expect, test } from 'bun:test'
import { placeOf, processCount, shareOf } from '../../src/processes/process-share.ts'
import { testConfig } from '../support/config.ts'

const config = {
  ...testConfig(),
  processes: 'auto' as const,
  databaseConnections: 10,
  exportConnections: 16,
  intakeConnections: 8,
  consoleConnections: 4,
  requestsPerMinute: 600,
  exportsAtATime: 4,
  connectionsPerAddress: 0,
  authFailuresPerMinute: 61,
}

describe('what each of several processes gets', () => {
  test('the connections of all together are those that were configured, and each has one of each pool', () => {
    for (const of of [1, 2, 3, 4]) {
      const shares = Array.from({ length: of }, (_, i) => shareOf(config, { number: i + 1, of, port: 1 }))
      for (const pool of [
        'databaseConnections',
        'exportConnections',
        'intakeConnections',
        'consoleConnections',
      ] as const) {
        expect(shares.reduce((sum, share) => sum + share[pool], 0)).toBe(config[pool])
        expect(Math.min(...shares.map(share => share[pool]))).toBeGreaterThanOrEqual(1)
      }
    }
  })

  test('D23: limits are shared out and rounded up; 0 stays no limit', () => {
    expect(shareOf(config, { number: 3, of: 3, port: 8080 })).toMatchObject({
      requestsPerMinute: 200,
      exportsAtATime: 2,
      connectionsPerAddress: 0,
      authFailuresPerMinute: 21,
      port: 8080,
      reusePort: true,
    })
  })

  test('auto is one process a core, and none without connections', () => {
    expect([1, 2, 4, 64].map(cores => processCount(config, cores))).toEqual([1, 2, 4, 4])
    expect(processCount({ ...config, processes: 3 }, 64)).toBe(3)
  })

  test('a process is one of several only when its supervisor says so', () => {
    expect(placeOf('2/4@8080')).toEqual({ number: 2, of: 4, port: 8080 })
    expect([undefined, '', '2/4', 'x'].map(placeOf)).toEqual([undefined, undefined, undefined, undefined])
  })
})
