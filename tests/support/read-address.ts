// What DATABASE_READ_URL leads to, as a service has it, and what became of the cursors for it.

import { type ReadOutcome, readOutcomes } from '../../src/core/export/servers/read-server.ts'
import type { Sql } from '../../src/db/client.ts'
import type { TestDatabase } from './database.ts'
import { endWithFile, endWithTest, usePool } from './fixtures.ts'
import { portOf, startProxy } from './proxy.ts'
import type { TestService } from './service.ts'

export const readPoolOf = (url: string, silenceTimeoutMs = 2000): Sql =>
  usePool({ url, connectionsMax: 16, silenceTimeoutMs, applicationName: 'test-export' }, endWithTest)

/** The address of a load balancer that distributes connections over these servers in turn. */
export async function useBalancer(urls: readonly [string, ...string[]]): Promise<string> {
  let made = 0
  const proxy = await startProxy(
    () => portOf(urls[made++ % urls.length]!),
    () => ({}),
  )
  endWithTest(proxy.stop)
  return proxy.through(urls[0])
}

/** As counted in a service's metrics. */
export function readsIn(exposition: string): Record<ReadOutcome, number> {
  const countOf = (outcome: ReadOutcome): number =>
    Number(
      new RegExp(`^tributary_read_address_cursors_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(exposition)![1],
    )
  return Object.fromEntries(readOutcomes.map(outcome => [outcome, countOf(outcome)])) as Record<ReadOutcome, number>
}

export const readsOf = async (service: TestService): Promise<Record<ReadOutcome, number>> =>
  readsIn((await service.foundation.metrics.exposition()).text)

/** The primary's address as a test database; nothing is dropped. */
export const databaseAt = (url: string, endWith = endWithFile): TestDatabase => ({
  url,
  sql: usePool({ url, connectionsMax: 30, applicationName: 'test' }, endWith),
  drop: async () => {},
})
