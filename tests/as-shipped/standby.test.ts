// Pages read from a standby, and the questions from the primary.

import { endWithFile } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { readsIn } from '../support/read-address.ts'
import { useCluster } from '../support/replication.ts'
import { until } from '../support/until.ts'
import { playStory } from './story.ts'
import { describeShipped } from './table.ts'

if (needs('postgresql15')) {
  const { primary, standbys, url } = await useCluster()
  endWithFile(endProcesses)

  describeShipped('with a standby', async () => {
    const { sql } = primary
    const [standby] = standbys
    const settings = { DATABASE_READ_URL: standby!.url }
    await startWorker({ url })
    const first = await startMain({ url }, settings)
    const truth = await playStory({ sql, baseUrl: first.url, timeZone: 'UTC' })
    const later = await startMain({ url }, settings)
    const { authorization } = await createTestKey(sql, { programs: [truth.slug] })
    for (const { url, health } of [first, later])
      await until('pages to be read from the standby', async () => {
        await fetch(`${url}/api/v1/admin/programs/${truth.slug}/applications`, {
          headers: { Authorization: authorization },
        })
        return readsIn(await (await fetch(`${health}/metrics`)).text()).read > 0
      })
    return { sql, processes: [first.url, later.url], truth }
  })
}
