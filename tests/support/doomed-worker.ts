// A worker in a process of its own, for tests that kill it: prints a line when a job has begun, and never ends one.

import { createLog } from '../../src/base/log.ts'
import { connectQueue, type QueueOptions } from '../../src/core/queue/connect.ts'
import { startWorking } from '../../src/core/queue/work.ts'
import { openDatabase } from '../../src/db/client.ts'

const options = JSON.parse(process.argv[2]!) as QueueOptions
const begun = (): Promise<never> => {
  console.log('begun')
  return new Promise<never>(() => {})
}
const queue = await connectQueue(options, () => {})
const sql = openDatabase({ url: options.databaseUrl, connectionsMax: 2 })
const handlers = { 'refresh-key-map': begun, 'refresh-docs-example': begun, 'deliver-webhook': begun }
await startWorking(sql, queue, handlers, createLog('silent'), {})
