// The table of what clients get, of an installation that is distributed.

import { playStory } from '../as-shipped/story.ts'
import { describeShipped } from '../as-shipped/table.ts'
import { endWithFile } from '../support/fixtures.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { useCluster } from './on-cluster.ts'

const { sql, url } = await useCluster()
endWithFile(endProcesses)

describeShipped('distributed over a cluster', async () => {
  await startWorker({ url })
  const first = await startMain({ url })
  const truth = await playStory({ sql, baseUrl: first.url, timeZone: 'UTC' })
  const later = await startMain({ url })
  return { sql, processes: [first.url, later.url], truth }
})
