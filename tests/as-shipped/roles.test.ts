// Service and worker as processes that have the rights of `roles.sql` and no others, and a service that is started when everything is kept.

import { prepareQueue } from '../../src/core/queue/connect.ts'
import { endWithFile, useDatabase } from '../support/fixtures.ts'
import { useLogin } from '../support/logins.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { playStory } from './story.ts'
import { describeShipped } from './table.ts'

const database = await useDatabase()
endWithFile(endProcesses)

describeShipped('under the roles of roles.sql', async () => {
  await prepareQueue(database.url)
  const serviceUrl = await useLogin(database, 'tributary_service')
  await startWorker({ url: await useLogin(database, 'tributary_worker') })
  const settings = { CONSOLE_DATABASE_URL: await useLogin(database, 'tributary_console') }
  const first = await startMain({ url: serviceUrl }, settings)
  const truth = await playStory({ sql: database.sql, baseUrl: first.url, timeZone: 'UTC' })
  const later = await startMain({ url: serviceUrl }, settings)
  return { sql: database.sql, processes: [first.url, later.url], truth }
})
